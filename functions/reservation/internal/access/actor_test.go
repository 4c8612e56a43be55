package access

import (
	"strings"
	"testing"
)

func TestName_onEntry(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, text, want string
		rejected         bool
	}{
		{name: "id", text: "usr_desk", want: "usr_desk"},
		{name: "telephone", text: "desk \u202e+93700123456", want: "desk [number]"},
		{name: "e-mail", text: "z@example.com", want: "[email]"},
		{name: "hidden", text: "\u202e", rejected: true},
		{name: "long", text: strings.Repeat("x", 201), rejected: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var got Name
			if err := got.UnmarshalText([]byte(test.text)); (err != nil) != test.rejected {
				t.Errorf("UnmarshalText(%q) = %v, want an error: %t", test.text, err, test.rejected)
			}
			if string(got) != test.want {
				t.Errorf("decoded %q, want %q", got, test.want)
			}
		})
	}
}
