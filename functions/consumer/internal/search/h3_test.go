package search

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/uber/h3-go/v4"

	"melmastoon.ghasi.io/shared/testkit/check"
)

// cellsOfEarth returns random cells of all resolutions, and all pentagons with their children.
func cellsOfEarth() (cells []h3.Cell) {
	random := rand.New(rand.NewPCG(3, 4))
	for r := range h3Finest + 1 {
		for range 300 {
			cells = append(cells, h3.LatLngToCell(h3.NewLatLng(random.Float64()*180-90, random.Float64()*360-180), r))
		}
		for _, c := range h3.Pentagons(r) {
			cells = append(cells, c)
			if r < h3Finest {
				cells = append(cells, c.Children(r+1)...)
			}
		}
	}
	return append(cells, h3.Res0Cells()...)
}

func TestH3_parents(t *testing.T) {
	t.Parallel()
	for _, c := range cellsOfEarth() {
		own, ok := parseH3("h3:" + c.String())
		check.MustEqual(t, ok, true, "parseH3(%q) = false", c)
		for r := range h3Finest + 1 {
			got, ok := own.parent(r)
			check.MustEqual(t, ok, r <= c.Resolution(), "%v: parent(%d) ok", c, r)
			if ok && got.String() != "h3:"+c.Parent(r).String() {
				t.Errorf("%v: parent(%d) = %v, want %v", c, r, got, c.Parent(r))
			}
		}
	}
}

// Each changed bit makes another cell, an invalid one or another mode; the library decides which.
func TestH3_validity(t *testing.T) {
	t.Parallel()
	valid, invalid := 0, 0
	for i, c := range cellsOfEarth() {
		for bit := range 60 {
			changed := c ^ 1<<bit
			if i%5 != 0 || len(changed.String()) != h3Length {
				continue
			}
			want := changed.IsValid()
			if want {
				valid++
			} else {
				invalid++
			}
			if _, got := parseH3("h3:" + changed.String()); got != want {
				t.Fatalf("parseH3(%q) = %t, want %t", changed, got, want)
			}
		}
	}
	if valid < 1000 {
		t.Errorf("valid = %d, want at least 1000", valid)
	}
	if invalid < 1000 {
		t.Errorf("invalid = %d, want at least 1000", invalid)
	}
}

func TestAreaOf(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, cell, want string
	}{
		{"cell of a hotel", "h3:8a283082aa67fff", "h3:8428309ffffffff"},
		{"area", "h3:8428309ffffffff", "h3:8428309ffffffff"},
		{"coarser than an area", "h3:83283" + "0fffffffff", ""},
		{"another grid", "geohash:tw1hm", ""},
		{"no grid", "8a283082aa67fff", ""},
		{"in capitals", "h3:8A283082AA67FFF", ""},
		{"too short", "h3:8a", ""},
		{"too long", "h3:08a283082aa67fff", ""},
		{"sign", "h3:+a283082aa67fff", ""},
		{"invalid digit", "h3:8a283082aa67ffg", ""},
		{"edge", "h3:115283473fffffff"[:18], ""},
		{"vertex", "h3:" + strings.Repeat("2", h3Length), ""},
		{"none", "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, ok := areaOf(test.cell)
			check.Equal(t, ok, test.want != "", "areaOf(%q) ok", test.cell)
			if ok && got != test.want {
				t.Errorf("areaOf(%q) = %q, want %q", test.cell, got, test.want)
			}
		})
	}
}
