// Package picture draws the pictures of the demonstration as SVG: a house in its town, a room with its beds, and a town. The same thing
// always gets the same picture. The shapes are in templates; this file chooses among them, and the colours of light and season.
package picture

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"sync"
	"text/template"
)

//go:embed *.svg
var files embed.FS

var drawings = sync.OnceValue(func() *template.Template { return template.Must(template.ParseFS(files, "*.svg")) })

// A House is a hotel of any kind.
type House struct {
	ID         [16]byte
	City, Type string
	Stars      int
}

// Views is the number of different pictures of a house: from the street, from its terrace, and of its court.
const Views = 3

// Draw returns one of the house's pictures as a data URL.
func (h House) Draw(view int) string { return draw("scene.svg", h.scene(view)) }

// Thumbnail returns a small picture of the house as a data URL. A search has hundreds of them in one response.
func (h House) Thumbnail() string { return draw("thumbnail.svg", h.scene(0)) }

// City returns the picture of a town as a data URL.
func City(name string) string {
	s := newScene([]byte("city "+name), name)
	s.Kind, s.Light = "town", lights[s.IntN(daylights)]
	return draw("scene.svg", s)
}

// A Room is a room type. Its English name and the number of guests decide about its beds.
type Room struct {
	ID     [16]byte
	Name   string
	Sleeps int
}

// Draw returns the room's picture as a data URL. It is small: an answer of availability has one for each room type, and at most 10 KiB.
func (r Room) Draw() string {
	s := newScene(r.ID[:], "")
	s.Kind = r.beds()
	s.Light = lights[s.IntN(daylights)]
	return draw("room.svg", s)
}

// arrangements are the words of a room's name that decide about its beds. The first that the name contains counts.
var arrangements = []string{"shared", "apartment", "studio", "family suite", "suite", "family", "twin", "single", "deluxe"}

func (r Room) beds() string {
	for _, word := range arrangements {
		if strings.Contains(strings.ToLower(r.Name), word) {
			return word
		}
	}
	return map[bool]string{true: "family", false: "double"}[r.Sleeps > 3]
}

// DataURL returns an SVG as a data URL, so that showing it needs no other request.
func DataURL(svg string) string {
	return "data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString([]byte(svg))
}

func draw(name string, s scene) string {
	var b strings.Builder
	if err := drawings().ExecuteTemplate(&b, name, s); err != nil {
		panic(err) // cannot fail: the templates are embedded, and the tests draw all of them
	}
	return DataURL(strings.ReplaceAll(b.String(), "\n", ""))
}

// A scene is what a picture shows. Its random numbers depend on the thing alone.
type scene struct {
	Kind, Place string
	Light       light
	Season      season
	Wall        wall
	Accent      string
	Mirrored    bool
	X           int // of the house's middle
	*rand.Rand
}

// newScene chooses the light, the season and the colours of a thing.
func newScene(thing []byte, city string) scene {
	sum := sha256.Sum256(thing)
	s := scene{Place: places[city], Rand: rand.New(rand.NewPCG(binary.BigEndian.Uint64(sum[:]), binary.BigEndian.Uint64(sum[8:])))}
	s.Light, s.Wall, s.Accent, s.Mirrored = lights[s.IntN(len(lights))], walls[s.IntN(len(walls))], accents[s.IntN(len(accents))], s.IntN(2) > 0
	s.Season, s.X = seasons[s.IntN(len(seasons))], s.Between(285, 355)
	if s.Warm() && s.Season.Snow {
		s.Season = seasons[1]
	}
	return s
}

// Warm reports whether it never snows in the place.
func (s scene) Warm() bool { return s.Place == "sea" || s.Place == "dunes" }

// Between returns a random number from least to most.
func (s scene) Between(least, most int) int { return least + s.IntN(most-least+1) }

// scene returns a view of the house. Each view has its own light. The terrace and the court do not depend on the type and the stars.
func (h House) scene(view int) scene {
	s := newScene(h.ID[:], h.City)
	kinds := kinds[h.Type]
	if h.Type == "hotel" {
		kinds = hotels[max(0, min(h.Stars, len(hotels)-1))]
	}
	chosen := s.Int() // one number whatever the type is: the other numbers of the picture do not depend on the type
	if s.Kind = "guesthouse"; len(kinds) > 0 {
		s.Kind = kinds[chosen%len(kinds)]
	}
	if view > 0 {
		s.Kind, s.Mirrored = []string{"terrace", "court"}[(view-1)%2], !s.Mirrored
		s.Light = lights[(s.Light.Number+2*view+1)%daylights]
	}
	return s
}

