package consumer

import (
	"net/http"
	"strings"
	"testing"

	"melmastoon.ghasi.io/shared/event"
)

func TestWhatIsKeptOfAnAddress(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"/search":                                "/search",
		"/search?q=zahra#me":                     "/search",
		"/":                                      "/",
		"":                                       "",
		"https://www.google.com/":                "https://www.google.com/",
		"https://www.google.com":                 "https://www.google.com",
		"http://localhost:8080/a/b":              "http://localhost:8080/a/b",
		"https://zahra:pw@host.af/a":             "https://host.af/a",
		"/hotels/ppt_01J8KABG000000000000000PPT": "/hotels/ppt_01J8KABG000000000000000PPT",
		"/guests/zahra@example.com":              "/guests/*",
		"/guests/zahra%40example.com":            "/guests/*",
		"/call/0700123456":                       "/call/*",
		"/هرات/x":                                "/*/x",
		"/a%2Fzahra@b":                           "/a/*",
		"/" + strings.Repeat("a", 41):            "/*",
		"/" + strings.Repeat("a/", 99):           "/" + strings.Repeat("a/", 99),
		"/" + strings.Repeat("a/", 100):          "",
		"mailto:zahra@example.com":               "",
		"android-app://com.example/":             "",
		"https://0093700123456/":                 "",
		"https://93.184.216.34/":                 "",
		"https://za hra/":                        "",
		"//host.af/a":                            "",
		"javascript:alert(1)":                    "",
	} {
		if got := Place(address); got != want {
			t.Errorf("%q is kept as %q, want %q", address, got, want)
		}
	}
}

func TestACampaignIsWhatItIsCalledAndNobodysAddress(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"spring-2026": "spring-2026", "18273645523": "18273645523", " نوروز ": "نوروز", "a|b/c:d": "a|b/c:d", "20261120": "20261120",
		"zahra@example.com": "", "zahra%40example.com": "", "ZAHRA%2540EXAMPLE.COM": "", "zahra＠example.com": "",
		"+93 70 012 3456": "", "call 0093700123456": "", "%2B93700123456": "", "+93-(70)-012.3456": "",
		"a\nb": "", "a\x00": "", "\xff": "", strings.Repeat("a", 101): "", strings.Repeat("a", 100): strings.Repeat("a", 100),
	} {
		if got := campaignOf(http.Header{"X-Campaign-Name": {text}}); got.Campaign != want {
			t.Errorf("%q is called %q, want %q", text, got.Campaign, want)
		}
	}
	first := Campaign(event.Attributed{Source: "a"})
	if got := first.or(Campaign{Source: "b"}); got != first {
		t.Errorf("a later campaign takes over: %v", got)
	}
	if got := (Campaign{}).or(first); got != first || (Campaign{}).Attributed() != nil || first.Attributed().Source != "a" {
		t.Errorf("got %v", got)
	}
}

func TestWhatAVisitIsMadeWith(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		agent, surface, hint string
		want                 AgentClass
	}{
		{"Mozilla/5.0 (X11; Linux x86_64)", "", "", Desktop},
		{"Mozilla/5.0 (Linux; Android 14) Mobile", "", "", Mobile},
		{"Mozilla/5.0 (iPhone; CPU iPhone OS 18_0)", "", "", Mobile},
		{"Mozilla/5.0 (X11)", "", "?1", Mobile},
		{"Melmastoon/3 CFNetwork/1.0", "mobile-consumer", "", IOS},
		{"Melmastoon/3 okhttp", "mobile-consumer", "", Android},
		{"curl/8", "", "", Other},
		{"", "", "", Other},
	} {
		h := http.Header{"User-Agent": {test.agent}, "X-Client-Surface": {test.surface}, "Sec-Ch-Ua-Mobile": {test.hint}}
		if got := classOf(h); got != test.want {
			t.Errorf("%+v is a %s", test, got)
		}
	}
}
