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

// readBody reads a request's body, bounded by the limit and by the call's deadline: a caller who trickles holds nobody up.
func readBody(ctx context.Context, w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	if r.Body == nil || r.ContentLength == 0 {
		return nil, nil
	}
	if r.ContentLength > limit {
		return nil, fault.ErrTooLarge
	}
	if deadline, ok := ctx.Deadline(); ok && w != nil {
		control := http.NewResponseController(w)
		if control.SetReadDeadline(deadline) == nil { // a recorder in a test has none
			defer control.SetReadDeadline(time.Time{})
		}
	}
	body, err := read(http.MaxBytesReader(w, r.Body, limit), r.ContentLength)
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return nil, fault.ErrTooLarge
	}
	if err != nil {
		return nil, fault.ErrMalformedJSON.Because(fmt.Errorf("read body: %w", err))
	}
	return body, nil
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
