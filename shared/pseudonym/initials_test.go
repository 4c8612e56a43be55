package pseudonym_test

import (
	"testing"

	"melmastoon.ghasi.io/shared/pseudonym"
	"melmastoon.ghasi.io/shared/testkit/check"
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
			check.Equal(t, got, test.equal, "%q and %q have equal initials", test.one, test.same)
		})
	}
}
