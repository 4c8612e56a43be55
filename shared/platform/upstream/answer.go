package upstream

import (
	"errors"
	"fmt"
	"mime"
	"reflect"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/shared/fault"
)

// A refusal is a 4xx response. If it explains itself in a way that may be passed on, it has a fault, and perhaps the violations in our
// request.
type refusal struct {
	status     int
	fault      *fault.Fault
	violations []fault.Violation
}

func (r *refusal) Error() string { return fmt.Sprintf("answered %d", r.status) }

// decode decodes a successful response into out, and returns an error for a refusal or for an unreadable response.
func (r response) decode(out any) error {
	switch r.status / 100 {
	case 2:
		return decode(r.body, out)
	case 4:
		return r.refusal()
	}
	return fmt.Errorf("answered %d", r.status)
}

// answered reports whether the service sent a response that may be passed on, including an explained refusal.
func answered(err error) bool {
	r, refused := errors.AsType[*refusal](err)
	return err == nil || refused && r.fault != nil
}

// decode reads a response body. It ignores unknown members, so that the other service may add some.
func decode(body []byte, out any) error {
	if out == nil {
		return nil
	}
	reflect.ValueOf(out).Elem().SetZero() // a response that was rejected before may have set some members
	if err := json.Unmarshal(body, out); err != nil {
		return errors.New("the answer does not decode") // the JSON error would quote the response
	}
	return nil
}

const platform = "MELMASTOON."

// refusal returns the refusal in a 4xx response. It has no fault if the body is unreadable, or if the code concerns this process and
// not the request of its own caller.
func (r response) refusal() *refusal {
	unexplained := &refusal{status: r.status}
	if media, _, _ := mime.ParseMediaType(r.header.Get("Content-Type")); media != "application/problem+json" {
		return unexplained
	}
	var p struct {
		Code       string `json:"code"`
		Detail     string `json:"detail"`
		RetryAfter int    `json:"retryAfter"`

		Violations []fault.Violation `json:"violations"`
	}
	if err := json.Unmarshal(r.body, &p); err != nil {
		return unexplained
	}
	code, ours := strings.CutPrefix(p.Code, platform)
	kind, known := kindOf(r.status)
	if !ours || !known || code == fault.ErrUnauthenticated.Code || code == fault.ErrForbidden.Code || code == fault.ErrMethodNotAllowed.Code {
		return unexplained
	}
	return &refusal{r.status, fault.New(kind, code, p.Detail).After(time.Duration(p.RetryAfter) * time.Second), p.Violations}
}

// kindOf is the inverse of Kind.Status.
func kindOf(status int) (fault.Kind, bool) {
	for k := fault.Internal; k <= fault.Timeout; k++ {
		if k.Status() == status {
			return k, true
		}
	}
	return fault.Internal, false
}
