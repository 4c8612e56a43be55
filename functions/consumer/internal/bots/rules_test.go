package bots

import (
	"net/http"
	"net/netip"
	"testing"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/shared/event/attribution"
	"melmastoon.ghasi.io/shared/testkit/check"
)

const (
	firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
	pixel   = "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36"
)

// browser returns the headers of a browser, with other ones in addition or instead; an empty value removes one.
func browser(agent string, more ...string) http.Header {
	h := http.Header{}
	for i, all := 0, append([]string{"User-Agent", agent, "Accept-Language", "ps-AF,ps;q=0.9"}, more...); i < len(all); i += 2 {
		h.Set(all[i], all[i+1])
		if all[i+1] == "" {
			h.Del(all[i])
		}
	}
	return h
}

// seen returns the evidence of one request.
func seen(h http.Header) evidence { return evidence{header: h, class: attribution.DeviceOf(h)} }

func TestRules_signals(t *testing.T) {
	t.Parallel()
	chrome := "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"
	counted := func(requests, births int) evidence {
		e := seen(browser(firefox))
		e.requests, e.births = requests, births
		return e
	}
	for _, test := range []struct {
		name   string
		e      evidence
		kind   Kind // "" if there is no signal
		weight float64
		detail string
	}{
		{"firefox", seen(browser(firefox)), "", 0, ""},
		{"phone", seen(browser(pixel, "Sec-Ch-Ua-Platform", `"Android"`, "Sec-Ch-Ua", `"Chromium";v="140"`)), "", 0, ""},
		{"app with a library", seen(browser("Melmastoon/3 okhttp/5.0", "X-Client-Surface", "mobile-consumer", "Accept-Language", "")), "", 0, ""},
		{"curl as an app", seen(browser("curl/8.5.0", "X-Client-Surface", "mobile-consumer")), AgentPattern, 0.4, "command line client"},
		{"library as an app", seen(browser("python-requests/2.32", "X-Client-Surface", "mobile-consumer")), AgentPattern, 0.4, "http library"},
		{"headless browser", seen(browser("Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 HeadlessChrome/140.0.0.0 Safari/537.36", "Sec-Ch-Ua", `"HeadlessChrome";v="140"`)), AgentPattern, 0.4, "headless browser"},
		{"curl", seen(browser("curl/8.5.0", "Accept-Language", "")), AgentPattern, 0.4, "command line client"},
		{"library", seen(browser("python-requests/2.32")), AgentPattern, 0.4, "http library"},
		{"library in a browser's name", seen(browser("Mozilla/5.0 (compatible; Go-http-client/2.0)")), AgentPattern, 0.4, "http library"},
		{"crawler", seen(browser("Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)")), AgentPattern, 0.4, "crawler"},
		{"unknown agent", seen(browser("Wayfarer 1.0")), AgentPattern, 0.1, "unknown user agent"},
		{"no agent", seen(browser("")), AgentPattern, 0.1, "unknown user agent"},
		{"spaces", seen(browser("  ")), AgentPattern, 0.1, "unknown user agent"},
		{"11 requests", counted(11, 0), "", 0, ""},
		{"12 requests", counted(12, 0), Cadence, 0.3, "12 requests in 2 s"},
		{"39 requests", counted(39, 0), Cadence, 0.3, "12 requests in 2 s"},
		{"40 requests", counted(40, 0), Cadence, 0.6, "40 requests in 2 s"},
		{"19 sessions", counted(0, 19), "", 0, ""},
		{"20 sessions", counted(0, 20), FingerprintCollision, 0.1, "20 sessions in 10 min"},
		{"99 sessions", counted(0, 99), FingerprintCollision, 0.1, "20 sessions in 10 min"},
		{"100 sessions", counted(0, 100), FingerprintCollision, 0.25, "100 sessions in 10 min"},
		{"browser without a language", seen(browser(firefox, "Accept-Language", "")), HeaderAnomaly, 0.1, "no Accept-Language"},
		{"hints of another platform", seen(browser(chrome, "Sec-Ch-Ua-Platform", `"Linux"`)), HeaderAnomaly, 0.2, "client hints contradict the user agent"},
		{"hints of no platform", seen(browser(chrome, "Sec-Ch-Ua-Platform", `"Amiga"`)), HeaderAnomaly, 0.2, "client hints contradict the user agent"},
		{"hints of a headless browser", seen(browser(chrome, "Sec-Ch-Ua", `"HeadlessChrome";v="140"`)), HeaderAnomaly, 0.2, "client hints contradict the user agent"},
		{"hints of the same platform", seen(browser(chrome, "Sec-Ch-Ua-Platform", `"Windows"`)), "", 0, ""},
		{"failed challenge", evidence{header: browser(firefox), class: attribution.Desktop, failed: true}, Recaptcha, 0.4, "failed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			a := builtIn().assess(test.e)
			if test.kind == "" {
				if len(a.Signals) != 0 || a.Score != 0 {
					t.Errorf("signals = %v, score %g, want none", a.Signals, a.Score)
				}
				return
			}
			want := Signal{test.kind, test.weight, test.detail}
			if len(a.Signals) != 1 || a.Signals[0] != want {
				t.Fatalf("signals = %v, want only %v", a.Signals, want)
			}
			check.Equal(t, a.Score, test.weight)
		})
	}
}

