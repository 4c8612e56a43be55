package search

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// sixLanguages are those of the site.
var sixLanguages = []locale.Tag{locale.English, locale.Pashto, locale.Dari, locale.Persian, locale.Urdu, locale.Arabic}

func TestAmenityLabels_sixLanguages(t *testing.T) {
	t.Parallel()
	labels, err := readAmenityLabels()
	check.Must(t, err)
	if len(labels) < 24 {
		t.Errorf("len(labels) = %d, want 24 or more", len(labels))
	}
	for code, texts := range labels {
		check.Equal(t, isWord(code), true, "%q is no code", code)
		check.Equal(t, len(texts), len(sixLanguages), "%s: texts in %v", code, slices.Sorted(maps.Keys(texts)))
		for _, l := range sixLanguages {
			text := texts[string(l)]
			if strings.TrimSpace(text) != text || text == "" {
				t.Errorf("%s in %s: %q", code, l, text)
			}
			check.Equal(t, strings.ContainsAny(text, "abcdefghijklmnopqrstuvwxyz"), l == locale.English, "%s in %s: %q is in another script", code, l, text)
		}
	}
}

func TestAmenityLabels_show(t *testing.T) {
	t.Parallel()
	labels, err := readAmenityLabels()
	check.Must(t, err)
	for tag, want := range map[locale.Tag]string{locale.Pashto: "د لامبو حوض", locale.Dari: "حوض آب‌بازی", locale.Persian: "استخر",
		locale.Urdu: "سوئمنگ پول", locale.Arabic: "مسبح", locale.English: "Swimming pool", "de": "Swimming pool"} {
		t.Run(fmt.Sprint(tag), func(t *testing.T) {
			got := labels.show([]string{"pool", "moon-view"}, tag)
			check.Equal(t, got, []Amenity{{"pool", want}, {"moon-view", "moon-view"}}, "show() in %s", tag)
		})
	}
	if got := labels.show(nil, locale.English); got == nil || len(got) != 0 {
		t.Errorf("show(nil) = %#v, want an empty list", got)
	}
}
