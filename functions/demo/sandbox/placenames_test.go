package sandbox_test

import (
	"testing"

	"melmastoon.ghasi.io/functions/demo/sandbox/internal/search"
	"melmastoon.ghasi.io/shared/testkit/check"
)

func TestPlace(t *testing.T) {
	t.Parallel()
	w := withAllHotels(t)
	box := func(swLat, swLng, neLat, neLng float64) search.Where {
		return search.Where{Mode: "bounding-box", Box: &search.Box{SwLat: swLat, SwLng: swLng, NeLat: neLat, NeLng: neLng}}
	}
	check.Got(w.owner.Exec(t.Context(), `
		INSERT INTO sandbox.cities (city_id, name, country, region, time_zone, latitude, longitude, city_keys, region_keys)
		SELECT 'pk-herat', 'Herat', 'PK', region, time_zone, 30, 70, ARRAY['herat'], ARRAY['pakistan'] FROM sandbox.cities WHERE city_id = 'af-herat'`)).Must(t)
	for _, test := range []struct {
		name  string
		where search.Where
		want  search.NamedPlace
	}{
		{"city", city("Kabul"), search.NamedPlace{City: "Kabul", Country: "AF"}},
		{"other_language", city("کابل"), search.NamedPlace{City: "Kabul", Country: "AF"}},
		{"two_countries", city("HERAT"), search.NamedPlace{City: "Herat"}},
		{"unknown", city("Zarghona"), search.NamedPlace{}},
		{"no_letters", city("!!"), search.NamedPlace{}},
		{"country", search.Where{Mode: "region", Region: "Afghanistan"}, search.NamedPlace{Country: "AF"}},
		{"unknown_region", search.Where{Mode: "region", Region: "Kabulistan"}, search.NamedPlace{}},
		{"map_of_a_city", box(34.4, 69.0, 34.7, 69.4), search.NamedPlace{City: "Kabul", Country: "AF"}},
		{"map_of_the_sea", box(-60, 170, -50, -170), search.NamedPlace{}},
		{"map_of_the_world", world, search.NamedPlace{}},
		{"point", search.Where{Mode: "point", Point: &search.Circle{Lat: 34.53, Lng: 69.17, RadiusKm: 5}}, search.NamedPlace{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := w.Place(t.Context(), test.where)
			check.Must(t, err)
			check.Equal(t, got, test.want)
		})
	}
}
