package picture

import (
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

// The maximum sizes of an SVG in bytes.
const maxPicture, maxThumbnail = 8_000, 600

// decode returns the SVG of a data URL. It reports one that is too long or no XML.
func decode(t *testing.T, url string) string {
	t.Helper()
	text, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(url, "data:image/svg+xml;base64,"))
	if err != nil {
		t.Fatal(err)
	}
	if len(text) > maxPicture {
		t.Errorf("the picture has %d bytes, want at most %d", len(text), maxPicture)
	}
	d := xml.NewDecoder(strings.NewReader(string(text)))
	for err == nil {
		_, err = d.Token()
	}
	if !errors.Is(err, io.EOF) {
		t.Errorf("the picture is no XML: %v", err)
	}
	return string(text)
}

// The picture of each kind of house in each landscape, of each room and of each town is a small XML document. That of a house is always the same.
func TestDraw(t *testing.T) {
	t.Parallel()
	cities := map[string]string{}
	for city, place := range places {
		decode(t, City(city))
		cities[place] = city
	}
	for place, city := range cities {
		for kind, stars := range map[string]int{"guesthouse": 2, "hostel": 1, "apartment": 3, "hotel": 5, "": 0} {
			for n := range 20 {
				h := House{ID: [16]byte{byte(n)}, City: city, Type: kind, Stars: stars + n%2}
				for view := range Views {
					if first, again := decode(t, h.Draw(view)), decode(t, h.Draw(view)); first != again {
						t.Fatalf("%s in %s, view %d, differs from itself", kind, place, view)
					}
				}
				if size := len(decode(t, h.Thumbnail())); size > maxThumbnail {
					t.Errorf("the thumbnail of %s in %s has %d bytes, want at most %d", kind, place, size, maxThumbnail)
				}
			}
		}
	}
	for _, name := range append(arrangements, "Standard room") {
		decode(t, Room{Name: name, Sleeps: 2}.Draw())
	}
}

// The hotel's own site does not have the type and the stars, and shows the same terrace and court as the site of all hotels.
func TestHouse_Draw_unknownType(t *testing.T) {
	t.Parallel()
	for n := range 20 {
		for _, kind := range []string{"guesthouse", "hostel", "apartment", "hotel"} {
			unknown := House{ID: [16]byte{byte(n)}, City: "Herat"}
			known := House{ID: unknown.ID, City: unknown.City, Type: kind, Stars: n % 6}
			for view := 1; view < Views; view++ {
				if unknown.Draw(view) != known.Draw(view) {
					t.Errorf("view %d of house %d differs if its type %s is known", view, n, kind)
				}
			}
		}
	}
}

// The pictures of a hotel's page show different motifs: each view of the house, and the beds of each room.
func TestDraw_motifs(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for view := range Views {
		seen[House{City: "Herat", Type: "hotel", Stars: 5}.scene(view).Kind] = true
	}
	rooms := []string{"Standard room", "Deluxe room", "Family room", "Suite"}
	for _, name := range rooms {
		seen[Room{Name: name, Sleeps: 2}.beds()] = true
	}
	if want := Views + len(rooms); len(seen) != want {
		t.Errorf("got the motifs %v, want %d", seen, want)
	}
}

// motif describes what a visitor recognises in the picture of a house.
func (s scene) motif() string {
	return fmt.Sprintf("%s %s, light %d, %s, %s, %t", s.Kind, s.Place, s.Light.Number, s.Season.Leaf, s.Wall.Light, s.Mirrored)
}

// Of two hundred hotels with four stars in one town at least 170 differ in kind, light, season, colour or side.
func TestHouse_motifs(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	const houses, fewest = 200, 170 // evenly distributed over the 1,008 motifs, they have about 180 different ones
	for n := range houses {
		seen[House{ID: [16]byte{byte(n)}, City: "Kabul", Type: "hotel", Stars: 4}.scene(0).motif()] = true
	}
	if len(seen) < fewest {
		t.Errorf("got %d motifs, want at least %d", len(seen), fewest)
	}
}
