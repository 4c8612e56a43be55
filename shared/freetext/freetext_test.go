package freetext

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/shared/testkit/check"
)

func TestScrub(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, text, want string }{
		{"nothing", "", ""},
		{"plain text", "Flight EK 640 is late, 2 nights instead of 3.", "Flight EK 640 is late, 2 nights instead of 3."},
		{"persian", "می\u200cخواهم اتاق آرام", "می\u200cخواهم اتاق آرام"},
		{"pashto", "مهرباني وکړئ، یوه ارامه خونه", "مهرباني وکړئ، یوه ارامه خونه"},
		{"urdu with a joiner", "ایک پرسکون کمرہ\u200dچاہیے", "ایک پرسکون کمرہ\u200dچاہیے"},
		{"invalid UTF-8", "a\xffb", "a\ufffdb"},

		{"e-mail", "write to z.ahmadzai+1@example.co.uk, please", "write to [email], please"},
		{"e-mail before a full stop", "write to z@example.com. Thanks", "write to [email]. Thanks"},
		{"e-mail in brackets", "Zarghona <z@example.com>", "Zarghona <[email]>"},
		{"e-mail behind a label", "mailto:z@example.com", "mailto:[email]"},
		{"e-mail with a full-width at", "z＠example.com", "[email]"},
		{"e-mail with a small at", "z﹫example.com", "[email]"},
		{"e-mail in a URL", "https://x.example/?to=z%40example.com", "https:[email]"},
		{"e-mail escaped twice", "z%2540example.com", "[email]"},
		{"e-mail of another script", "نشانی: زرغونه@مثال.افغانستان، تشکر", "نشانی: [email]، تشکر"},
		{"e-mail with an IDN", "z@пример.рф", "[email]"},
		{"e-mail without a dot", "z@gmail", "[email]"},
		{"e-mail split by a joiner", "z@exa\u200cmple.com", "[email]"},
		{"e-mail split by a control character", "z@exa\u0007mple.com", "[email]"},
		{"two e-mails", "a@b.example,c@d.example", "[email],[email]"},
		{"a chain of ats", "a@b@c.example", "[email]"},
		{"a rate", "2 rooms @ 50 USD, 3@60", "2 rooms @ 50 USD, 3@60"},
		{"our id as an e-mail", "gst_01J0000000000000000000GST1@example.com", "[email]"},

		{"international phone", "call +93 (70) 012-3456 today", "call [number] today"},
		{"international phone with 00", "0093 70 012 3456", "[number]"},
		{"phone without a plus", "93700123456", "[number]"},
		{"local phone", "0700 123 456", "[number]"},
		{"local phone of a city", "020 230 1234", "[number]"},
		{"short local phone", "230 1234", "[number]"},
		{"phone with dots", "0700.123.456", "[number]"},
		{"phone with slashes", "0700/123/456", "[number]"},
		{"phone with a dash of another kind", "0700–123–456", "[number]"},
		{"phone behind a label", "tel:0700123456", "tel:[number]"},
		{"phone behind letters", "WhatsApp0700123456", "WhatsApp[number]"},
		{"phone in Persian digits", "به ۰۷۰۰ ۱۲۳ ۴۵۶ زنگ بزنید", "به [number] زنگ بزنید"},
		{"phone in Arabic digits", "٠٧٠٠١٢٣٤٥٦", "[number]"},
		{"phone in full-width digits", "＋９３７００１２３４５６", "[number]"},
		{"phone in digits of two scripts", "0700 ۱۲۳ ۴۵۶", "[number]"},
		{"phone split by joiners", "0700\u200c123\u200c456", "[number]"},
		{"phone split by control characters", "0700\u0007123\u202e456", "[number]"},
		{"phone split by direction marks", "0700\u200e123\u200f456", "[number]"},
		{"phone over two lines", "0700 123\n456", "[number]"},
		{"phone like a date in its middle", "+93-20-1300-12-31", "[number]"},
		{"phone like a date and more", "2026-12-01-555", "[number]"},
		{"phone before a currency", "+93700123456 AFN", "[number] AFN"},
		{"phone of a room", "room 204, 0700 123 456", "room 204, [number]"},
		{"two phones", "0700123456, 0799123456", "[number], [number]"},

		{"card", "card 4111 1111 1111 1111", "card [card]"},
		{"card with dashes", "4111-1111-1111-1111", "[card]"},
		{"card without spaces", "5555555555554444", "[card]"},
		{"card of fifteen digits", "3782 822463 10005", "[card]"},
		{"card of nineteen digits", "6304000000000000000", "[card]"},
		{"card in Persian digits", "۴۱۱۱ ۱۱۱۱ ۱۱۱۱ ۱۱۱۱", "[card]"},
		{"card in Arabic digits", "٤١١١١١١١١١١١١١١١", "[card]"},
		{"card in full-width digits", "４１１１１１１１１１１１１１１１", "[card]"},
		{"card with a mistyped digit", "4111 1111 1111 1112", "[number]"},
		{"card with its expiry", "4111 1111 1111 1111, 12/28", "[card], 12/28"},

		{"control characters", "a\x00b\x07c\x7fd\u0085e", "abcd e"},
		{"line ends", "one\r\ntwo\tthree\u2028four", "one  two three four"},
		{"bidi characters", "\u202eevil\u202c \u2066x\u2069\u200e\u200f\u061c", "evil x"},
		{"hidden characters", "a\u200bb\u00adc\ufeffd\U000e0041e", "abcde"},

		{"dates", "2026-12-01 2026-12-03", "2026-12-01 2026-12-03"},
		{"dates joined by a dash", "2026-12-01–2026-12-03", "2026-12-01–2026-12-03"},
		{"an interval", "2026-12-01/2026-12-03", "2026-12-01/2026-12-03"},
		{"dates day first", "01.12.2026 - 03.12.2026, 1/12/2026", "01.12.2026 - 03.12.2026, 1/12/2026"},
		{"a time", "2026-12-01T14:00:00.123Z", "2026-12-01T14:00:00.123Z"},
		{"a solar date", "تاریخ ۱۴۰۵/۰۹/۱۰", "تاریخ ۱۴۰۵/۰۹/۱۰"},
		{"a lunar date", "١٤٤٨/٠٦/٢١", "١٤٤٨/٠٦/٢١"},
		{"a date before a phone", "2026-12-01 0700123456", "2026-12-01 [number]"},
		{"amounts with separators", "12,500,000 IRR and 1,234.50", "12,500,000 IRR and 1,234.50"},
		{"amounts in Persian digits", "۱۲٬۵۰۰٬۰۰۰ ریال", "۱۲٬۵۰۰٬۰۰۰ ریال"},
		{"amounts with a currency", "12500000 IRR, AFN 1500000, 12.500.000 تومان, $1000000", "12500000 IRR, AFN 1500000, 12.500.000 تومان, $1000000"},
		{"an amount without a currency", "12500000", "[number]"},
		{"rooms", "rooms 101 102 103 104", "rooms 101 102 103 104"},
		{"rooms of the twelfth floor", "1201-1202-1203", "1201-1202-1203"},
		{"rooms in Persian digits", "اتاق ۱۰۱ ۱۰۲ ۱۰۳", "اتاق ۱۰۱ ۱۰۲ ۱۰۳"},
		{"groups like rooms", "700 123 456", "[number]"},
		{"hours", "14:00-15:30, 0930-1130", "14:00-15:30, [number]"},
		{"our ids", "gst_01J0000000000000000000GST1 tnt_session_01J00000000000000123456789", "gst_01J0000000000000000000GST1 tnt_session_01J00000000000000123456789"},
		{"a uuid", "550e8400-e29b-41d4-a716-446655440000", "550e8400-e29b-41d4-a716-446655440000"},
		{"a reservation code", "GM-12345678", "GM-12345678"},
		{"a flight and a visa", "EK640, visa 123456", "EK640, visa 123456"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			check.Equal(t, Scrub(test.text), test.want, "Scrub(%q)", test.text)
			if again := Scrub(test.want); again != test.want {
				t.Errorf("Scrub(%q) = %q, want no change", test.want, again)
			}
		})
	}
}

