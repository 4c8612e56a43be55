package upstream

import (
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/shared/fault"
)

// A refusal is an answer that says no and why, and perhaps what was wrong with our request.
type refusal struct {
	fault      *fault.Fault
	violations []fault.Violation
}

func (r *refusal) Error() string { return r.fault.Code }

// judge tells an answer from a refusal and both from garbage.
func judge(res *http.Response, body []byte, out any) error {
	switch res.StatusCode / 100 {
	case 2:
		return decode(body, out)
	case 4:
		if refusal := readProblem(res, body); refusal != nil {
			return refusal
		}
		return rejection(res.StatusCode)
	}
	return fmt.Errorf("answered %d", res.StatusCode)
}

// A rejection is a 4xx answer without an explanation that may be passed on.
type rejection int

func (r rejection) Error() string { return fmt.Sprintf("answered %d", int(r)) }

// decode reads an answer's body. Members that out does not have are let pass: the other side may grow.
func decode(body []byte, out any) error {
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(body, out); err != nil {
		return errors.New("the answer does not decode") // the error would quote it
	}
	return nil
}

const platform = "MELMASTOON."

// readProblem makes a refusal of a 4xx problem, or returns nil: for garbage, and for codes that are about this process
// and not about what its own caller asked for.
func readProblem(res *http.Response, body []byte) *refusal {
	if media, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type")); media != "application/problem+json" {
		return nil
	}
	var p struct {
		Code       string `json:"code"`
		Detail     string `json:"detail"`
		RetryAfter int    `json:"retryAfter"`

		Violations []fault.Violation `json:"violations"`
	}
	if err := json.Unmarshal(body, &p); err != nil {
		return nil
	}
	code, ours := strings.CutPrefix(p.Code, platform)
	kind, known := kindOf(res.StatusCode)
	if !ours || !known || code == fault.ErrUnauthenticated.Code || code == fault.ErrForbidden.Code || code == fault.ErrMethodNotAllowed.Code {
		return nil
	}
	return &refusal{fault.New(kind, code, p.Detail).After(time.Duration(p.RetryAfter) * time.Second), p.Violations}
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
