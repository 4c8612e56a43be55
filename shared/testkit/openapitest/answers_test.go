package openapitest

import (
	"net/http"
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	const (
		route = "POST /bff/consumer/v1/wishlist"
		wish  = `{"wishlistId":"wsh_01J8KABG000000000000000PPT","propertyId":"ppt_01J8KABG000000000000000PPT","tenantId":"tnt_01J8KABG000000000000000TNT",
			"addedAt":"2026-11-20T12:00:00.000Z","source":"detail"}`
		problem = `{"type":"https://errors.melmastoon.ghasi.io/A/B","title":"No","status":422,"detail":"No.","instance":"/","code":"MELMASTOON.%","requestId":"r","traceId":"t","retriable":false}`
	)
	asJSON, asProblem := http.Header{"Content-Type": {"application/json"}, "X-Request-Id": {"r"}}, http.Header{"Content-Type": {"application/problem+json"}, "X-Request-Id": {"r"}}
	waiting := func(seconds string) http.Header {
		return http.Header{"Content-Type": asProblem["Content-Type"], "X-Request-Id": {"r"}, "Retry-After": {seconds}}
	}
	refusal := func(code string) []byte { return []byte(strings.Replace(problem, "%", code, 1)) }
	for _, test := range []struct {
		name    string
		service string
		answer  Answer
		ok      bool
	}{
		{"what is described", "consumer", Answer{201, asJSON, []byte(wish)}, true},
		{"a status that is not", "consumer", Answer{202, asJSON, []byte(wish)}, false},
		{"a member that is not", "consumer", Answer{201, asJSON, []byte(`{"more":1,` + wish[1:])}, false},
		{"a member of another form", "consumer", Answer{201, asJSON, []byte(`{"wishlistId":"1"}`)}, false},
		{"a header that is not", "consumer", Answer{201, http.Header{"Content-Type": {"application/json"}, "X-Request-Id": {"r"}, "Etag": {`"1"`}}, []byte(wish)}, false},
		{"a header that is described", "consumer", Answer{429, waiting("2"), refusal("GENERAL.RATE_LIMITED")}, true},
		{"a required header that is absent", "consumer", Answer{201, http.Header{"Content-Type": {"application/json"}}, []byte(wish)}, false},
		{"a header that another route replays", "consumer", Answer{429, http.Header{"Content-Type": asProblem["Content-Type"], "X-Request-Id": {"r"}, "Idempotent-Replayed": {"true"}}, refusal("GENERAL.RATE_LIMITED")}, false},
		{"a header of another form", "consumer", Answer{429, waiting("soon"), refusal("GENERAL.RATE_LIMITED")}, false},
		{"another form of answer", "consumer", Answer{201, http.Header{"Content-Type": {"text/html; charset=utf-8"}, "X-Request-Id": {"r"}}, []byte("<p>")}, false},
		{"half an answer", "consumer", Answer{201, asJSON, []byte(wish[:20])}, false},
		{"a code that is named", "consumer", Answer{422, asProblem, refusal("BFF.CONSUMER.WISHLIST_LIMIT_EXCEEDED")}, true},
		{"one that is not", "consumer", Answer{422, asProblem, refusal("BFF.CONSUMER.LOCALE_NOT_SUPPORTED")}, false},
		{"one that is named where a reference leads", "consumer", Answer{409, asProblem, refusal("GENERAL.VERSION_CONFLICT")}, true},
		{"a service that a test makes up", "test", Answer{299, asJSON, []byte(wish)}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			if err := Check(test.service, route, test.answer); (err == nil) != test.ok {
				t.Errorf("%v", err)
			}
		})
	}
}
