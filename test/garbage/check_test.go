package garbage

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/shared/platform/fn"
)

// internals are what an answer never shows.
var internals = regexp.MustCompile(`SQLSTATE|\bpgx\b|goroutine |\.go:\d|panic|runtime error|relation \\?"|melmastoon\.ghasi\.io/(functions|shared|scripts)|reflect\.|jsontext|dial tcp|context deadline|invalid memory|\bEOF\b|\*fault`)

// wired reports whether the HTTP server itself refused a request that is no HTTP. No function has seen it.
func wired(r *request, a answer) bool {
	if !r.broken || a.header.Get("X-Request-Id") != "" {
		return false
	}
	switch a.status {
	case http.StatusBadRequest, http.StatusRequestHeaderFieldsTooLarge, http.StatusExpectationFailed, http.StatusNotImplemented, http.StatusHTTPVersionNotSupported:
		return true
	}
	return false
}

// late reports whether a function answered that its time was over, or a neighbour's.
func late(a answer) bool {
	return a.status == http.StatusServiceUnavailable || a.status == http.StatusGatewayTimeout
}

// faultsOf lists what is wrong with an answer. Lethal reports whether the request is malformed for certain.
func faultsOf(s *attempt, a answer, lethal bool) (wrong []string) {
	complain := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	whole := fmt.Sprintf("%v\n%s", a.header, a.body)
	switch {
	case wired(s.request, a):
		return nil
	case late(a): // settled when the machine is quiet
	case a.status >= 500:
		complain("answered %d: %s", a.status, a.body)
	case a.status == http.StatusSeeOther && (strings.HasPrefix(s.request.path, "/site/") || strings.HasPrefix(s.request.path, "/hotels") || strings.HasPrefix(s.request.path, "/desk")):
		// A form of a site goes on to a page, which says what was wrong.
	case a.status < 400 && lethal:
		complain("was understood: %d %.200s", a.status, a.body)
	case a.status < 400 && a.status != http.StatusNoContent && a.status/100 != 2 && a.status/100 != 3:
		complain("answered %d", a.status)
	case a.status >= 400:
		wrong = append(wrong, malformed(s, a)...)
	}
	if a.status >= 400 {
		if strings.Contains(whole, s.marker) {
			complain("repeats what was sent: %.400s", whole)
		}
		if found := internals.FindString(whole); found != "" {
			complain("shows %q: %.400s", found, whole)
		}
	}
	if to := a.header.Get("Location"); to != "" && (!strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//") || strings.HasPrefix(to, `/\`)) {
		complain("leads away from here: %q", to)
	}
	return wrong
}

// malformed lists what keeps an answer from being a problem.
func malformed(s *attempt, a answer) (wrong []string) {
	complain := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	got := a.header.Get("Content-Type")
	paged := []int{http.StatusBadRequest, http.StatusNotFound, http.StatusTooManyRequests, http.StatusServiceUnavailable} // what the sites say on a page
	if service := s.target.function.Spec.Service(); (service == "storefront" || service == "frontdesk") && strings.HasPrefix(got, "text/html") && slices.Contains(paged, a.status) {
		return nil
	}
	if got != "application/problem+json" {
		complain("answered %d with %q: %.200s", a.status, got, a.body)
		return wrong
	}
	if s.request.method == http.MethodHead {
		return nil
	}
	var p fn.Problem
	if err := json.Unmarshal(a.body, &p, json.RejectUnknownMembers(true)); err != nil {
		complain("answered no problem: %v %.200s", err, a.body)
		return wrong
	}
	if p.Status != a.status || !strings.HasPrefix(p.Code, "MELMASTOON.") || p.RequestID == "" || p.RequestID != a.header.Get("X-Request-Id") || p.Title == "" || p.Detail == "" ||
		!strings.HasPrefix(p.Type, "https://errors.melmastoon.ghasi.io/") {
		complain("answered half a problem: %+v", p)
	}
	if strings.Contains(p.Detail+p.Title+p.Code+p.Type+p.TraceID+p.RequestID, s.named) {
		complain("repeats a name that was sent: %+v", p)
	}
	if a.header.Get("X-Content-Type-Options") != "nosniff" {
		complain("has no security headers: %v", a.header)
	}
	if len(a.body) > 32<<10 {
		complain("answered %d bytes", len(a.body))
	}
	return wrong
}
