package fn

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"melmastoon.ghasi.io/shared/fault"
)

// drainTime bounds how long an answer waits for the rest of a body that the endpoint has not read. The server reads the rest
// before it sends the answer, so that the connection can be reused.
const drainTime = time.Second

// readBody reads a request's body, bounded by the limit and by the call's deadline. If the body does not end in time, the read
// deadline stays set: the server does not wait for the rest and closes the connection.
func readBody(ctx context.Context, c *record, r *http.Request, limit int64) ([]byte, error) {
	if r.Body == nil || r.ContentLength == 0 {
		return nil, nil
	}
	if r.ContentLength > limit {
		return nil, fault.ErrTooLarge
	}
	c.unread = false
	if deadline, ok := ctx.Deadline(); ok {
		c.readUntil(deadline)
	}
	body, err := io.ReadAll(http.MaxBytesReader(c.writer, r.Body, limit))
	if err == nil {
		c.readUntil(time.Time{}) // a remaining deadline would cancel the call
	}
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return nil, fault.ErrTooLarge
	}
	if err != nil {
		return nil, fault.ErrMalformedJSON.Because(fmt.Errorf("read body: %w", err))
	}
	return body, nil
}

// readUntil sets the read deadline of the request. The zero time removes it.
func (c *record) readUntil(t time.Time) {
	_ = http.NewResponseController(c.writer).SetReadDeadline(t) // recorders in tests have no deadlines
}
