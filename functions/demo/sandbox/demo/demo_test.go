package demo_test

import (
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// drawn is the number of generated hotels in tests.
const drawn = 60

func hotels(t *testing.T) (named int, all []demo.Hotel) {
	t.Helper()
	named, err := demo.Named()
	if err != nil {
		t.Fatal(err)
	}
	if all, err = demo.Hotels(named + drawn); err != nil {
		t.Fatal(err)
	}
	return named, all
}

func TestFurnish_again(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	owner := db.Owner(t)
	count := func(sql string) (n int) {
		t.Helper()
		if err := owner.QueryRow(t.Context(), sql).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	load := func(hotels int) {
		t.Helper()
		if err := demo.Furnish(t.Context(), db.Env(), hotels); err != nil {
			t.Fatal(err)
		}
	}
	const nights = `SELECT count(*) FROM sandbox.inventory_nights`
	load(2)
	if _, err := owner.Exec(t.Context(), `UPDATE sandbox.tenants SET brand_name = 'Renamed'`); err != nil {
		t.Fatal(err)
	}
	load(2)
	if got := count(nights); got != 5*401 {
		t.Errorf("%d nights, want 401 of each of 5 room types", got)
	}
	if got := count(`SELECT count(*) FROM sandbox.tenants WHERE brand_name = 'Renamed'`); got != 2 {
		t.Errorf("%d of 2 tenants kept their new name", got)
	}
	db.Advance(3 * 24 * time.Hour)
	load(3)
	rooms := count(`SELECT count(*) FROM sandbox.room_types`)
	if got := count(nights); got != 5*404+(rooms-5)*401 {
		t.Errorf("three days later %d nights, want 404 of each old room type and 401 of each new one", got)
	}
	if got := count(`SELECT count(*) FROM sandbox.listing_rooms WHERE open_until - open_from = 400`); got != rooms {
		t.Errorf("search knows of %d room types that are on sale for 400 nights, want all %d", got, rooms)
	}
	if got := count(`SELECT count(*) FROM sandbox.outbox`); got != 0 {
		t.Errorf("got %d events, want none", got)
	}
}

func TestHotels_complete(t *testing.T) {
	t.Parallel()
	named, all := hotels(t)
	if named < 40 {
		t.Errorf("%d hotels were thought up, want 40 and more", named)
	}
	ids, cities, currencies := map[string]string{}, map[string]int{}, map[string]int{}
	for _, h := range all {
		for what, id := range map[string]string{"slug": h.Slug, "tenant": h.Tenant.String(), "property": h.Property.String(), "domain": h.Domain,
			"theme": h.Theme.ID.String(), "look": h.Theme.Published.String()} {
			t.Run(what, func(t *testing.T) {
				other := ids[id]
				if id == "" {
					t.Errorf("%s: %s is empty", h.Slug, what)
				}
				if other != "" {
					t.Errorf("%s: its %s is also that of %s", h.Slug, what, other)
				}
				ids[id] = h.Slug
			})
		}
		if err := h.Theme.Tokens.Validate(); err != nil {
			t.Errorf("%s: %v", h.Slug, err)
		}
		_, err := time.LoadLocation(h.TimeZone)
		if err != nil {
			t.Fatalf("%s: %v", h.Slug, err)
		}
		if h.City == "" {
			t.Errorf("%s: h.City is empty", h.Slug)
		}
		if h.CityID == "" {
			t.Errorf("%s: h.CityID is empty", h.Slug)
		}
		if h.Tagline == "" {
			t.Errorf("%s: h.Tagline is empty", h.Slug)
		}
		if h.Stars < 1 {
			t.Errorf("%s: h.Stars = %d, want at least 1", h.Slug, h.Stars)
		}
		if h.Stars > 5 {
			t.Errorf("%s: h.Stars = %d, want at most 5", h.Slug, h.Stars)
		}
		if len(h.Amenities) == 0 {
			t.Errorf("%s: len(h.Amenities) = %d, want more than 0", h.Slug, len(h.Amenities))
		}
		cities[h.CityID]++
		currencies[string(h.Currency)]++
		rooms(t, h, ids)
	}
	for city, least := range map[string]int{"af-kabul": 6, "af-herat": 1, "af-mazar": 1, "af-kandahar": 1, "af-bamyan": 1, "af-jalalabad": 1, "af-kunduz": 1, "af-ghazni": 1,
		"pk-peshawar": 1, "pk-islamabad": 1, "pk-lahore": 1, "pk-karachi": 1, "pk-quetta": 1, "ir-mashhad": 1, "ir-tehran": 1, "ir-isfahan": 1, "ir-shiraz": 1,
		"ae-dubai": 1, "ae-sharjah": 1, "ae-abudhabi": 1} {
		t.Run(city, func(t *testing.T) {
			if cities[city] < least {
				t.Errorf("%d hotels in %s, want %d", cities[city], city, least)
			}
		})
	}
	for _, c := range []string{"AFN", "USD", "PKR", "IRR", "AED", "EUR"} {
		t.Run(c, func(t *testing.T) {
			if currencies[c] == 0 {
				t.Errorf("no hotel has currency %s", c)
			}
		})
	}
}

func rooms(t *testing.T, h demo.Hotel, ids map[string]string) {
	t.Helper()
	if len(h.Rooms) < 2 {
		t.Errorf("%s has %d room types", h.Slug, len(h.Rooms))
	}
	for _, r := range h.Rooms {
		if r.Name == "" {
			t.Errorf("%s: r.Name is empty", h.Slug)
		}
		if r.Description == "" {
			t.Errorf("%s: r.Description is empty", h.Slug)
		}
		if r.Texts["ps-AF"].Name == "" {
			t.Errorf(`%s: r.Texts["ps-AF"].Name is empty`, h.Slug)
		}
		if r.Texts["fa-AF"].Description == "" {
			t.Errorf(`%s: r.Texts["fa-AF"].Description is empty`, h.Slug)
		}
		if r.Sleeps < 1 {
			t.Errorf("%s: r.Sleeps = %d, want at least 1", h.Slug, r.Sleeps)
		}
		if r.Units < 1 {
			t.Errorf("%s: r.Units = %d, want at least 1", h.Slug, r.Units)
		}
		for _, p := range []demo.Plan{r.Flexible, r.Saver} {
			t.Run(h.Slug+", "+r.Name+", "+p.Name, func(t *testing.T) {
				if p.Quiet <= 0 {
					t.Errorf("p.Quiet = %d, want more than 0", p.Quiet)
				}
				if p.Busy < p.Quiet {
					t.Errorf("p.Busy = %d, want at least %d", p.Busy, p.Quiet)
				}
				if ids[p.ID.String()] != "" {
					t.Errorf(`ids[p.ID.String()] = %q, want ""`, ids[p.ID.String()])
				}
				ids[p.ID.String()] = h.Slug
			})
		}
		if s, f := r.Saver.Policy, r.Flexible.Policy; s.FreeUntilHoursBefore <= f.FreeUntilHoursBefore || s.PenaltyPercent < f.PenaltyPercent {
			t.Errorf("%s, %s: the cheaper rate is the kinder one: %+v, %+v", h.Slug, r.Name, s, f)
		}
		if r.Saver.Quiet >= r.Flexible.Quiet {
			t.Errorf("%s, %s: r.Saver.Quiet = %d, want less than %d", h.Slug, r.Name, r.Saver.Quiet, r.Flexible.Quiet)
		}
	}
}

func TestHotels_names(t *testing.T) {
	t.Parallel()
	_, all := hotels(t)
	for _, h := range all[2:] { // the first two are the example hotels
		for _, tag := range []locale.Tag{locale.English, locale.Pashto, locale.Dari, locale.Persian, locale.Urdu, locale.Arabic} {
			t.Run(h.Slug+" in "+string(tag), func(t *testing.T) {
				name, text := h.Name.Localized[string(tag)], h.Rooms[0].Texts[string(tag)]
				if name == "" {
					t.Error("name is empty")
				}
				if strings.ContainsAny(name, "{}") {
					t.Errorf("name = %q, want it without braces", name)
				}
				if text.Name == "" {
					t.Error("text.Name is empty")
				}
				if text.Description == "" {
					t.Error("text.Description is empty")
				}
				if latin := strings.ContainsAny(strings.ToLower(name+text.Name), "abcdefghijklmnopqrstuvwxyz"); latin != (tag == locale.English) {
					t.Errorf("name = %q, want Latin letters: %t", name, tag == locale.English)
				}
			})
		}
	}
}

// Latitude and longitude are easily swapped: each hotel must be near another one of its city.
func TestHotels_positions(t *testing.T) {
	t.Parallel()
	_, all := hotels(t)
	first := map[string]standin.Geo{}
	for _, h := range all {
		at, known := first[h.CityID]
		if !known {
			first[h.CityID] = h.Geo
			at = h.Geo
		}
		if math.Abs(at.Lat-h.Geo.Lat) > 0.3 {
			t.Errorf("math.Abs(at.Lat - h.Geo.Lat) = %v, want at most 0.3", math.Abs(at.Lat-h.Geo.Lat))
		}
		if math.Abs(at.Lng-h.Geo.Lng) > 0.3 {
			t.Errorf("math.Abs(at.Lng - h.Geo.Lng) = %v, want at most 0.3", math.Abs(at.Lng-h.Geo.Lng))
		}
		if h.Geo.Lat < 24 {
			t.Errorf("h.Geo.Lat = %v, want at least 24", h.Geo.Lat)
		}
		if h.Geo.Lat > 39 {
			t.Errorf("h.Geo.Lat = %v, want at most 39", h.Geo.Lat)
		}
		if h.Geo.Lng < 46 {
			t.Errorf("h.Geo.Lng = %v, want at least 46", h.Geo.Lng)
		}
		if h.Geo.Lng > 75 {
			t.Errorf("h.Geo.Lng = %v, want at most 75", h.Geo.Lng)
		}
	}
}

func TestHotels_deterministic(t *testing.T) {
	t.Parallel()
	named, all := hotels(t)
	fewer, err := demo.Hotels(named + drawn/2)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(all[:len(fewer)], fewer) {
		t.Error("a hotel depends on how many others there are")
	}
	if got, want := all[named+7].Tenant.String(), tenantDrawn; got != want {
		t.Errorf("the same number is now %s, want %s: bookmarks of examples break", got, want)
	}
}

// tenantDrawn pins a generated hotel: a change of the generator changes every hotel's id.
const tenantDrawn = "tnt_01J8DEM000A416FSMJ5YFR9Q7A"
