package sandbox_test

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/uber/h3-go/v4"

	"melmastoon.ghasi.io/functions/demo/sandbox/clickrecorded"
	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/directory"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/inventory"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/pricing"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/search"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/stay"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// manyHotels is the sandbox with many hotels.
type manyHotels struct {
	books
	search.Listings
	hotels []demo.Hotel
}

// withAllHotels returns all handwritten hotels.
func withAllHotels(t *testing.T) manyHotels {
	t.Helper()
	n, err := demo.Named()
	check.Must(t, err)
	return settle(t, n)
}

// withKabulHotels returns the hotels of Kabul and two of Herat.
func withKabulHotels(t *testing.T) manyHotels {
	t.Helper()
	return settle(t, 10)
}

func settle(t *testing.T, n int) manyHotels {
	t.Helper()
	b := open(t)
	check.Must(t, demo.Furnish(t.Context(), b.env, n))
	hotels, err := demo.Hotels(n)
	check.Must(t, err)
	return manyHotels{b, search.OpenListings(b.env), hotels}
}

// query returns a search for two adults for three nights.
func (w manyHotels) query(where search.Where) search.Query {
	return search.Query{Where: where, Dates: search.Dates{CheckIn: w.today.AddDays(20), CheckOut: w.today.AddDays(23)},
		Party: search.Travellers{Adults: 2, Rooms: 1}}
}

func city(name string) search.Where { return search.Where{Mode: "city", City: name} }

var world = search.Where{Mode: "bounding-box", Box: &search.Box{SwLat: -90, SwLng: -180, NeLat: 90, NeLng: 180}}

// found returns all hotels that match a query, over all pages, in order. It checks that every page has the same total.
func (w manyHotels) found(t *testing.T, q search.Query, s search.Sort) (all []search.Listing) {
	t.Helper()
	const limit = 7
	for offset := 0; ; offset += limit {
		page, total, err := w.Search(t.Context(), q, search.Slice{Sort: s, Limit: limit, Offset: offset})
		check.Must(t, err)
		all = append(all, page...)
		if len(page) < limit {
			check.Equal(t, total, len(all), "%s: hotels on all pages", s)
			return all
		}
	}
}

func names(all []search.Listing) (names []string) {
	for _, l := range all {
		names = append(names, l.TenantSlug)
	}
	return names
}

func TestSearch_placeNames(t *testing.T) {
	t.Parallel()
	w := withAllHotels(t)
	in := func(city string) (n int) {
		for _, h := range w.hotels {
			if h.CityID == city || h.Country == city {
				n++
			}
		}
		return n
	}
	for place, want := range map[string]int{"Kabul": in("af-kabul"), " KABUL": in("af-kabul"), "کابل": in("af-kabul"), "كابل": in("af-kabul"), "كابول": in("af-kabul"),
		"Mazar-i-Sharif": in("af-mazar"), "mazar e sharif": in("af-mazar"), "مزارشریف": in("af-mazar"), "مزار شریف": in("af-mazar"),
		"پېښور": in("pk-peshawar"), "پشاور": in("pk-peshawar"), "Qandahār": in("af-kandahar"), "ابوظہبی": in("ae-abudhabi"),
		"Paris": 0, "Kab": 0, "%": 0, "' OR true --": 0} {
		t.Run(place, func(t *testing.T) {
			got := w.found(t, w.query(city(place)), search.Recommended)
			check.MustEqual(t, len(got), want)
			if want > 0 && !strings.EqualFold(got[0].City, got[len(got)-1].City) {
				t.Errorf("%d hotels, want %d", len(got), want)
			}
		})
	}
	for place, want := range map[string]int{"Afghanistan": in("AF"), "افغانستان": in("AF"), "af": in("AF"), "ایران": in("IR"), "Balkh": in("af-mazar"),
		"خیبر پختونخوا": in("pk-peshawar") + in("pk-swat"), "Kabul": 0} {
		t.Run(place, func(t *testing.T) {
			check.Equal(t, len(w.found(t, w.query(search.Where{Mode: "region", Region: place}), search.Recommended)), want, "hotels of the region")
		})
	}
	check.Equal(t, len(w.found(t, w.query(world), search.Recommended)), len(w.hotels), "hotels on earth")
}

