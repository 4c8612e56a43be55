package storefront

import (
	_ "embed"
	"fmt"
	"html/template"
	"strings"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/functions/demo/internal/picture"
)

//go:embed pages/places.json
var placeNames []byte

// readPlaces returns the names of towns and neighbourhoods by their English name, and then by language. The booking service has addresses
// in English only.
func readPlaces() (places map[string]map[string]string, err error) {
	if err = json.Unmarshal(placeNames, &places); err != nil {
		return nil, fmt.Errorf("storefront: places: %w", err)
	}
	return places, nil
}

// AddressOf returns a property's address with the names of places in the guest's language, as far as they are known.
func (v View) AddressOf(p *Property) string {
	parts, comma, language := strings.Split(p.Address, ", "), ", ", v.Localizer.Tag.Language()
	for i, part := range parts {
		if name := v.site.places[part][language]; name != "" {
			parts[i], comma = name, "، "
		}
	}
	return strings.Join(parts, comma)
}

// House returns the property whose rooms the page is about, or nil.
func (v View) House() *Property {
	for i, p := range v.Bootstrap.Properties {
		if p.ID.String() == v.Search.Property {
			return &v.Bootstrap.Properties[i]
		}
	}
	return nil
}

// Pictures returns the house's terrace and court, the same as on the site of all hotels. Its first picture there depends on the type and the
// stars, which the booking service does not have.
func (p Property) Pictures() []template.URL {
	h := picture.House{ID: p.ID, City: p.City}
	return []template.URL{template.URL(h.Draw(1)), template.URL(h.Draw(2))} //nolint:gosec // data URLs
}
