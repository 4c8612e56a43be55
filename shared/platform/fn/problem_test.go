package fn_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
)

var errSoldOut = fault.New(fault.Conflict, "RESERVATION.OVERBOOKING_BLOCKED", "These rooms are taken.")

func TestProblem_fromFault(t *testing.T) {
	t.Parallel()
	err := fmt.Errorf("holds: place: %w", errSoldOut.Because(errSecret).With(fault.Violation{Pointer: "/items/0", Rule: "units", Message: "None left."}))
	a := open(t, failing(err)).Get("/answer?q=1", "X-Request-Id", "abc", "Traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	want := `{"type":"https://errors.melmastoon.ghasi.io/RESERVATION/OVERBOOKING_BLOCKED","title":"Conflict","status":409,` +
		`"detail":"These rooms are taken.","instance":"/answer","code":"MELMASTOON.RESERVATION.OVERBOOKING_BLOCKED","requestId":"abc",` +
		`"traceId":"0af7651916cd43dd8448eb211c80319c","retriable":false,"violations":[{"pointer":"/items/0","rule":"units","message":"None left."}]}`
	switch {
	case a.Status != 409:
		t.Errorf("a.Status = %v, want 409", a.Status)
	case string(a.Body) != want:
		t.Errorf("string(a.Body) = %v, want %v", string(a.Body), want)
	case a.Header.Get("Content-Type") != "application/problem+json":
		t.Errorf(`a.Header.Get("Content-Type") = %q, want "application/problem+json"`, a.Header.Get("Content-Type"))
	}
}

func TestProblem_fromPlainError(t *testing.T) {
	t.Parallel()
	a := open(t, failing(errSecret)).Get("/answer")
	switch {
	case a.Status != 500:
		t.Errorf("a.Status = %v, want 500", a.Status)
	case a.Code() != "GENERAL.INTERNAL":
		t.Errorf(`a.Code() = %q, want "GENERAL.INTERNAL"`, a.Code())
	case strings.Contains(string(a.Body), "hunter2"):
		t.Errorf("string(a.Body) = %q, want one without %q", string(a.Body), "hunter2")
	}
}

func TestProblem_instance(t *testing.T) {
	t.Parallel()
	front := open(t, bookFunction)
	for _, test := range []struct{ name, path, want string }{
		{"id", bookings, bookings},
		{"escaped", "/properties/a%20b", "/properties/a%20b"},
		{"address", "/properties/zarghona@example.com/bookings", "%5Bemail%5D"},
		{"escaped address", "/properties/zarghona%40example.com", "%5Bemail%5D"},
		{"address escaped twice", "/properties/zarghona%2540example.com", "%5Bemail%5D"},
		{"telephone number", "/properties/%2B93700123456", "/properties/%5Bnumber%5D"},
		{"long path", "/properties/" + strings.Repeat("a", 5000), "/properties/" + strings.Repeat("a", 244) + "%E2%80%A6"},
		{"telephone number of another script", "/properties/۰۷۰۰۱۲۳۴۵۶", "/properties/%5Bnumber%5D"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			check.Equal(t, front.Get(test.path).Problem().Instance, test.want, "instance")
		})
	}
}

// A path of 900 kB cost 0.6 s of CPU, because the problem had all of it, scrubbed.
func TestCall_longURL(t *testing.T) {
	t.Parallel()
	front := open(t, bookFunction)
	for _, test := range []struct {
		name, path string
		status     int
	}{
		{"route", bookings + "?q=" + strings.Repeat("a", 9000), 414},
		{"longest", bookings + "?" + strings.Repeat("a", 8192-len(bookings)), 405},
		{"one byte more", bookings + "?" + strings.Repeat("a", 8193-len(bookings)), 414},
		{"no route", "/" + strings.Repeat("a@b.c/", 150_000), 414},
		{"unclean", "/" + strings.Repeat("/", 9000), 414},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			a := front.Get(test.path)
			if a.Status != test.status || a.Status == 414 && a.Code() != "GENERAL.URI_TOO_LONG" {
				t.Errorf("status = %d, want %d: %s", a.Status, test.status, a.Body)
			}
			if len(a.Body) > 2000 {
				t.Errorf("the answer has %d bytes", len(a.Body))
			}
		})
	}
}

func TestProblemType_dottedDomain(t *testing.T) {
	t.Parallel()
	a := open(t, failing(fault.New(fault.Gone, "BFF.CONSUMER.HANDOFF_EXPIRED", ""))).Get("/answer")
	check.Equal(t, a.Problem().Type, "https://errors.melmastoon.ghasi.io/BFF.CONSUMER/HANDOFF_EXPIRED")
}

