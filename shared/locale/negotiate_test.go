package locale_test

import (
	"slices"
	"strings"
	"testing"

	"melmastoon.ghasi.io/shared/locale"
)

func TestNegotiate(t *testing.T) {
	t.Parallel()
	all := []locale.Tag{locale.English, locale.Pashto, locale.Dari, locale.Persian, locale.Urdu, locale.Arabic}
	kabul := []locale.Tag{locale.Pashto, locale.Dari, locale.English}
	for _, test := range []struct {
		name    string
		header  string
		offered []locale.Tag
		want    locale.Tag
	}{
		{"no header", "", all, "en"},
		{"nothing that is offered", "de, fr;q=0.9", kabul, "ps-AF"},
		{"nothing offered", "en", nil, ""},
		{"just so", "fa-AF", all, "fa-AF"},
		{"whatever the case", "FA-af", all, "fa-AF"},

		{"Dari as browsers ask for it", "prs", all, "fa-AF"},
		{"Dari as browsers ask for it, with its country", "prs-AF,prs;q=0.9,en;q=0.8", all, "fa-AF"},
		{"a word that only contains prs", "xprs, ur", all, "ur-PK"},
		{"Dari where only Iran's Persian is", "prs", []locale.Tag{"en", "fa-IR"}, "fa-IR"},

		{"a range is shortened from the end", "en-GB-oxendict", all, "en"},
		{"a range is shortened before the next is looked at", "en-GB, ps-AF;q=0.9", all, "en"},
		{"an extension asks for no other language", "fa-AF-u-nu-latn", all, "fa-AF"},
		{"a language finds its likely country", "fa", all, "fa-IR"},
		{"even if that is not the first", "fa", []locale.Tag{"en", "fa-AF", "fa-IR"}, "fa-IR"},
		{"a language finds the country there is", "fa", kabul, "fa-AF"},
		{"another country's language is better than none", "ar-EG, en;q=0.5", all, "ar-AE"},
		{"of equally near ones the first", "fa-TJ", []locale.Tag{"en", "fa-AF", "fa-IR"}, "fa-AF"},
		{"the same script is nearer than the same country", "uz-AF", []locale.Tag{"uz-UZ", "uz-Arab-AF"}, "uz-Arab-AF"},
		{"another script in the same country is farther than the same script elsewhere", "uz-AF", []locale.Tag{"uz-Latn-AF", "uz-Arab-UZ"}, "uz-Arab-UZ"},
		{"the likely script is nearer than the first", "uz", []locale.Tag{"uz-Arab-AF", "uz-KZ"}, "uz-KZ"},
		{"a language never stands in for another", "tg, da", []locale.Tag{"en", "fa-IR", "no"}, "en"},

		{"the heaviest wins", "en;q=0.7, ps;q=0.9, fa;q=0.8", all, "ps-AF"},
		{"of equals the first wins", "ur, ps", all, "ur-PK"},
		{"no weight is 1", "en;q=0.9, ps", all, "ps-AF"},
		{"three decimals count", "en;q=0.998, ps;q=0.999", all, "ps-AF"},
		{"spaces and capitals in a weight", "en ; Q=0.1 , ps ;q=0.2", all, "ps-AF"},

		{"zero refuses", "ps;q=0, de", kabul, "fa-AF"},
		{"zero refuses what a star would take", "ps-AF;q=0, *", kabul, "fa-AF"},
		{"zero refuses every country of a language", "fa;q=0, ps;q=0, *;q=0.1", all, "en"},
		{"what is refused is not shortened either", "en-GB;q=0, de", []locale.Tag{"ps-AF", "en"}, "ps-AF"},
		{"one country can be spared", "fa;q=0, fa-AF;q=0.2", all, "fa-AF"},
		{"one country can be refused", "fa, fa-IR;q=0", all, "fa-AF"},
		{"a star refuses all that is not named", "ur, *;q=0", []locale.Tag{"en", "ur-PK"}, "ur-PK"},
		{"all refused", "*;q=0", kabul, "ps-AF"},
		{"a star takes the first", "*", kabul, "ps-AF"},
		{"a star comes in its turn", "de, *;q=0.5, en;q=0.4", kabul, "ps-AF"},
		{"a star is not for what is named", "*;q=0.8, ps;q=0.1", kabul, "fa-AF"},
		{"a star that has nothing left", "*, ps;q=0.3, en;q=0.2", []locale.Tag{"en", "ps-AF"}, "ps-AF"},

		{"garbage costs the others nothing", "!!, en-, ;q=1, ,fa-AF;q=0.4", all, "fa-AF"},
		{"a weight that is none drops its range", "ps;q=x, ur;q=NaN, ar;q=2, fa;q=-1, en;q=0.1", kabul, "en"},
		{"a weight that is not even a number", "ur;q=NaN", all, "en"},
		{"a parameter that is no weight drops its range", "ps;level=1, en", kabul, "en"},
		{"a header line that is too long is cut", strings.Repeat("de,", 32) + "en", kabul, "ps-AF"},
		{"thousands of dashes are no work", strings.Repeat("a-", 1<<19), kabul, "ps-AF"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := locale.Negotiate(test.header, test.offered); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestNegotiate_offerUnchanged(t *testing.T) {
	t.Parallel()
	offered := []locale.Tag{"ps-AF", "fa-AF", "en"}
	if got := locale.Negotiate("ps;q=0, en", offered); got != "en" {
		t.Errorf("got %q, want en", got)
	}
	if want := []locale.Tag{"ps-AF", "fa-AF", "en"}; !slices.Equal(offered, want) {
		t.Errorf("the offer is now %v", offered)
	}
}

func FuzzNegotiate(f *testing.F) {
	for _, header := range []string{"", "prs, *;q=0", "fa-AF-u-nu-latn;q=0.3,en", "x-a;q=1;q=0", "\x00-\xff;q="} {
		f.Add(header)
	}
	offered := []locale.Tag{"ps-AF", "fa-AF", "en"}
	f.Fuzz(func(t *testing.T, header string) {
		if got := locale.Negotiate(header, offered); !slices.Contains(offered, got) {
			t.Errorf("%q chose %q, which is not offered", header, got)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, tag := range []string{"prs", "prs-Latn-IR", "en-x-pirate", "zh-cmn-hant", "i-klingon", "sh", "en-US-u-va-posix"} {
		f.Add(tag)
	}
	f.Fuzz(func(t *testing.T, s string) {
		tag, err := locale.Parse(s)
		if err != nil {
			return
		}
		if again, err := locale.Parse(string(tag)); again != tag || err != nil {
			t.Errorf("%q parses to %q, which parses to %q, %v: not canonical", s, tag, again, err)
		}
	})
}

func BenchmarkNegotiate(b *testing.B) {
	offered := []locale.Tag{locale.English, locale.Pashto, locale.Dari, locale.Persian, locale.Urdu, locale.Arabic}
	for b.Loop() {
		locale.Negotiate("prs-AF,prs;q=0.9,en-US;q=0.8,en;q=0.7", offered)
	}
}