func TestSearch_suspendedTenant(t *testing.T) {
	t.Parallel()
	w := withKabulHotels(t)
	tenants := directory.OpenTenants(w.env)
	listed := func() bool {
		return slices.Contains(names(w.found(t, w.query(city("Kabul")), search.Recommended)), kabul.Slug)
	}
	check.Equal(t, listed(), true, "it is not found to begin with")
	_, err := tenants.Suspend(t.Context(), kabul.Tenant, "billing")
	check.Must(t, err)
	check.Equal(t, listed(), false, "suspended")
	_, err = tenants.Reinstate(t.Context(), kabul.Tenant)
	check.Must(t, err)
	check.Equal(t, listed(), true, "reinstated")
}

func TestSearch_empty(t *testing.T) {
	t.Parallel()
	w := withKabulHotels(t)
	listed := func(q search.Query) bool {
		return slices.Contains(names(w.found(t, q, search.Recommended)), kabul.Slug)
	}
	families := w.query(city("Kabul"))
	families.Party = search.Travellers{Adults: 4, Rooms: 1}
	check.MustEqual(t, listed(families), true, "it is not found to begin with")
	taken := w.held(t, stay.Window{Start: families.Dates.CheckIn.AddDays(1), End: families.Dates.CheckIn.AddDays(2)}, 2)
	check.Equal(t, listed(families), false, "both suites are gone in the middle of the stay, and it is found")
	check.NotEqual(t, listed(w.query(city("Kabul"))), false, "two people fit into its other rooms")
	err := w.release(t.Context(), taken)
	check.Must(t, err)
	check.Equal(t, listed(families), true, "after the release")
	for name, change := range map[string]func(*search.Query){
		"a room for more than it can have": func(q *search.Query) { q.Party.Adults = 6 },
		"three suites where there are two": func(q *search.Query) { q.Party = search.Travellers{Adults: 12, Rooms: 3} },
		"nights that have passed":          func(q *search.Query) { q.Dates.CheckIn = w.today.AddDays(-1) },
		"nights that are not on sale yet": func(q *search.Query) {
			q.Dates = search.Dates{CheckIn: w.today.AddDays(398), CheckOut: w.today.AddDays(402)}
		},
		"amenities that it does not have": func(q *search.Query) { q.Filters.Amenities = []string{"wifi", "helipad"} },
		"another type of house":           func(q *search.Query) { q.Filters.Types = []string{"hostel", "apartment"} },
		"other stars":                     func(q *search.Query) { q.Filters.Stars = []int{1, 5} },
		"a better rating":                 func(q *search.Query) { q.Filters.Rating = 4.5 },
		"another neighbourhood":           func(q *search.Query) { q.Filters.Neighbourhoods = []string{"Khair Khana"} },
		"a lower price":                   func(q *search.Query) { q.Filters.Price = &search.PriceRange{Max: 10999, Currency: money.AFN} },
		"free of charge until the last day": func(q *search.Query) {
			q.Filters.Flexibility = "free"
			q.Dates.CheckIn = w.today
			q.Dates.CheckOut = w.today.AddDays(1)
		},
	} {
		t.Run(name, func(t *testing.T) {
			q := families
			change(&q)
			check.Equal(t, listed(q), false, "it is found")
		})
	}
	q := families
	q.Filters = search.Filters{Price: &search.PriceRange{Min: 100, Max: 15000, Currency: money.AFN}, Amenities: []string{"wifi", "garden"},
		Stars: []int{3, 4}, Rating: 4.4, Types: []string{"hotel"}, Flexibility: "free", Neighbourhoods: []string{"shahr-e-nāw"}}
	check.Equal(t, listed(q), true, "it is all that was wanted, and not found")
}

