package booking

import (
	"testing"

	"github.com/go-json-experiment/json"
)

func TestScrub(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, text, want string }{
		{"plain text", "Flight EK 640 is late, 2 nights instead of 3.", "Flight EK 640 is late, 2 nights instead of 3."},
		{"letters with joiners", "می\u200cخواهم اتاق آرام", "می\u200cخواهم اتاق آرام"},
		{"e-mail", "write to z.ahmadzai+1@example.co.uk, please", "write to [email], please"},
		{"e-mail in brackets", "Zarghona <z@example.com>", "Zarghona <[email]>"},
		{"e-mail with a full-width at", "z＠example.com", "[email]"},
		{"international phone", "call +93 (70) 012-3456 today", "call [number] today"},
		{"phone without a plus", "93700123456", "[number]"},
		{"phone behind a label", "tel:0700123456", "tel:[number]"},
		{"phone behind letters", "WhatsApp0700123456", "WhatsApp[number]"},
		{"phone in Persian digits", "به ۰۷۰۰ ۱۲۳ ۴۵۶ زنگ بزنید", "به [number] زنگ بزنید"},
		{"phone split by joiners", "0700\u200c123\u200c456", "[number]"},
		{"phone split by control characters", "0700\u0007123\u202e456", "[number]"},
		{"card", "card 4111 1111 1111 1111", "card [number]"},
		{"card with dashes", "4111-1111-1111-1111", "[number]"},
		{"control characters", "a\x00b\x07c\x7fd\u0085e", "abcd e"},
		{"line ends", "one\r\ntwo\tthree\u2028four", "one  two three four"},
		{"bidi characters", "\u202eevil\u202c \u2066x\u2069\u200e\u200f\u061c", "evil x"},
		{"dates", "2026-12-01 2026-12-03", "2026-12-01 2026-12-03"},
		{"amounts with separators", "12,500,000 IRR", "12,500,000 IRR"},
		{"our ids", "gst_01J0000000000000000000GST1 tnt_session_01J00000000000000123456789", "gst_01J0000000000000000000GST1 tnt_session_01J00000000000000123456789"},
		{"a uuid", "550e8400-e29b-41d4-a716-446655440000", "550e8400-e29b-41d4-a716-446655440000"},
		{"a reservation code", "GM-12345678", "GM-12345678"},
		{"an id as an e-mail", "gst_01J0000000000000000000GST1@example.com", "[email]"},
		{"nothing", "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := Scrub(test.text); got != test.want {
				t.Errorf("Scrub(%q) = %q, want %q", test.text, got, test.want)
			}
			if again := Scrub(test.want); again != test.want {
				t.Errorf("Scrub(%q) = %q, want no change", test.want, again)
			}
		})
	}
}

func TestScrub_onEntry(t *testing.T) {
	t.Parallel()
	var in struct {
		Text Text `json:"text"`
		Name Name `json:"name"`
	}
	if err := json.Unmarshal([]byte(`{"text":"z@example.com","name":"desk \u202e+93700123456"}`), &in); err != nil {
		t.Fatal(err)
	}
	if in.Text != "[email]" || in.Name != "desk [number]" {
		t.Errorf("decoded %q and %q, want them scrubbed", in.Text, in.Name)
	}
	if err := json.Unmarshal([]byte(`{"name":"\u202e"}`), &in); err == nil {
		t.Errorf("a name without a displayed character is accepted as %q", in.Name)
	}
}