func TestProblem_retryAfter(t *testing.T) {
	t.Parallel()
	a := open(t, failing(fault.ErrUnavailable.After(1500*time.Millisecond))).Get("/answer")
	switch p := a.Problem(); {
	case a.Status != 503:
		t.Errorf("a.Status = %v, want 503", a.Status)
	case !p.Retriable:
		t.Errorf("p.Retriable = false, want true")
	case p.RetryAfter != 2:
		t.Errorf("p.RetryAfter = %v, want 2", p.RetryAfter)
	case a.Header.Get("Retry-After") != "2":
		t.Errorf(`a.Header.Get("Retry-After") = %q, want "2"`, a.Header.Get("Retry-After"))
	}
}

func TestProblem_challenge(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]error{
		"Bearer": fault.ErrUnauthenticated, "Cookie": fault.ErrUnauthenticated.Asking("Cookie"), "": fault.ErrForbidden.Asking("Cookie"),
	} {
		t.Run(fmt.Sprintf("%q", want), func(t *testing.T) {
			if a := open(t, failing(err)).Get("/answer"); a.Header.Get("WWW-Authenticate") != want {
				t.Errorf("%v asks for %q, want %q", err, a.Header.Get("WWW-Authenticate"), want)
			}
		})
	}
}

func TestProblem_language(t *testing.T) {
	t.Parallel()
	front := open(t, failing(errSoldOut))
	for accept, want := range map[string]string{
		"": "en", "fr": "en", "ps-AF,en;q=0.5": "ps", "prs": "fa", "fa-IR": "fa", "ur;q=0.2,ar;q=0.9": "ar", "en;q=0, ur": "ur", "!!": "en",
		"prs-AF": "fa", "x!, ps": "ps", "en-US;q=0.5, ur;q=high, ar;q=0.3": "en", "en;q=0": "ps",
	} {
		t.Run(fmt.Sprintf("%q", accept), func(t *testing.T) {
			a := front.Get("/answer", "Accept-Language", accept)
			if got := a.Header.Get("Content-Language"); got != want || a.Problem().Title != fault.Conflict.Title(want) {
				t.Errorf("%q: got %s %q", accept, got, a.Problem().Title)
			}
			check.Equal(t, a.Header.Get("Vary"), "Accept-Language", "%q: Vary", accept)
		})
	}
}

func TestProblem_panic(t *testing.T) {
	t.Parallel()
	front, j := journalled(t, answering(func(context.Context) (fn.Nothing, error) { panic("hunter3") }))
	a := front.Get("/answer")
	switch {
	case a.Status != 500:
		t.Errorf("a.Status = %v, want 500", a.Status)
	case a.Code() != "GENERAL.INTERNAL":
		t.Errorf(`a.Code() = %q, want "GENERAL.INTERNAL"`, a.Code())
	case strings.Contains(string(a.Body), "hunter3"):
		t.Errorf("string(a.Body) = %q, want one without %q", string(a.Body), "hunter3")
	}
	line, _ := j.only(t)
	if stack, _ := line["stack_trace"].(string); line["severity"] != "ERROR" || !strings.Contains(stack, "problem_test.go") {
		t.Errorf("got %v", line)
	}
}

func TestCall_deadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := serve(fn.Spec{Name: "test-answer", Route: "GET /answer", Timeout: 700 * time.Millisecond},
			func(ctx context.Context, _ fn.Nothing, _ fn.Call[fn.Nothing]) (fn.Nothing, error) {
				<-ctx.Done()
				return fn.Nothing{}, ctx.Err()
			})
		front := open(t, f)
		began := time.Now()
		a := front.Get("/answer")
		check.Equal(t, time.Since(began), 700*time.Millisecond)
		a.WantProblem(t, 503, "GENERAL.UNAVAILABLE")
	})
}

func TestBody_slow(t *testing.T) {
	t.Parallel()
	e, _ := fntest.Surround(t, env.Of(nil))
	f := serve(fn.Spec{Name: "test-slow", Route: "POST /slow", Timeout: 50 * time.Millisecond}, nothing)
	h := check.Got(f.Handler(e)).Must(t)
	server := httptest.NewServer(h)
	defer server.Close()
	body, never := io.Pipe()
	defer never.Close()
	res := check.Got(http.Post(server.URL+"/slow", "application/json", body)).Must(t)
	defer res.Body.Close()
	check.Equal(t, res.StatusCode, http.StatusBadRequest)
}