// The score is the sum of the signals. The thresholds belong to the more severe verdict and action.
func TestRules_thresholds(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name                            string
		agent, cadence, births, anomaly bool
		failed, blocked                 bool
		score                           float64
		verdict                         Verdict
		action                          Action
	}{
		{name: "nothing", score: 0, verdict: Human, action: None},
		{name: "below suspect", cadence: true, score: 0.3, verdict: Human, action: None},
		{name: "suspect", agent: true, score: 0.4, verdict: Suspect, action: None},
		{name: "phone in a crowd", cadence: true, births: true, score: 0.55, verdict: Suspect, action: None},
		{name: "challenge", cadence: true, anomaly: true, score: 0.6, verdict: Suspect, action: Challenge},
		{name: "below bot", agent: true, cadence: true, score: 0.7, verdict: Suspect, action: Challenge},
		{name: "bot", agent: true, failed: true, score: 0.8, verdict: Bot, action: Challenge},
		{name: "all", agent: true, cadence: true, births: true, failed: true, score: 1, verdict: Bot, action: Challenge},
		{name: "blocked bot", agent: true, failed: true, blocked: true, score: 0.8, verdict: Bot, action: HardBlock},
		{name: "blocked suspect", failed: true, blocked: true, score: 0.4, verdict: Suspect, action: HardBlock},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			h := browser(firefox)
			if test.agent {
				h = browser("curl/8")
			}
			if test.anomaly {
				h = browser(firefox, "Accept-Language", "", "Sec-Ch-Ua-Platform", `"Windows"`)
			}
			e := seen(h)
			e.failed, e.blocked = test.failed, test.blocked
			if test.cadence {
				e.requests = 12
			}
			if test.births {
				e.births = 100
			}
			a := builtIn().assess(e)
			check.Equal(t, a.Score, test.score)
			check.Equal(t, a.Verdict, test.verdict)
			check.Equal(t, a.Action, test.action)
		})
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		document string
		want     error
	}{
		{``, nil},
		{`{}`, nil},
		{`{"challenge":0.7,"bot":0.9,"suspect":0.5}`, nil},
		{`{"cadence":[],"fingerprintCollision":[],"crawlers":[]}`, nil},
		{`{"noLanguage":0,"hints":0.3}`, nil},
		{`{"a newer member":1}`, nil},
		{`{"challenge":0.7`, ErrForm},
		{`[]`, ErrForm},
		{`null`, ErrForm},
		{`{"cadence":null}`, ErrForm},
		{`{"cadence":[null]}`, ErrForm},
		{`{"uaPattern":"0.4"}`, ErrForm},
		{`{"uaPattern":0.4,"uaPattern":0.5}`, ErrForm},
		{`{"crawlers":[{"agent":"Googlebot","ranges":["66.249.64.0"]}]}`, ErrForm},
		{`{"uaPattern":1.1}`, ErrRules},
		{`{"uaPattern":-0.1}`, ErrRules},
		{`{"recaptcha":2}`, ErrRules},
		{`{"hints":0.25}`, ErrRules},
		{`{"suspect":0}`, ErrRules},
		{`{"suspect":0.7}`, ErrRules},
		{`{"suspect":0.35}`, ErrRules},
		{`{"unknownAgent":0.15}`, ErrRules},
		{`{"unknownAgent":0.14}`, nil},
		{`{"challenge":1.01}`, ErrRules},
		{`{"bot":0.39}`, ErrRules},
		{`{"fingerprintCollision":[{"count":100,"weight":0.26}]}`, ErrRules},
		{`{"cadence":[{"count":40,"weight":0.6},{"count":12,"weight":0.3}]}`, ErrRules},
		{`{"cadence":[{"count":12,"weight":0.6},{"count":40,"weight":0.3}]}`, ErrRules},
		{`{"cadence":[{"count":201,"weight":0.6}]}`, ErrRules},
		{`{"cadence":[{"count":0,"weight":0.6}]}`, ErrRules},
		{`{"crawlers":[{"agent":"  ","ranges":["66.249.64.0/19"]}]}`, ErrRules},
		{`{"crawlers":[{"agent":"Googlebot"}]}`, ErrRules},
		{`{"crawlers":[{"agent":"Googlebot","ranges":["0.0.0.0/0"]}]}`, ErrRules},
	} {
		t.Run(test.document, func(t *testing.T) {
			t.Parallel()
			check.Got(Parse([]byte(test.document))).Error(t, test.want)
		})
	}
	check.Got(Parse([]byte(`{"a newer member":1}`), json.RejectUnknownMembers(true))).Error(t, ErrForm, "Parse() of an unknown member, strictly")
}

