package locale_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/testkit/check"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]locale.Tag{
		"ps-AF": "ps-AF", "fa": "fa", "en-GB": "en-GB",
		"FA-af": "fa-AF", "en_us": "en-US", "fa-Arab-AF": "fa-AF", "uz-latn-uz": "uz-Latn-UZ", "uz-arab-af": "uz-Arab-AF",
		"prs": "fa-AF", "PRS": "fa-AF", "prs-AF": "fa-AF", "prs-Arab-AF": "fa-AF", "prs-u-nu-latn": "fa-AF",
		"pes": "fa", "pes-IR": "fa-IR", "pbu": "ps", "arb": "ar", "iw": "he", "zh-cmn-hant": "zh-Hant",
		"fa-AF-u-nu-latn-ca-gregory": "fa-AF", "en-x-pirate": "en", "de-1996": "de",
		"": "", "*": "", "-": "", "und": "", "root": "", "x-private": "", "c": "", "english please": "", "fa-AF\n": "",
		"en-" + strings.Repeat("u-", 40) + "nu": "", "en-x-" + strings.Repeat("abcdefgh-", 8) + "a": "",
	} {
		t.Run(fmt.Sprintf("%q", in), func(t *testing.T) {
			got, err := locale.Parse(in)
			if got != want || (err == nil) != (want != "") {
				t.Errorf("%q: got %q, %v, want %q", in, got, err, want)
			}
			if err != nil && !errors.Is(err, locale.ErrForm) {
				t.Errorf("%q: got %v, want ErrForm, which repeats no input", in, err)
			}
		})
	}
}

func TestConstants_canonical(t *testing.T) {
	t.Parallel()
	for _, tag := range []locale.Tag{locale.Pashto, locale.Dari, locale.Persian, locale.Urdu, locale.Arabic, locale.English} {
		t.Run(string(tag), func(t *testing.T) { check.Got(locale.Parse(string(tag))).Want(t, tag) })
	}
}

func TestJSON(t *testing.T) {
	t.Parallel()
	type body struct {
		Locale locale.Tag `json:"locale"`
	}
	var b body
	if err := json.Unmarshal([]byte(`{"locale":"prs"}`), &b); err != nil || b.Locale != locale.Dari {
		t.Errorf("got %q, %v, want fa-AF", b.Locale, err)
	}
	check.Fails(t, json.Unmarshal([]byte(`{"locale":"nowhere-at-all"}`), &b), "an invalid tag: %q", b.Locale)
	if got, err := json.Marshal(body{locale.Dari}); err != nil || string(got) != `{"locale":"fa-AF"}` {
		t.Errorf("got %s, %v", got, err)
	}
}

// TestConventions compares with ICU 78 (CLDR 48). The names are those used in a language menu.
func TestConventions(t *testing.T) {
	t.Parallel()
	const ltr, rtl = locale.LeftToRight, locale.RightToLeft
	for _, want := range []locale.Conventions{
		{"ps-AF", "پښتو", rtl, "persian", "arabext", 6},
		{"fa-AF", "دری", rtl, "persian", "arabext", 6},
		{"fa-IR", "فارسی", rtl, "persian", "arabext", 6},
		{"ur-PK", "اردو", rtl, "gregory", "latn", 7},
		{"ar-AE", "العربية", rtl, "gregory", "latn", 1},
		{"en", "English", ltr, "gregory", "latn", 7},
		{"ps", "پښتو", rtl, "persian", "arabext", 6},
		{"fa", "فارسی", rtl, "persian", "arabext", 6},
		{"ur", "اردو", rtl, "gregory", "latn", 7},
		{"ar", "العربية", rtl, "gregory", "latn", 6},
		{"ps-PK", "پښتو", rtl, "gregory", "arabext", 7},
		{"en-GB", "English", ltr, "gregory", "latn", 1},
		{"he", "he", rtl, "gregory", "latn", 7},
		{"de", "de", ltr, "gregory", "latn", 1},
		{"dv-MV", "dv-MV", rtl, "gregory", "latn", 5},
		{"fa-Latn", "فارسی", ltr, "gregory", "latn", 6},
	} {
		t.Run(string(want.Tag), func(t *testing.T) {
			t.Parallel()
			check.Equal(t, want.Tag.Conventions(), want)
		})
	}
}
