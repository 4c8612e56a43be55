package fn_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/fn/observe"
	"melmastoon.ghasi.io/shared/platform/forward"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
)

func TestCall_requestID(t *testing.T) {
	t.Parallel()
	front := open(t, answering(func(ctx context.Context) (map[string]string, error) {
		return map[string]string{"id": event.OriginOf(ctx).RequestID}, nil
	}))
	for _, test := range []struct{ name, given, want string }{
		{"one that is fine", "Front-end_42", "Front-end_42"},
		{"markup", "<script>alert(1)</script>", "req_"},
		{"quotes", `a"b'<x>`, "req_"},
		{"slash", "front-end/42", "req_"},
		{"dots", "a.b", "req_"},
		{"longest", strings.Repeat("a", 128), strings.Repeat("a", 128)},
		{"none", "", "req_"},
		{"one with a line break", "a\nb", "req_"},
		{"one that is not ASCII", "ä", "req_"},
		{"one with an e-mail address", "zarghona@example.com", "req_"},
		{"one that is too long", strings.Repeat("a", 129), "req_"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			a := front.Get("/answer", "X-Request-Id", test.given)
			got := a.Header.Get("X-Request-Id")
			if !strings.HasPrefix(got, test.want) || string(a.Body) != `{"id":"`+got+`"}` {
				t.Errorf("got %q and %s, want %q", got, a.Body, test.want)
			}
		})
	}
}

func TestCall_trace(t *testing.T) {
	t.Parallel()
	const traceID = "0af7651916cd43dd8448eb211c80319c"
	front := open(t, answering(func(ctx context.Context) (map[string]string, error) {
		return map[string]string{"parent": event.OriginOf(ctx).TraceParent}, nil
	}))
	for _, test := range []struct {
		name, given string
		continued   bool
	}{
		{"continued", "00-" + traceID + "-b7ad6b7169203331-01", true},
		{"begun", "", false},
		{"begun where the header is nonsense", "00-nonsense", false},
		{"begun where the trace is zero", "00-" + strings.Repeat("0", 32) + "-b7ad6b7169203331-01", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var got struct {
				Parent string `json:"parent"`
			}
			front.Get("/answer", "Traceparent", test.given).Into(t, &got)
			parts := strings.Split(got.Parent, "-")
			switch {
			case len(parts) != 4:
				t.Fatalf("len(parts) = %v, want 4", len(parts))
			case len(parts[1]) != 32:
				t.Fatalf("len(parts[1]) = %v, want 32", len(parts[1]))
			case len(parts[2]) != 16:
				t.Fatalf("len(parts[2]) = %v, want 16", len(parts[2]))
			}
			if (parts[1] == traceID) != test.continued || parts[2] == "b7ad6b7169203331" {
				t.Errorf("got %q: continued should be %v, and the span a new one", got.Parent, test.continued)
			}
			if test.continued && parts[3] != "01" {
				t.Errorf("got %q, want it sampled", got.Parent)
			}
		})
	}
}

func TestCall_logLine(t *testing.T) {
	t.Parallel()
	front, j := journalled(t, bookFunction)
	front.Post(bookings+"?rooms=2&token=tok-secret", `{"guest":{"name":"Zarmina-secret"},"nights":[],"note":"note-secret"}`,
		"Authorization", "Bearer auth-secret", "Cookie", "c=cookie-secret", "X-Request-Id", "r-1",
		"Traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "User-Agent", "Mozilla/5.0 (user-agent-secret)")
	line, text := j.only(t)
	check.Lacks(t, text, "secret")
	request, _ := line["httpRequest"].(map[string]any)
	for name, got := range map[string][2]any{
		"severity":  {line["severity"], "INFO"},
		"function":  {line["function"], "test-book"},
		"message":   {line["message"], "test-book 201"},
		"requestId": {line["requestId"], "r-1"},
		"trace":     {line["logging.googleapis.com/trace"], "0af7651916cd43dd8448eb211c80319c"},
		"sampled":   {line["logging.googleapis.com/trace_sampled"], true},
		"method":    {request["requestMethod"], "POST"},
		"url":       {request["requestUrl"], bookings},
		"status":    {request["status"], float64(201)},
		"class":     {line["userAgentClass"], "browser-desktop"},
	} {
		t.Run(name, func(t *testing.T) {
			if got[0] != got[1] {
				t.Errorf("got %v, want %v", got[0], got[1])
			}
		})
	}
	if latency, _ := request["latency"].(string); !strings.HasSuffix(latency, "s") {
		t.Errorf("latency: got %q", latency)
	}
}

func TestLogLine_addressInPath(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, property, want string }{
		{"address", "zarghona@example.com", "[email]"},
		{"address_at_the_limit", strings.Repeat("a/", 116) + "zarghona@example.com", "[email]"},
		{"telephone_number", "+93700123456", "[number]"},
		{"id", property, property},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			front, j := journalled(t, bookFunction)
			front.Post("/properties/"+url.PathEscape(test.property)+"/bookings", `{}`)
			line, text := j.only(t)
			request, _ := line["httpRequest"].(map[string]any)
			if path, _ := request["requestUrl"].(string); !strings.Contains(path, test.want) {
				t.Errorf("requestUrl = %q, want %q in it", path, test.want)
			}
			check.Lacks(t, text, "zarghona@")
		})
	}
}