// The index must agree with inventory and pricing, for random parties, stays and allocations over all hotels.
func TestSearch_agreesWithInventory(t *testing.T) {
	t.Parallel()
	w := withAllHotels(t)
	tariffs := pricing.OpenTariffs(w.env)
	random := rand.New(rand.NewPCG(7, 7))
	var all []id.Property
	for _, h := range w.hotels {
		all = append(all, h.Property)
		for range 4 { // some rooms of some types, for some nights, often all of them
			room := h.Rooms[random.IntN(len(h.Rooms))]
			begin, n := random.IntN(6), 1+random.IntN(4)
			w.takes(t, h, room, w.nights(20+begin, n), 1+random.IntN(room.Units))
		}
	}
	for range 12 {
		rooms := 1 + random.IntN(3)
		q := w.query(world)
		q.Dates = search.Dates{CheckIn: w.today.AddDays(20 + random.IntN(6)), CheckOut: w.today.AddDays(27 + random.IntN(3))}
		q.Party = search.Travellers{Adults: rooms + random.IntN(3*rooms), Children: random.IntN(2), Rooms: rooms}
		currency := []money.Currency{money.AFN, money.IRR, money.GBP, money.USD}[random.IntN(4)]
		var priced []pricing.Preview
		for part := range slices.Chunk(all, 50) {
			previews, err := tariffs.Preview(t.Context(), part, pricing.Staying{Party: q.Party.Party(),
				Window: stay.Window{Start: q.Dates.CheckIn, End: q.Dates.CheckOut}, Currency: currency}, nil)
			check.Must(t, err)
			priced = append(priced, previews...)
		}
		slices.SortFunc(priced, func(a, b pricing.Preview) int { return cmp.Compare(a.Nightly, b.Nightly) })
		listed, total, err := w.Search(t.Context(), q, search.Slice{Sort: search.PriceUp, Limit: 50, Currency: currency})
		check.Must(t, err, "%s", fmt.Sprint(q.Party))
		check.MustEqual(t, total, len(priced), "%+v: total", q.Party)
		check.MustEqual(t, len(listed), min(50, total), "%s", fmt.Sprint(q.Party))
		if _, unpriced, err := w.Search(t.Context(), q, search.Slice{Sort: search.Recommended, Limit: 1}); err != nil || unpriced != total {
			t.Errorf("%+v: %d hotels without prices, %v, want %d", q.Party, unpriced, err, total)
		}
		nightly := map[id.Property]money.Micro{}
		for _, p := range priced {
			nightly[p.Property] = p.Nightly
		}
		for i, l := range listed {
			check.Equal(t, nightly[l.Property], priced[i].Nightly, "price of %s at place %d of %d", l.TenantSlug, i, total)
		}
		if total < 2 {
			continue
		}
		middle := priced[total/2].Nightly
		q.Filters.Price = &search.PriceRange{Max: float64(middle) / 1e6, Currency: currency}
		_, cheap, err := w.Search(t.Context(), q, search.Slice{Sort: search.Recommended, Limit: 1})
		want := 0
		for _, p := range priced {
			if p.Nightly <= middle {
				want++
			}
		}
		check.Must(t, err, "up to %d %s", middle, currency)
		check.Equal(t, cheap, want, "up to %d %s: cheap", middle, currency)
	}
}

// A hotel is found until its last room is taken, whichever room it is, and not by a party that needs more rooms of one type.
func TestSearch_lastRoom(t *testing.T) {
	t.Parallel()
	w := withKabulHotels(t)
	hotel := w.hotels[slices.IndexFunc(w.hotels, func(h demo.Hotel) bool { return h.Property == kabul.Property })]
	q := w.query(city("Kabul"))
	listed := func() bool { return slices.Contains(names(w.found(t, q, search.Recommended)), kabul.Slug) }
	units := 0
	for _, room := range hotel.Rooms {
		units = max(units, room.Units)
	}
	q.Party = search.Travellers{Adults: units, Rooms: units}
	check.Equal(t, listed(), true, "%d rooms", units)
	q.Party = search.Travellers{Adults: units + 1, Rooms: units + 1}
	check.Equal(t, listed(), false, "%d rooms", units+1)
	q.Party = search.Travellers{Adults: 2, Rooms: 1}
	for _, room := range hotel.Rooms {
		check.Equal(t, listed(), true, "%d of one type are taken next", room.Units)
		w.takes(t, hotel, room, w.nights(21, 1), room.Units)
	}
	check.Equal(t, listed(), false, "no room is left")
}

