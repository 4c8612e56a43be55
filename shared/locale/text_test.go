package locale

import (
	"testing"

	"melmastoon.ghasi.io/shared/testkit/check"
)

func TestText_nearestLanguage(t *testing.T) {
	t.Parallel()
	house := Text{"Kabul Grand", map[string]string{"ps": "کابل ګرانډ", "fa-AF": "کابل گراند", "fa": "", "ar": ""}}
	for _, test := range []struct {
		name string
		in   Tag
		want string
	}{
		{"exact tag", Dari, "کابل گراند"},
		{"same language", Pashto, "کابل ګرانډ"},
		{"no translation", English, "Kabul Grand"},
		{"empty text", Arabic, "Kabul Grand"},
		{"another variant of the language", Persian, "Kabul Grand"},
	} {
		t.Run(test.name, func(t *testing.T) { check.Equal(t, house.In(test.in), test.want) })
	}
	check.Equal(t, (Text{Default: "A bed"}).In(Pashto), "A bed", "text in another language")
}