func TestLogLine_userAgent(t *testing.T) {
	t.Parallel()
	const agent = "Mozilla/5.0 (zarmina@example.com) Mobile"
	hashes := map[string]bool{}
	for _, peppers := range []string{"", "one:" + base64.StdEncoding.EncodeToString(make([]byte, 32))} {
		t.Run(fmt.Sprintf("%q", peppers), func(t *testing.T) {
			var out strings.Builder
			e, issuer := fntest.Surround(t, env.Of(map[string]string{"PSEUDONYM_PEPPERS": peppers}))
			fntest.Behind(t, observe.LogKey.With(e, observe.To(&out)), issuer, bookFunction).Post(bookings, "{}", "User-Agent", agent)
			var line struct{ UserAgentClass, UserAgentHash string }
			check.Must(t, json.Unmarshal([]byte(out.String()), &line))
			check.Lacks(t, out.String(), "zarmina")
			check.Equal(t, line.UserAgentClass, "browser-mobile")
			hashes[line.UserAgentHash] = true
		})
	}
	if len(hashes) != 2 || !hashes[""] {
		t.Errorf("hashes %v: want one with a pepper, and none without", hashes)
	}
}

func TestLogLine_hasInternalCause(t *testing.T) {
	t.Parallel()
	front, j := journalled(t, failing(errSoldOut.Because(errSecret)))
	front.Get("/answer")
	line, _ := j.only(t)
	switch {
	case line["code"] != "RESERVATION.OVERBOOKING_BLOCKED":
		t.Errorf(`line["code"] = %q, want "RESERVATION.OVERBOOKING_BLOCKED"`, line["code"])
	case line["cause"] != errSecret.Error():
		t.Errorf(`line["cause"] = %v, want %v`, line["cause"], errSecret.Error())
	case line["severity"] != "INFO":
		t.Errorf(`line["severity"] = %q, want "INFO"`, line["severity"])
	}
}

func TestLogLine_counts(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		given    []observe.Incident
		err      error
		severity string
		want     string // part of the line
	}{
		{"none", nil, nil, "INFO", ""},
		{"several_calls", []observe.Incident{observe.ManualKeys, observe.ManualKeys, observe.ManualKeys}, nil, "WARNING", `"counts":{"manualKeys":3},`},
		{"stuck", []observe.Incident{observe.StuckSteps}, nil, "ERROR", `"counts":{"stuckSteps":1},`},
		{"stuck_draft", []observe.Incident{observe.StuckDrafts}, nil, "ERROR", `"counts":{"stuckDrafts":1},`},
		{"both", []observe.Incident{observe.StuckSteps, observe.ManualKeys}, nil, "ERROR", `"counts":{"manualKeys":1,"stuckSteps":1},`},
		{"with_an_error", []observe.Incident{observe.ManualKeys}, errSoldOut, "WARNING", `"counts":{"manualKeys":1},"code":"RESERVATION.OVERBOOKING_BLOCKED",`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			front, j := journalled(t, answering(func(ctx context.Context) (fn.Nothing, error) {
				var g sync.WaitGroup
				for _, incident := range test.given {
					g.Go(func() { observe.Count(ctx, incident) })
				}
				g.Wait()
				return fn.Nothing{}, test.err
			}))
			front.Get("/answer")
			line, text := j.only(t)
			if line["severity"] != test.severity {
				t.Errorf("severity = %v, want %s", line["severity"], test.severity)
			}
			check.Contains(t, text, test.want)
			if _, counted := line["counts"]; counted != (test.want != "") {
				t.Errorf("counts = %v, want only those given", line["counts"])
			}
		})
	}
}

