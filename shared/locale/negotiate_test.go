package locale_test

import (
	"slices"
	"strings"
	"testing"

	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/testkit/check"
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
		{"no offered language", "de, fr;q=0.9", kabul, "ps-AF"},
		{"no languages offered", "en", nil, ""},
		{"exact tag", "fa-AF", all, "fa-AF"},
		{"other case", "FA-af", all, "fa-AF"},

		{"Dari as prs", "prs", all, "fa-AF"},
		{"Dari as prs-AF", "prs-AF,prs;q=0.9,en;q=0.8", all, "fa-AF"},
		{"a subtag that contains prs", "xprs, ur", all, "ur-PK"},
		{"Dari, only Persian of Iran offered", "prs", []locale.Tag{"en", "fa-IR"}, "fa-IR"},

		{"range with a region and a variant", "en-GB-oxendict", all, "en"},
		{"shortened range before the next range", "en-GB, ps-AF;q=0.9", all, "en"},
		{"extension", "fa-AF-u-nu-latn", all, "fa-AF"},
		{"language without a country", "fa", all, "fa-IR"},
		{"language without a country, likely country last", "fa", []locale.Tag{"en", "fa-AF", "fa-IR"}, "fa-IR"},
		{"language without a country, another country offered", "fa", kabul, "fa-AF"},
		{"language of another country", "ar-EG, en;q=0.5", all, "ar-AE"},
		{"two equally near tags", "fa-TJ", []locale.Tag{"en", "fa-AF", "fa-IR"}, "fa-AF"},
		{"same script in another country", "uz-AF", []locale.Tag{"uz-UZ", "uz-Arab-AF"}, "uz-Arab-AF"},
		{"another script in the same country", "uz-AF", []locale.Tag{"uz-Latn-AF", "uz-Arab-UZ"}, "uz-Arab-UZ"},
		{"language without a script", "uz", []locale.Tag{"uz-Arab-AF", "uz-KZ"}, "uz-KZ"},
		{"related language", "tg, da", []locale.Tag{"en", "fa-IR", "no"}, "en"},

		{"weights", "en;q=0.7, ps;q=0.9, fa;q=0.8", all, "ps-AF"},
		{"equal weights", "ur, ps", all, "ur-PK"},
		{"no weight", "en;q=0.9, ps", all, "ps-AF"},
		{"three decimals", "en;q=0.998, ps;q=0.999", all, "ps-AF"},
		{"spaces and capitals in a weight", "en ; Q=0.1 , ps ;q=0.2", all, "ps-AF"},

		{"weight 0", "ps;q=0, de", kabul, "fa-AF"},
		{"weight 0 and a wildcard", "ps-AF;q=0, *", kabul, "fa-AF"},
		{"weight 0 for every country of a language", "fa;q=0, ps;q=0, *;q=0.1", all, "en"},
		{"weight 0 for a country", "en-GB;q=0, de", []locale.Tag{"ps-AF", "en"}, "ps-AF"},
		{"weight 0 except for one country", "fa;q=0, fa-AF;q=0.2", all, "fa-AF"},
		{"weight 0 for one country", "fa, fa-IR;q=0", all, "fa-AF"},
		{"wildcard with weight 0", "ur, *;q=0", []locale.Tag{"en", "ur-PK"}, "ur-PK"},
		{"only a wildcard with weight 0", "*;q=0", kabul, "ps-AF"},
		{"wildcard", "*", kabul, "ps-AF"},
		{"wildcard between other ranges", "de, *;q=0.5, en;q=0.4", kabul, "ps-AF"},
		{"wildcard before a named language", "*;q=0.8, ps;q=0.1", kabul, "fa-AF"},
		{"wildcard, all languages named", "*, ps;q=0.3, en;q=0.2", []locale.Tag{"en", "ps-AF"}, "ps-AF"},

		{"invalid ranges", "!!, en-, ;q=1, ,fa-AF;q=0.4", all, "fa-AF"},
		{"invalid weights", "ps;q=x, ur;q=NaN, ar;q=2, fa;q=-1, en;q=0.1", kabul, "en"},
		{"NaN as weight", "ur;q=NaN", all, "en"},
		{"another parameter", "ps;level=1, en", kabul, "en"},
		{"header too long", strings.Repeat("de,", 32) + "en", kabul, "ps-AF"},
		{"thousands of dashes are no work", strings.Repeat("a-", 1<<19), kabul, "ps-AF"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			check.Equal(t, locale.Negotiate(test.header, test.offered), test.want)
		})
	}
}

func TestNegotiate_offerUnchanged(t *testing.T) {
	t.Parallel()
	offered := []locale.Tag{"ps-AF", "fa-AF", "en"}
	check.Equal(t, locale.Negotiate("ps;q=0, en", offered), "en")
	check.Equal(t, offered, []locale.Tag{"ps-AF", "fa-AF", "en"}, "the offer")
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