// An earlier version of the code indexes a hotel without storing its main room. The stored main room is then ignored.
func TestSearch_mainRoomOfAnEarlierVersion(t *testing.T) {
	t.Parallel()
	w := withKabulHotels(t)
	listed := func() bool {
		return slices.Contains(names(w.found(t, w.query(city("Kabul")), search.Recommended)), kabul.Slug)
	}
	check.Equal(t, w.count(t, `SELECT count(*) FROM sandbox.listings WHERE main_version = version AND main_room_type IS NOT NULL`), len(w.hotels), "listings with a main room")
	check.MustEqual(t, listed(), true, "it is not found to begin with")
	for _, sql := range []string{`UPDATE sandbox.listings SET version = version + 1 WHERE property_id = $1`,
		`UPDATE sandbox.listing_rooms SET max_occupancy = 1 WHERE property_id = $1`} {
		check.Got(w.owner.Exec(t.Context(), sql, kabul.Property)).Must(t)
	}
	check.Equal(t, listed(), false, "its rooms are for one guest, and it is found for two")
}

// takes takes rooms while any are free.
func (w manyHotels) takes(t *testing.T, h demo.Hotel, room demo.Room, nights stay.Window, units int) {
	t.Helper()
	hold := w.want(nights, units)
	hold.Tenant, hold.Property, hold.Claims[0].RoomType = h.Tenant, h.Property, room.ID
	if _, err := w.Inventory.Hold(t.Context(), hold); err != nil && !errors.Is(err, inventory.ErrSoldOut) {
		t.Fatal(err)
	}
}

func TestSearch_paging(t *testing.T) {
	t.Parallel()
	w := withAllHotels(t)
	q := w.query(world)
	recommended := names(w.found(t, q, search.Recommended))
	for _, s := range []search.Sort{search.Recommended, search.PriceUp, search.PriceDown, search.RatingDown, search.DistanceUp} {
		t.Run(string(s), func(t *testing.T) {
			once, again := names(w.found(t, q, s)), names(w.found(t, q, s))
			check.Equal(t, once, again, "the second search")
			if s != search.Recommended && slices.Equal(once, recommended) {
				t.Errorf("got %q as for %s, want another order", once, search.Recommended)
			}
			slices.Sort(once)
			check.Equal(t, len(slices.Compact(once)), len(w.hotels), "different hotels")
		})
	}
	rated := w.found(t, q, search.RatingDown)
	if !slices.IsSortedFunc(rated, func(a, b search.Listing) int { return cmp.Compare(b.GuestRating.Value, a.GuestRating.Value) }) {
		t.Error("results are not ordered by rating")
	}
	near := w.found(t, w.query(search.Where{Mode: "point", Point: &search.Circle{Lat: 34.5353, Lng: 69.1876, RadiusKm: 6}}), search.DistanceUp)
	if len(near) < 4 {
		t.Fatalf("len(near) = %d, want at least 4", len(near))
	}
	check.Equal(t, near[0].TenantSlug, "lapis-hotel-kabul")
	if *near[0].DistanceKm > 0.01 {
		t.Errorf("*near[0].DistanceKm = %v, want at most 0.01", *near[0].DistanceKm)
	}
	if *near[len(near)-1].DistanceKm > 6 {
		t.Errorf("*near[len(near)-1].DistanceKm = %v, want at most 6", *near[len(near)-1].DistanceKm)
	}
	if !slices.IsSortedFunc(near, func(a, b search.Listing) int { return cmp.Compare(*a.DistanceKm, *b.DistanceKm) }) {
		t.Errorf("%v is not sorted by distance", names(near))
	}
	page, total, err := w.Search(t.Context(), q, search.Slice{Sort: search.Recommended, Limit: 5, Offset: 9000})
	check.Must(t, err, "after the last page")
	check.Equal(t, len(page), 0, "after the last page")
	check.Equal(t, total, len(w.hotels), "after the last page")
}

func TestQueryValidate_longNames(t *testing.T) {
	t.Parallel()
	day := stay.DateOf(time.Unix(0, 0))
	for name, change := range map[string]func(*search.Query, string){
		"city":           func(q *search.Query, name string) { q.Where = city(name) },
		"region":         func(q *search.Query, name string) { q.Where = search.Where{Mode: "region", Region: name} },
		"neighbourhoods": func(q *search.Query, name string) { q.Filters.Neighbourhoods = []string{name} },
	} {
		t.Run(name, func(t *testing.T) {
			for length, allowed := range map[int]bool{80: true, 81: false} {
				t.Run(fmt.Sprint(length), func(t *testing.T) {
					q := search.Query{Where: city("Kabul"), Dates: search.Dates{CheckIn: day, CheckOut: day.AddDays(1)}, Party: search.Travellers{Adults: 2, Rooms: 1}}
					change(&q, strings.Repeat("ش", length)) // of two bytes
					check.Equal(t, q.Validate() == nil, allowed, "of %d letters", length)
				})
			}
		})
	}
}