// A document replaces the members that it names; the built-in rules stay as they are.
func TestParse_replaces(t *testing.T) {
	t.Parallel()
	rules, err := Parse([]byte(`{"challenge":0.9,"bot":1,"cadence":[{"count":5,"weight":0.9}]}`))
	check.Must(t, err)
	e := seen(browser(firefox))
	e.requests = 5
	if a := rules.assess(e); a.Action != Challenge || a.Verdict != Suspect {
		t.Errorf("the document's rules: %+v, want a challenged suspect", a)
	}
	check.Equal(t, builtIn().assess(e).Score, 0, "the built-in rules")
	check.Equal(t, rules.assess(seen(browser("curl/8"))).Score, 0.4, "a member that the document omits")
}

// A crawler is known by its user agent and its address together.
func TestRules_crawlers(t *testing.T) {
	t.Parallel()
	const google = "Mozilla/5.0 (compatible; googlebot/2.1; +http://www.google.com/bot.html)"
	for _, test := range []struct {
		agent, from string
		want        bool
	}{
		{google, "66.249.66.1", true},
		{google, "::ffff:66.249.66.1", true},
		{google, "2001:4860:4801:10::1", true},
		{google, "66.250.66.1", false},
		{google, "157.55.39.10", false},
		{firefox, "66.249.66.1", false},
		{"", "66.249.66.1", false},
		{"bingbot/2.0", "157.55.39.10", true},
	} {
		t.Run(test.from, func(t *testing.T) {
			check.Equal(t, builtIn().isCrawler(test.agent, netip.MustParseAddr(test.from)), test.want, "%s", test.agent)
		})
	}
	check.Equal(t, builtIn().isCrawler(google, netip.Addr{}), false, "a crawler with an unknown address is known")
}
