package locale

import "testing"

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
		t.Run(test.name, func(t *testing.T) {
			if got := house.In(test.in); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
	if got := (Text{Default: "A bed"}).In(Pashto); got != "A bed" {
		t.Errorf("in no other language: %q", got)
	}
}
