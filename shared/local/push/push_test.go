package push

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/topic"
)

// The reason of a failed push names status, code and detail of the answer.
func TestPush_reason(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, answer, want string }{
		{"problem", `{"code":"GENERAL.UNAVAILABLE","detail":"Try again later.","requestId":"req_1"}`, "answered 503 GENERAL.UNAVAILABLE: Try again later."},
		{"long_detail", `{"code":"A.B","detail":"` + strings.Repeat("a", 2000) + `"}`, "answered 503 A.B: " + strings.Repeat("a", 494)},
		{"long_code", `{"code":"` + strings.Repeat("A", 2000) + `"}`, "answered 503 " + strings.Repeat("A", 499)},
		{"no_header", `{"code":"A.B","detail":"é\n"}`, "answered 503 A.B: ??"},
		{"text", "upstream connect error", "answered 503"},
		{"other_json", `{"error":"x"}`, "answered 503"},
		{"nothing", "", "answered 503"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(http.StatusServiceUnavailable)
				_, _ = io.WriteString(w, test.answer)
			}))
			defer server.Close()
			d := Delivery{To: topic.Subscription{Endpoint: server.URL, AckDeadline: 10 * time.Second}, Attempt: 1}
			err := Open(env.Of(nil), 1).Push(t.Context(), d)
			if err == nil || err.Error() != test.want {
				t.Fatalf("Push() = %v, want %s", err, test.want)
			}
			if err := topic.Check(topic.Message{Topic: "dead", Attributes: map[string]string{topic.LastAnswer: err.Error()}}); err != nil {
				t.Errorf("the dead letter cannot be published: %v", err)
			}
		})
	}
}
