package search

import (
	_ "embed"
	"fmt"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/shared/locale"
)

// An Amenity is a facility of a hotel: its code, which search filters use, and its name in the visitor's language. The label of
// an unknown code is the code.
type Amenity struct {
	Code  string `json:"code"`
	Label string `json:"label"`
}

//go:embed amenities.json
var amenityTexts []byte

// amenityLabels holds the names of amenities by code and language tag.
type amenityLabels map[string]map[string]string

func readAmenityLabels() (labels amenityLabels, err error) {
	if err = json.Unmarshal(amenityTexts, &labels); err != nil {
		return nil, fmt.Errorf("search: texts of amenities: %w", err)
	}
	return labels, nil
}

// show returns the amenities with these codes in one language, or in English if there is no text in it.
func (a amenityLabels) show(codes []string, l locale.Tag) []Amenity {
	shown := make([]Amenity, len(codes))
	for i, code := range codes {
		english := locale.Among(a[code], locale.English, code)
		shown[i] = Amenity{code, locale.Among(a[code], l, english)}
	}
	return shown
}
