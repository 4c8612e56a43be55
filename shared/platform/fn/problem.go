package fn

import (
	"cmp"
	"errors"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/platform/fn/observe"
)

// platform is the prefix of every error code.
const platform = "MELMASTOON."

// A Problem is the body of every error response (RFC 9457).
type Problem struct {
	Type       string            `json:"type"`
	Title      string            `json:"title"`
	Status     int               `json:"status"`
	Detail     string            `json:"detail"`
	Instance   string            `json:"instance"`
	Code       string            `json:"code"`
	RequestID  string            `json:"requestId"`
	TraceID    string            `json:"traceId"`
	Retriable  bool              `json:"retriable"`
	RetryAfter int               `json:"retryAfter,omitzero"` // seconds
	Violations []fault.Violation `json:"violations,omitempty"`
	Members    map[string]any    `json:",embed"`
}

// problem turns any error into an answer, and notes the cause, which the caller is not shown, for the log. A browser gets the page, if
// there is one.
func problem(r *http.Request, c *record, err error, page func(*http.Request, int, http.Header) []byte) answer {
	f := fault.From(err)
	c.line.Code, c.line.Cause = f.Code, errors.Unwrap(f)
	lang := string(locale.Negotiate(strings.Join(r.Header.Values("Accept-Language"), ","), languages))
	p := Problem{
		Type: TypeURI(f.Code), Title: f.Kind.Title(lang), Status: f.Kind.Status(), Detail: f.Detail,
		Instance: (&url.URL{Path: observe.Shown(r.URL.Path)}).EscapedPath(), Code: platform + f.Code,
		RequestID: c.line.RequestID, TraceID: c.line.Trace.TraceID().String(),
		Retriable: f.Retriable(), RetryAfter: seconds(f.RetryAfter), Violations: f.Violations, Members: f.Members,
	}
	body, err := json.Marshal(p)
	if err != nil {
		c.line.Cause = errors.Join(c.line.Cause, err) // a violation that is not UTF-8: a bug of ours
		body = []byte(`{"title":"Internal error","status":500,"code":"MELMASTOON.GENERAL.INTERNAL"}`)
		p.Status = http.StatusInternalServerError
	}
	h := problemHeader(p, lang, f.Challenge)
	if page != nil && strings.Contains(r.Header.Get("Accept"), "text/html") {
		body = page(r, p.Status, h)
	}
	return answer{Status: p.Status, Header: h, Body: body}
}

func problemHeader(p Problem, lang, challenge string) http.Header {
	h := http.Header{
		"Content-Type":     {"application/problem+json"},
		"Content-Language": {lang},
		"Vary":             {"Accept-Language"},
	}
	if p.RetryAfter > 0 {
		h["Retry-After"] = []string{strconv.Itoa(p.RetryAfter)}
	}
	if p.Status == http.StatusUnauthorized {
		h["Www-Authenticate"] = []string{cmp.Or(challenge, "Bearer")}
	}
	return h
}

// TypeURI returns https://errors.melmastoon.ghasi.io/<DOMAIN>/<CODE>; CODE is the last part of a code.
func TypeURI(code string) string {
	dot := strings.LastIndexByte(code, '.')
	return "https://errors.melmastoon.ghasi.io/" + code[:max(dot, 0)] + "/" + code[dot+1:]
}

// seconds rounds up, so that a caller does not retry too early.
func seconds(d time.Duration) int { return int(math.Ceil(d.Seconds())) }

// languages are the languages of titles; the first is the fallback. Dari falls back to Persian.
var languages = []locale.Tag{"en", "ps", "fa", "ur", "ar"}