// kinds are the kinds of houses by the type of the property, and hotels those of hotels by their stars.
var (
	kinds  = map[string][]string{"guesthouse": {"guesthouse", "caravanserai", "terraces"}, "hostel": {"terraces", "bazaar"}, "apartment": {"apartment"}}
	hotels = [][]string{{"bazaar"}, {"bazaar"}, {"bazaar", "terraces"}, {"bazaar", "guesthouse", "caravanserai"}, {"palace", "caravanserai", "tower"}, {"tower", "palace"}}
)

// places are the landscapes of the towns.
var places = map[string]string{
	"Kabul": "river", "Jalalabad": "river", "Kunduz": "river", "Peshawar": "river",
	"Herat": "minarets", "Ghazni": "minarets",
	"Bamyan": "cliff", "Fayzabad": "peaks", "Mingora": "peaks", "Gilgit": "peaks", "Quetta": "peaks",
	"Mazar-i-Sharif": "domes", "Mashhad": "domes", "Qom": "domes", "Lahore": "domes", "Isfahan": "domes", "Shiraz": "domes",
	"Kandahar": "dunes", "Yazd": "dunes", "Al Ain": "dunes",
	"Karachi": "sea", "Dubai": "sea", "Abu Dhabi": "sea", "Sharjah": "sea",
	"Tehran": "skyline", "Tabriz": "skyline", "Islamabad": "skyline", "Rawalpindi": "skyline",
}

// A light is a time of the day: the sky, the sun or the moon, and the factors of red, green and blue on all other things.
type light struct {
	Number           int
	Top, Bottom, Sun string
	High             int // the y of the sun
	Red, Green, Blue string
	Lamps            bool
	Night            bool
}

// daylights is the number of lights before the evening.
const daylights = 4

var lights = []light{
	{Number: 0, Top: "#6aa9dc", Bottom: "#e6f3fa", Sun: "#fffbe8", High: 90, Red: "1", Green: "1", Blue: "1"},
	{Number: 1, Top: "#7fa0cf", Bottom: "#ffd2b0", Sun: "#fff0cf", High: 170, Red: "1.02", Green: ".89", Blue: ".86"},
	{Number: 2, Top: "#2f86cc", Bottom: "#bfe3f4", Sun: "#fffde0", High: 60, Red: "1.05", Green: "1.04", Blue: "1"},
	{Number: 3, Top: "#7db1cc", Bottom: "#ffe0a3", Sun: "#fff3c0", High: 150, Red: "1.08", Green: ".95", Blue: ".76"},
	{Number: 4, Top: "#37407f", Bottom: "#f5946b", Sun: "#ffd08a", High: 205, Red: ".74", Green: ".58", Blue: ".68", Lamps: true},
	{Number: 5, Top: "#0c1740", Bottom: "#46619e", Sun: "#f3f0da", High: 80, Red: ".34", Green: ".42", Blue: ".64", Lamps: true, Night: true},
}

// A season is the colours of plants and of the ground.
type season struct {
	Leaf, Shade, Dot, Ground, Field string
	Snow                            bool
}

var seasons = []season{
	{Leaf: "#8db866", Shade: "#6c9a56", Dot: "#fbd3dc", Ground: "#a9c27c", Field: "#8fb06b"},
	{Leaf: "#5a9a5f", Shade: "#3f7d50", Dot: "#d9534a", Ground: "#9bb56c", Field: "#7fa362"},
	{Leaf: "#e0a23c", Shade: "#c37a2c", Dot: "#a8392f", Ground: "#cdb072", Field: "#b79458"},
	{Leaf: "#6f8f80", Shade: "#4f7366", Dot: "#ffffff", Ground: "#eef2f6", Field: "#d5dfe8", Snow: true},
}

// A wall is the colours of a house.
type wall struct{ Light, Dark, Trim, Roof string }

var walls = []wall{
	{"#ecd6b0", "#d2b487", "#7d5237", "#a5603f"}, {"#f6f0e4", "#dcd2c1", "#3f6f85", "#4f6d7a"}, {"#cf8a66", "#b06f50", "#f3e2c6", "#7a4433"},
	{"#ecc2ab", "#cf9f88", "#7b3f4a", "#8a4a44"}, {"#e5b46c", "#c4934f", "#5b452f", "#8a4f2d"}, {"#d3cec1", "#b2ac9f", "#46554f", "#5d5a58"},
	{"#d5dfcb", "#b3c3ab", "#46634f", "#7d5a44"},
}

// accents are the colours of awnings, tiles and cloth.
var accents = []string{"#2a939b", "#2c5ea6", "#b3384a", "#dd9a2b", "#4a875a"}