func TestCall_rejectedBodyNotLogged(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"guest":{"name":"a-secret","name":"b-secret"},"nights":[]}`,
		`{"guest":{"name":"Z"},"nights":[{"date":"date-secret"}]}`,
		`{"guest":{"name":"Z"},"nights":"list-secret"}`,
		`{"guest":"cut-secret`,
	} {
		t.Run(body, func(t *testing.T) {
			front, j := journalled(t, bookFunction)
			a := front.Post(bookings, body)
			switch _, text := j.only(t); {
			case a.Status != 400:
				t.Errorf("a.Status = %v, want 400", a.Status)
			case strings.Contains(text, "secret"):
				t.Errorf("text = %q, want one without %q", text, "secret")
			case strings.Contains(string(a.Body), "secret"):
				t.Errorf("string(a.Body) = %q, want one without %q", string(a.Body), "secret")
			}
		})
	}
}

func TestCall_crossOrigin(t *testing.T) {
	t.Parallel()
	front := open(t, bookFunction, answering(func(context.Context) (fn.Nothing, error) { return fn.Nothing{}, nil }))
	for _, test := range []struct {
		name, method, path, site string
		want                     int
	}{
		{"from another site", http.MethodPost, bookings, "cross-site", 403},
		{"from a sibling site", http.MethodPost, bookings, "same-site", 403},
		{"from the same origin", http.MethodPost, bookings, "same-origin", 201},
		{"from no browser", http.MethodPost, bookings, "", 201},
		{"a read from another site", http.MethodGet, "/answer", "cross-site", 204},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			a := front.Send(test.method, test.path, right, "Sec-Fetch-Site", test.site)
			if a.Status != test.want || (test.want == 403 && a.Code() != "GENERAL.CROSS_ORIGIN_REFUSED") {
				t.Errorf("got %d %s, want %d", a.Status, a.Body, test.want)
			}
		})
	}
}

func TestForward_ifConfigured(t *testing.T) {
	t.Parallel()
	const scenario = "X-Sandbox-Scenario"
	for name, test := range map[string]struct{ configured, sent, want string }{
		"a value":              {configured: scenario, sent: "sold_out", want: "sold_out"},
		"with a parameter":     {configured: scenario, sent: "upstream_slow; of=pricing", want: "upstream_slow;of=pricing"},
		"not configured":       {sent: "sold_out"},
		"not sent":             {configured: scenario},
		"a value with a space": {configured: scenario, sent: "sold out"},
		"a value too long":     {configured: scenario, sent: strings.Repeat("x", 65)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got forward.Header
			f := answering(func(ctx context.Context) (fn.Nothing, error) {
				got, _ = forward.Of(ctx)
				return fn.Nothing{}, nil
			})
			front := fntest.Open(t, env.Of(map[string]string{"FORWARD_HEADER": test.configured}), f)
			if a := front.Get("/answer", scenario, test.sent); a.Status != http.StatusNoContent {
				t.Fatalf("got %d %s", a.Status, a.Body)
			}
			check.Equal(t, got.Value, test.want)
		})
	}
}

// TestCrossOrigin admits writes from pages of any origin, with a body of any type that is not decoded. Its redirect keeps method and body.
func TestCrossOrigin(t *testing.T) {
	t.Parallel()
	landing := func(name string, s fn.Spec) fn.Function {
		s.Name, s.Route = "test-"+name, "POST /"+name
		return serve(s, func(context.Context, fn.Nothing, fn.Call[fn.Nothing]) (fn.Reply, error) {
			return fn.TemporaryRedirect.At("https://hotel.example/return"), nil
		})
	}
	front := open(t, landing("landing", fn.Spec{CrossOrigin: true, IgnoresBody: true, BodyLimit: 100}), landing("closed", fn.Spec{IgnoresBody: true}),
		landing("strict", fn.Spec{CrossOrigin: true}))
	for _, test := range []struct {
		name, path, body string
		status           int
		code             string
	}{
		{"any body", "/landing", "a=b", 307, ""},
		{"no body", "/landing", "", 307, ""},
		{"a body over the limit", "/landing", strings.Repeat("a", 101), 413, "GENERAL.PAYLOAD_TOO_LARGE"},
		{"without CrossOrigin", "/closed", "a=b", 403, "GENERAL.CROSS_ORIGIN_REFUSED"},
		{"without IgnoresBody", "/strict", "a=b", 415, "GENERAL.UNSUPPORTED_MEDIA_TYPE"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			a := front.As("").Post(test.path, test.body, "Sec-Fetch-Site", "cross-site", "Origin", "https://bank.example", "Content-Type", "text/plain")
			check.Equal(t, a.Status, test.status, "status: %s", a.Body)
			if test.code != "" && a.Code() != test.code {
				t.Errorf("got code %s, want %s", a.Code(), test.code)
			}
			check.Equal(t, a.Header.Get("Access-Control-Allow-Origin"), "", "allowed origin")
		})
	}
}
