package search

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/stay"
	"melmastoon.ghasi.io/shared/testkit/check"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func night(from, nights int) DateRange {
	day := stay.DateOf(noon).AddDays(from)
	return DateRange{day, day.AddDays(nights)}
}

var inKabul = Query{Geo: GeoQuery{Mode: City, City: "Kabul"}, Dates: night(7, 2), Occupancy: Occupancy{Adults: 2, Rooms: 1}}

func TestCheckOn_invalidQuery(t *testing.T) {
	t.Parallel()
	point, box := &Circle{34.5, 69.2, 10}, &BoundingBox{34, 69, 35, 70}
	for _, test := range []struct {
		name   string
		change func(*Query)
		want   []string // pointers
	}{
		{"city", func(*Query) {}, nil},
		{"point", func(q *Query) { q.Geo = GeoQuery{Mode: Point, Point: point} }, nil},
		{"bounding box", func(q *Query) { q.Geo = GeoQuery{Mode: Box, Box: box} }, nil},
		{"bounding box over the date line", func(q *Query) { q.Geo = GeoQuery{Mode: Box, Box: &BoundingBox{-10, 170, 10, -170}} }, nil},
		{"region", func(q *Query) { q.Geo = GeoQuery{Mode: Region, Region: "Herat"} }, nil},
		{"city in Pashto with a joiner", func(q *Query) { q.Geo.City = "کابل\u200cښار" }, nil},
		{"two locations", func(q *Query) { q.Geo.Point = point }, []string{"/geo/point"}},
		{"three locations", func(q *Query) { q.Geo.Point, q.Geo.Box = point, box }, []string{"/geo/boundingBox", "/geo/point"}},
		{"location of another mode", func(q *Query) { q.Geo = GeoQuery{Mode: City, Region: "Herat"} }, []string{"/geo/city", "/geo/region"}},
		{"no location", func(q *Query) { q.Geo.City = "" }, []string{"/geo/city"}},
		{"blank city", func(q *Query) { q.Geo.City = "   " }, []string{"/geo/city"}},
		{"city of a joiner", func(q *Query) { q.Geo.City = "\u200c" }, []string{"/geo/city"}},
		{"blank region", func(q *Query) { q.Geo = GeoQuery{Mode: Region, Region: " \u00a0 "} }, []string{"/geo/region"}},
		{"blank neighbourhood", func(q *Query) { q.Filters = &Filters{Neighbourhoods: []string{"Shahr-e Naw", " "}} }, []string{"/filters/neighbourhoods"}},
		{"neighbourhood of a joiner", func(q *Query) { q.Filters = &Filters{Neighbourhoods: []string{"\u200d"}} }, []string{"/filters/neighbourhoods"}},
		{"latitude out of range", func(q *Query) { q.Geo = GeoQuery{Mode: Point, Point: &Circle{91, 0, 1}} }, []string{"/geo/point"}},
		{"radius 0", func(q *Query) { q.Geo = GeoQuery{Mode: Point, Point: &Circle{34, 69, 0}} }, []string{"/geo/point"}},
		{"radius too large", func(q *Query) { q.Geo = GeoQuery{Mode: Point, Point: &Circle{34, 69, 6378}} }, []string{"/geo/point"}},
		{"inverted bounding box", func(q *Query) { q.Geo = GeoQuery{Mode: Box, Box: &BoundingBox{35, 69, 34, 70}} }, []string{"/geo/boundingBox"}},
		{"city in two lines", func(q *Query) { q.Geo.City = "Ka\nbul" }, []string{"/geo/city"}},
		{"city too long", func(q *Query) { q.Geo.City = strings.Repeat("k", 81) }, []string{"/geo/city"}},
		{"yesterday in the westernmost time zone", func(q *Query) { q.Dates = night(-1, 1) }, nil},
		{"day before yesterday", func(q *Query) { q.Dates = night(-2, 3) }, []string{"/dates/checkIn"}},
		{"in 400 days", func(q *Query) { q.Dates = night(400, 1) }, nil},
		{"in 401 days", func(q *Query) { q.Dates = night(401, 1) }, []string{"/dates/checkIn"}},
		{"30 nights", func(q *Query) { q.Dates = night(1, 30) }, nil},
		{"31 nights", func(q *Query) { q.Dates = night(1, 31) }, []string{"/dates/checkOut"}},
		{"no nights", func(q *Query) { q.Dates = night(1, 0) }, []string{"/dates/checkOut"}},
		{"backwards", func(q *Query) { q.Dates = night(5, -2) }, []string{"/dates/checkOut"}},
		{"no adults", func(q *Query) { q.Occupancy.Adults = 0 }, []string{"/occupancy/adults"}},
		{"room without an adult", func(q *Query) { q.Occupancy.Rooms = 3 }, []string{"/occupancy/adults"}},
		{"no room", func(q *Query) { q.Occupancy.Rooms = 0 }, []string{"/occupancy/rooms"}},
		{"9 rooms", func(q *Query) { q.Occupancy = Occupancy{Adults: 36, Rooms: 9} }, nil},
		{"group", func(q *Query) { q.Occupancy = Occupancy{Adults: 30, Rooms: 10} }, []string{"/occupancy/rooms"}},
		{"37 adults", func(q *Query) { q.Occupancy = Occupancy{Adults: 37, Rooms: 9} }, []string{"/occupancy/adults"}},
		{"36 children", func(q *Query) { q.Occupancy.Children = 36 }, nil},
		{"37 children", func(q *Query) { q.Occupancy.Children = 37 }, []string{"/occupancy/children"}},
		{"negative children", func(q *Query) { q.Occupancy.Children = -1 }, []string{"/occupancy/children"}},
		{"children with ages", func(q *Query) { q.Occupancy.Children, q.Occupancy.ChildrenAges = 2, []int{0, 17} }, nil},
		{"child without an age", func(q *Query) { q.Occupancy.Children, q.Occupancy.ChildrenAges = 2, []int{3} }, []string{"/occupancy/childrenAges"}},
		{"child of 18 years", func(q *Query) { q.Occupancy.Children, q.Occupancy.ChildrenAges = 1, []int{18} }, []string{"/occupancy/childrenAges/0"}},
		{"filters", func(q *Query) {
			q.Filters = &Filters{Price: &PriceRange{10, 100, money.USD}, Amenities: []string{"halal-kitchen"}, Stars: []int{4, 5}, RatingMin: 4.5,
				Types: []string{"guesthouse"}, Flexibility: "free", Neighbourhoods: []string{"Shahr-e Naw"}}
		}, nil},
		{"inverted price range", func(q *Query) { q.Filters = &Filters{Price: &PriceRange{100, 10, money.USD}} }, []string{"/filters/priceRange"}},
		{"invalid amenity", func(q *Query) { q.Filters = &Filters{Amenities: []string{"me@example.com"}} }, []string{"/filters/amenities"}},
		{"six stars", func(q *Query) { q.Filters = &Filters{Stars: []int{6}} }, []string{"/filters/starRating"}},
		{"rating too high", func(q *Query) { q.Filters = &Filters{RatingMin: 11} }, []string{"/filters/guestRatingMin"}},
		{"many neighbourhoods", func(q *Query) { q.Filters = &Filters{Neighbourhoods: make([]string, 21)} }, []string{"/filters/neighbourhoods"}},
		{"empty type", func(q *Query) { q.Filters = &Filters{Types: []string{""}} }, []string{"/filters/propertyType"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			q := inKabul
			test.change(&q)
			check.Equal(t, pointers(q.CheckOn(PageRequest{}.Page(), noon)), test.want)
		})
	}
}