func TestSearch_clicksRecommend(t *testing.T) {
	t.Parallel()
	w := withKabulHotels(t)
	f := w.front(t)
	first := func() string { return names(w.found(t, w.query(city("Kabul")), search.Recommended))[0] }
	least := w.found(t, w.query(city("Kabul")), search.Recommended)
	last := least[len(least)-1]
	click := func(p id.Property) event.Raw {
		raw := incoming(t, "melmastoon.bff.consumer.click.recorded.v1", body{"guestSessionId": "gms_01J8KABG000000000000000GMS", "kind": "listing-card",
			"tenantId": last.Tenant, "propertyId": p, "occurredAt": w.env.Now()})
		raw.Envelope.TenantID, raw.Delivery.Tenant = nil, nil // events of travellers have no tenant
		return raw
	}
	once := click(last.Property)
	for range 40 {
		f.Push(clickrecorded.Function, once).Must(t, http.StatusNoContent)
	}
	check.Equal(t, w.count(t, `SELECT sum(clicks) FROM sandbox.popularity`), 1, "clicks counted for one that came forty times")
	check.NotEqual(t, first(), last.TenantSlug, "one click makes the last one the first")
	check.Got(w.owner.Exec(t.Context(), `UPDATE sandbox.popularity SET clicks = 1000000`)).Must(t)
	check.Equal(t, first(), last.TenantSlug, "the first hotel, which is the most clicked")
	handle, err := clickrecorded.New(w.env)
	check.Must(t, err)
	unknown := event.Event[clickrecorded.Clicked]{Payload: clickrecorded.Clicked{Property: id.New[id.Property]()}}
	unknown.Delivery = event.Delivery{EventID: id.New[id.Event](), Subject: clickrecorded.Function.Spec.Subject, Processor: clickrecorded.Function.Spec.Name}
	check.NoError(t, handle(t.Context(), unknown), "an unknown hotel")
}

func TestIndex_onPublish(t *testing.T) {
	t.Parallel()
	w := withKabulHotels(t)
	f := w.front(t)
	q := w.query(city("Kabul"))
	q.Party.Adults, q.Filters.Price = 4, &search.PriceRange{Max: 500, Currency: money.AFN}
	check.MustEqual(t, len(names(w.found(t, q, search.Recommended))), 0, "for 500 afghanis")
	f.Post("/sandbox/pricing/v1/rate-plans/"+suites.Saver.ID.String()+"/publish", body{"weekdayMicro": slices.Repeat([]string{"400000000"}, 7)})
	check.Equal(t, names(w.found(t, q, search.Recommended)), []string{kabul.Slug}, "for 500 afghanis")
	f.Post("/sandbox/theme/v1/tenants/"+kabul.Tenant.String()+"/theme/publish", body{"tokens": kabul.Theme.Tokens})
	var x struct {
		Cell string `json:"geoCell"`
	}
	f.Post("/sandbox/search/v1/listings/"+kabul.Property.String()+"/index", nil).Into(t, &x)
	check.Equal(t, x.Cell, "h3:"+h3.LatLngToCell(h3.NewLatLng(kabul.Geo.Lat, kabul.Geo.Lng), 10).String())
	check.Equal(t, w.cellOf(t, kabul.Property), x.Cell, "cells in the index and in the answer")
	want := []string{"pricing.rate_plan.published.v1 2", "search_aggregation.listing.indexed.v1 2", "theme.published.v1 2",
		"search_aggregation.listing.indexed.v1 3", "search_aggregation.listing.indexed.v1 4"}
	check.Equal(t, w.notices(t), want, "published")
	f.Post("/sandbox/search/v1/listings/"+id.New[id.Property]().String()+"/index", nil).Want(t, http.StatusNotFound)
}
