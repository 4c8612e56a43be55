package guests

import (
	"fmt"
	"testing"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/shared/locale"
)

func TestPerson_canonicalLocale(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]locale.Tag{"fa-AF": locale.Dari, "prs": locale.Dari, "fa-AF-u-nu-latn": locale.Dari, "PS-af": locale.Pashto,
		"en_US": "en-US", "": "", "x-mine": "", "not a tag": ""} {
		t.Run(fmt.Sprintf("%q", text), func(t *testing.T) {
			var p Person
			if err := json.Unmarshal([]byte(`{"locale":"`+text+`"}`), &p); p.Locale != want || (err == nil) != (want != "") {
				t.Errorf("%q: got %q, %v; want %q", text, p.Locale, err, want)
			}
		})
	}
}
