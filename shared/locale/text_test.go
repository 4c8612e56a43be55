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
		{"the very tag", Dari, "کابل گراند"},
		{"its language", Pashto, "کابل ګرانډ"},
		{"one that nobody has written", English, "Kabul Grand"},
		{"one whose text is empty", Arabic, "Kabul Grand"},
		{"a sibling's is not its own", Persian, "Kabul Grand"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := house.In(test.in); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
	if got := (Text{Default: "A bed"}).In(Pashto); got != "A bed" {
		t.Errorf("in no other language: %q", got)
	}
}
