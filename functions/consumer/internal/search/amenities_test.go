package search

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"melmastoon.ghasi.io/shared/locale"
)

// sixLanguages are those of the site.
var sixLanguages = []locale.Tag{locale.English, locale.Pashto, locale.Dari, locale.Persian, locale.Urdu, locale.Arabic}

func TestAmenityLabels_sixLanguages(t *testing.T) {
	t.Parallel()
	labels, err := readAmenityLabels()
	if err != nil {
		t.Fatal(err)
	}
	if len(labels) < 24 {
		t.Errorf("len(labels) = %d, want 24 or more", len(labels))
	}
	for code, texts := range labels {
		if !isWord(code) {
			t.Errorf("%q is no code", code)
		}
		if len(texts) != len(sixLanguages) {
			t.Errorf("%s: texts in %v, want six languages", code, slices.Sorted(maps.Keys(texts)))
		}
		for _, l := range sixLanguages {
			text := texts[string(l)]
			if strings.TrimSpace(text) != text || text == "" {
				t.Errorf("%s in %s: %q", code, l, text)
			}
			if latin := strings.ContainsAny(text, "abcdefghijklmnopqrstuvwxyz"); latin != (l == locale.English) {
				t.Errorf("%s in %s: %q is in another script", code, l, text)
			}
		}
	}
}

func TestAmenityLabels_show(t *testing.T) {
	t.Parallel()
	labels, err := readAmenityLabels()
	if err != nil {
		t.Fatal(err)
	}
	for tag, want := range map[locale.Tag]string{locale.Pashto: "د لامبو حوض", locale.Dari: "حوض آب‌بازی", locale.Persian: "استخر",
		locale.Urdu: "سوئمنگ پول", locale.Arabic: "مسبح", locale.English: "Swimming pool", "de": "Swimming pool"} {
		t.Run(fmt.Sprint(tag), func(t *testing.T) {
			got := labels.show([]string{"pool", "moon-view"}, tag)
			if !slices.Equal(got, []Amenity{{"pool", want}, {"moon-view", "moon-view"}}) {
				t.Errorf("show() in %s = %+v, want the label %q and the unknown code", tag, got, want)
			}
		})
	}
	if got := labels.show(nil, locale.English); got == nil || len(got) != 0 {
		t.Errorf("show(nil) = %#v, want an empty list", got)
	}
}
