package booking

import (
	"strings"
	"testing"
)

func TestReference_onEntry(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, text, want string
		rejected         bool
	}{
		{name: "words", text: "partner-7", want: "partner-7"},
		{name: "long number", text: "18273645523", want: "18273645523"},
		{name: "year and number", text: "F-2026-1234567", want: "F-2026-1234567"},
		{name: "our own id", text: "fol_01M7W0C5D7A9C1E3G5J7M9P2R4", want: "fol_01M7W0C5D7A9C1E3G5J7M9P2R4"},
		{name: "telephone", text: "+93700123456", want: "[number]"},
		{name: "local telephone", text: "0700 123 456", want: "[number]"},
		{name: "card", text: "4111111111111111", want: "[card]"},
		{name: "e-mail", text: "z@example.com", want: "[email]"},
		{name: "hidden characters", text: "F-\u202e1234567", want: "F-[number]"},
		{name: "only hidden characters", text: "\u202e", rejected: true},
		{name: "too long", text: strings.Repeat("x", 201), rejected: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var got Reference
			if err := got.UnmarshalText([]byte(test.text)); (err != nil) != test.rejected {
				t.Errorf("UnmarshalText(%q) = %v, want an error: %t", test.text, err, test.rejected)
			}
			if string(got) != test.want {
				t.Errorf("decoded %q, want %q", got, test.want)
			}
		})
	}
}