func TestCheckOn_invalidPage(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		page Page
		want []string
	}{
		{name: "smallest page", page: Page{1, 0}, want: nil},
		{name: "largest page", page: Page{50, 10_000}, want: nil},
		{name: "limit 0", page: Page{0, 0}, want: []string{"/page/limit"}},
		{name: "limit 51", page: Page{51, 0}, want: []string{"/page/limit"}},
		{name: "negative offset", page: Page{20, -1}, want: []string{"/page/offset"}},
		{name: "offset 10001", page: Page{20, 10_001}, want: []string{"/page/offset"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			check.Equal(t, pointers(inKabul.CheckOn(test.page, noon)), test.want)
		})
	}
}

func TestCheckOnMap(t *testing.T) {
	t.Parallel()
	check.Equal(t, pointers(inKabul.CheckOnMap(make(Highlights, 21), noon)), []string{"/geo/mode", "/spotlight"})
	boxed := inKabul
	boxed.Geo = GeoQuery{Mode: Box, Box: &BoundingBox{34, 69, 35, 70}}
	check.NoError(t, boxed.CheckOnMap(make(Highlights, 20), noon))
}

// pointers returns the sorted pointers of a validation error.
func pointers(err error) (all []string) {
	if f, ok := errors.AsType[*fault.Fault](err); ok {
		for _, v := range f.Violations {
			all = append(all, v.Pointer)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func TestNormal_equivalentQueries(t *testing.T) {
	t.Parallel()
	base := inKabul
	base.Filters = &Filters{Amenities: []string{"breakfast", "wifi"}, Stars: []int{4, 5}, Neighbourhoods: []string{"Wazir Akbar Khan"}}
	for _, test := range []struct {
		name   string
		change func(*Query)
		same   bool
	}{
		{"upper and lower case", func(q *Query) { q.Geo.City = "kABUL" }, true},
		{"spaces", func(q *Query) { q.Geo.City = " Kabul  " }, true},
		{"order of filters", func(q *Query) { q.Filters.Amenities, q.Filters.Stars = []string{"wifi", "breakfast"}, []int{5, 4} }, true},
		{"repeated filter", func(q *Query) { q.Filters.Amenities = []string{"wifi", "wifi", "breakfast"} }, true},
		{"case of a neighbourhood", func(q *Query) { q.Filters.Neighbourhoods = []string{"wazir akbar  khan"} }, true},
		{"any cancellation", func(q *Query) { q.Filters.Flexibility = "any" }, true},
		{"another order of hotels", func(q *Query) { q.Sort = PriceAsc }, true},
		{"another city", func(q *Query) { q.Geo.City = "Herat" }, false},
		{"region of the same name", func(q *Query) { q.Geo = GeoQuery{Mode: Region, Region: "Kabul"} }, false},
		{"another day", func(q *Query) { q.Dates = night(8, 2) }, false},
		{"one more night", func(q *Query) { q.Dates = night(7, 3) }, false},
		{"child", func(q *Query) { q.Occupancy.Children = 1 }, false},
		{"age of a child", func(q *Query) { q.Occupancy.Children, q.Occupancy.ChildrenAges = 0, []int{} }, true},
		{"fewer filters", func(q *Query) { q.Filters.Stars = nil }, false},
		{"word in another filter", func(q *Query) { q.Filters.Amenities, q.Filters.Types = []string{"breakfast"}, []string{"wifi"} }, false},
		{"price", func(q *Query) { q.Filters.Price = &PriceRange{0, 100, money.USD} }, false},
		{"price in another currency", func(q *Query) { q.Filters.Price = &PriceRange{0, 100, money.EUR} }, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			q, f := base, *base.Filters
			q.Filters = &f
			test.change(&q)
			check.Equal(t, q.Normal().Identity() == base.Normal().Identity(), test.same, "%s: the same", q.Normal().Identity())
		})
	}
	ages := func(all ...int) string {
		q := inKabul
		q.Occupancy.Children, q.Occupancy.ChildrenAges = len(all), all
		return q.Normal().Identity()
	}
	check.Equal(t, ages(3, 9), ages(9, 3), "the order of the children's ages changes the query")
	check.NotEqual(t, ages(3, 3, 9), ages(3, 9, 9), "other ages are the same query")
	none := inKabul
	none.Filters = &Filters{Flexibility: "any"}
	check.Equal(t, none.Normal().Identity(), inKabul.Normal().Identity(), "empty filters change the query")
}

func TestKey_distinctAndHashed(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for name, change := range map[string]func(*searchRequest){
		"nothing": func(*searchRequest) {}, "the page": func(a *searchRequest) { a.Page.Offset = 20 }, "its length": func(a *searchRequest) { a.Page.Limit = 21 },
		"order": func(a *searchRequest) { a.Sort = PriceDesc }, "another city": func(a *searchRequest) { a.Geo.City = "canary@example.com" },
		"case of the city": func(a *searchRequest) { a.Geo.City = "KABUL" }, "dates": func(a *searchRequest) { a.Dates = night(9, 2) },
		"occupancy": func(a *searchRequest) { a.Occupancy.Adults = 3 }, "ages": func(a *searchRequest) { a.Occupancy.Children, a.Occupancy.ChildrenAges = 1, []int{3} },
		"currency": func(a *searchRequest) { a.Currency = money.USD },
		"filter":   func(a *searchRequest) { a.Filters = &Filters{Neighbourhoods: []string{"canary@example.com"}} },
	} {
		t.Run(name, func(t *testing.T) {
			question := searchRequest{inKabul.Normal(), PageRequest{}.Page(), money.AFN}
			change(&question)
			k := key(question).String()
			if other, taken := seen[k]; taken {
				t.Errorf("and %s have one key", other)
			}
			seen[k] = name
			check.Lacks(t, k, "canary")
			check.Lacks(t, k, "abul")
		})
	}
}
