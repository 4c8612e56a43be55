package fn

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"melmastoon.ghasi.io/shared/fault"
)

const (
	jsonType = "application/json"
	formType = "application/x-www-form-urlencoded"
)

// drainTime is how long an answer that has not read the body may wait for the rest of it. The server reads what is left before
// it sends the answer, so that the connection can be used again.
const drainTime = time.Second

// readBody reads a request's body, bounded by the limit and by the call's deadline. If the body does not end, the deadline
// stands, so the server does not wait for the rest either and closes the connection.
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
	body, err := read(http.MaxBytesReader(c.writer, r.Body, limit), r.ContentLength)
	if err == nil {
		c.readUntil(time.Time{}) // a deadline that stands would cancel the call
	}
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return nil, fault.ErrTooLarge
	}
	if err != nil {
		return nil, fault.ErrMalformedJSON.Because(fmt.Errorf("read body: %w", err))
	}
	return body, nil
}

// readUntil sets the moment after which nothing more is read of the request. The zero time is none.
func (c *record) readUntil(t time.Time) {
	_ = http.NewResponseController(c.writer).SetReadDeadline(t) // a recorder in a test has no deadlines
}

// read makes room once where the length is known.
func read(from io.Reader, length int64) ([]byte, error) {
	if length < 0 {
		return io.ReadAll(from)
	}
	body := make([]byte, length)
	_, err := io.ReadFull(from, body)
	return body, err
}

// checkType refuses a body that is not declared to be what the function reads, or that is compressed.
func checkType(h http.Header, want string) error {
	if encoding := h.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
		return fault.ErrUnsupportedMedia
	}
	given := h.Get("Content-Type")
	if given == want {
		return nil
	}
	media, params, err := mime.ParseMediaType(given)
	if err != nil || media != want {
		return fault.ErrUnsupportedMedia
	}
	if charset := params["charset"]; charset != "" && !strings.EqualFold(charset, "utf-8") {
		return fault.ErrUnsupportedMedia
	}
	return nil
}
