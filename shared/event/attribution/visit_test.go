package attribution_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/event/attribution"
	"melmastoon.ghasi.io/shared/testkit/check"
)

func TestPlain_personal(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"spring-2026": "spring-2026", "18273645523": "18273645523", " نوروز ": "نوروز", "a|b/c:d": "a|b/c:d", "20261120": "20261120",
		"zahra@example.com": "", "zahra%40example.com": "", "ZAHRA%2540EXAMPLE.COM": "", "zahra＠example.com": "",
		"+93 70 012 3456": "", "call 0093700123456": "", "%2B93700123456": "", "+93-(70)-012.3456": "",
		"+۹۳ ۷۰ ۰۱۲ ۳۴۵۶": "", "0700123456": "", "4111 1111 1111 1111": "", "۴۱۱۱۱۱۱۱۱۱۱۱۱۱۱۱": "", "می\u200cآید": "می\u200cآید", "a\u202eb": "",
		"a\nb": "", "a\x00": "", "\xff": "", strings.Repeat("a", 101): "", strings.Repeat("a", 100): strings.Repeat("a", 100),
	} {
		t.Run(fmt.Sprintf("%q", text), func(t *testing.T) {
			if got := attribution.CampaignOf(http.Header{"X-Campaign-Name": {text}}); got.Campaign != want {
				t.Errorf("%q is called %q, want %q", text, got.Campaign, want)
			}
		})
	}
	first := attribution.Campaign(event.Attributed{Source: "a"})
	check.Equal(t, first.Or(attribution.Campaign{Source: "b"}), first, "the campaign after a later visit")
	got := (attribution.Campaign{}).Or(first)
	check.Equal(t, got, first)
	if (attribution.Campaign{}).Attributed() != nil {
		t.Errorf("(attribution.Campaign{}).Attributed() = %v, want nil", (attribution.Campaign{}).Attributed())
	}
	check.Equal(t, first.Attributed().Source, "a")
}

func TestDeviceOf(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, agent, surface, hint string
		want                       attribution.Device
	}{
		{name: "desktop browser", agent: "Mozilla/5.0 (X11; Linux x86_64)", want: attribution.Desktop},
		{name: "Android browser", agent: "Mozilla/5.0 (Linux; Android 14) Mobile", want: attribution.Mobile},
		{name: "iPhone browser", agent: "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0)", want: attribution.Mobile},
		{name: "hint of a mobile browser", agent: "Mozilla/5.0 (X11)", hint: "?1", want: attribution.Mobile},
		{name: "iOS app", agent: "Melmastoon/3 CFNetwork/1.0", surface: "mobile-consumer", want: attribution.IOS},
		{name: "Android app", agent: "Melmastoon/3 okhttp", surface: "mobile-consumer", want: attribution.Android},
		{name: "script that declares itself an app", agent: "python-requests/2.32", surface: "mobile-consumer", want: attribution.Other},
		{name: "app without a user agent", surface: "mobile-consumer", want: attribution.Other},
		{name: "Opera Mini on a Java phone", agent: "Opera/9.80 (J2ME/MIDP; Opera Mini/4.5) Presto/2.8", want: attribution.Mobile},
		{name: "Opera on a desktop", agent: "Opera/9.80 (Windows NT 6.1) Presto/2.12", want: attribution.Desktop},
		{name: "unknown agent", agent: "Wayfarer 1.0", want: attribution.Other},
		{name: "command-line client", agent: "curl/8", want: attribution.Other},
		{name: "headless browser", agent: "Mozilla/5.0 (X11; Linux x86_64) HeadlessChrome/140.0", want: attribution.Other},
		{name: "bot", agent: "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", want: attribution.Other},
		{name: "phone with bot in its name", agent: "Mozilla/5.0 (Linux; Android 14; CUBOT X70) Mobile", want: attribution.Mobile},
		{name: "no headers", want: attribution.Other},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := http.Header{"User-Agent": {test.agent}, "X-Client-Surface": {test.surface}, "Sec-Ch-Ua-Mobile": {test.hint}}
			check.Equal(t, attribution.DeviceOf(h), test.want)
		})
	}
}
