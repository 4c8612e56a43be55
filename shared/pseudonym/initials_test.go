package pseudonym_test

import (
	"testing"

	"melmastoon.ghasi.io/shared/pseudonym"
)

func TestInitials(t *testing.T) {
	t.Parallel()
	p := peppers(t, pepper("a"))
	for _, test := range []struct {
		name      string
		one, same []string
		equal     bool
	}{
		{"case", []string{"zarghona", "ahmadzai"}, []string{"Zahra", "Amini"}, true},
		{"composed", []string{"E\u0301mile", "Zola"}, []string{"\u00c9mile", "Zola"}, true},
		{"spaces", []string{" Zahra", "Amini"}, []string{"Zahra", " Amini"}, true},
		{"one_name", []string{"Zahra", ""}, []string{"Zahra", "Amini"}, false},
		{"order", []string{"Zahra", "Amini"}, []string{"Amini", "Zahra"}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := p.Hash(pseudonym.Initials(test.one...)) == p.Hash(pseudonym.Initials(test.same...))
			if got != test.equal {
				t.Errorf("%q and %q have equal initials: %t, want %t", test.one, test.same, got, test.equal)
			}
		})
	}
}