func TestReaches(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, text string
		want       bool
	}{
		{"a campaign", "spring-2026|kabul", false},
		{"an id of digits", "18273645523", false},
		{"a date", "20261120", false},
		{"a date day first", "spring-01-2026-11", false},
		{"an e-mail", "zahra@example.com", true},
		{"an escaped e-mail", "ZAHRA%2540EXAMPLE.COM", true},
		{"a phone", "+93-(70)-012.3456", true},
		{"an escaped phone", "%2B93700123456", true},
		{"a phone with 00", "call 0093700123456", true},
		{"a local phone", "0700 123 456", true},
		{"a phone in Persian digits", "+۹۳۷۰۰۱۲۳۴۵۶", true},
		{"a card", "4111-1111-1111-1111", true},
		{"a card in Arabic digits", "٤١١١١١١١١١١١١١١١", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			check.Equal(t, Reaches(test.text), test.want, "Reaches(%q)", test.text)
		})
	}
}

func TestText_onEntry(t *testing.T) {
	t.Parallel()
	var in struct {
		Text Text `json:"text"`
	}
	check.Must(t, json.Unmarshal([]byte(`{"text":"z@example.com \u202e+93700123456"}`), &in))
	if in.Text != "[email] [number]" {
		t.Errorf("decoded %q, want it scrubbed", in.Text)
	}
}

// FuzzScrub types contact data between two texts. The seeds also run as ordinary tests.
func FuzzScrub(f *testing.F) {
	for _, seed := range []string{
		"", "a@b@c", "[email]-@c", "۰۷۰۰", "2026-12-01", "+93-", "AFN 1500000", "12500000 IRR", "GM-12345678", "rooms 101 102 103", "\xff", "a\u202eb",
		"550e8400-e29b-41d4-a716-446655440000", "gst_01J0000000000000000000GST1", "1.2.2026/", "4111 1111 1111", "%40", "0\u200c0", "[number]",
	} {
		f.Add(seed, "end")
		f.Add("begin", seed)
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, before, after string) {
		got := Scrub(before + "; zahra@example.com; +93 70 012 3456; 4111 1111 1111 1111; " + after)
		for _, data := range []string{"zahra@", "@example.com", "70 012 3456", "4111 1111 1111 1111"} {
			if strings.Contains(got, data) && !strings.Contains(before+after, data) {
				t.Errorf("Scrub of %q and %q keeps %q: %q", before, after, data, got)
			}
		}
		if again := Scrub(got); again != got {
			t.Errorf("Scrub(%q) = %q, want no change", got, again)
		}
		hidden := func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }
		if !utf8.ValidString(got) || strings.ContainsFunc(got, hidden) {
			t.Errorf("Scrub of %q and %q = %q, want shown characters only", before, after, got)
		}
	})
}
