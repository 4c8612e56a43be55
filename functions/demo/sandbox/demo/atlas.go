package demo

import (
	"embed"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/functions/demo/sandbox/internal/directory"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
)

//go:embed data
var data embed.FS

// An atlas holds the data that hotels are built from: places, words, rooms, designs and exchange rates.
type atlas struct {
	countries map[string]country
	regions   map[string]translations
	cities    []city
	nouns     map[string]translations
	types     map[string]translations
	order     translations // of noun, type and city in a hotel's name
	taglines  []string
	rooms     map[string]kind
	rules     []directory.HouseRule
	themes    []directory.Tokens
	perDollar map[money.Currency]string
	named     []draft
	words     []string // the keys of nouns, in order, so that a seed always picks the same
}

// translations is a text in English, Pashto, Persian, Urdu and Arabic.
type translations [5]string

// name returns it as a hotel's name. Dari and Iranian Persian have the same spelling here.
func (s translations) name() standin.Name {
	return standin.Name{Default: s[0], Localized: map[string]string{string(locale.English): s[0], string(locale.Pashto): s[1],
		string(locale.Dari): s[2], string(locale.Persian): s[2], string(locale.Urdu): s[3], string(locale.Arabic): s[4]}}
}

type country struct {
	Region      string           `json:"region"`
	Currency    money.Currency   `json:"currency"`
	Currencies  []money.Currency `json:"currencies"`
	Locales     []locale.Tag     `json:"locales"`
	Methods     []standin.Method `json:"methods"`
	Tax         string           `json:"tax"`
	BasisPoints int64            `json:"basisPoints"`
	Fee         string           `json:"fee"`
	FeeUnits    int64            `json:"feeUnits"` // per room and night
	Names       translations     `json:"names"`
	Also        []string         `json:"also"`
}

type city struct {
	ID     string       `json:"id"`
	Region string       `json:"region"` // its country, a hyphen and the region
	Lat    float64      `json:"lat"`
	Lng    float64      `json:"lng"`
	Zone   string       `json:"zone"`
	Level  float64      `json:"level"` // of prices; Kabul's is 1
	Names  translations `json:"names"`
	Also   []string     `json:"also"`
}

func (c city) country() string { return c.Region[:2] }

// A kind is a kind of room: its occupancy, and its price as a multiple of the standard room's.
type kind struct {
	Sleeps int       `json:"sleeps"`
	Factor float64   `json:"factor"`
	Texts  [5]phrase `json:"texts"`
}

type phrase [2]string // name and description

func readAtlas() (*atlas, error) {
	a := &atlas{}
	var places struct {
		Regions map[string]translations `json:"regions"`
		Cities  []city                  `json:"cities"`
	}
	var names struct {
		Nouns    map[string]translations `json:"nouns"`
		Types    map[string]translations `json:"types"`
		Order    translations            `json:"order"`
		Taglines []string                `json:"taglines"`
	}
	var rules []struct {
		Kind  string       `json:"kind"`
		Title translations `json:"title"`
		Text  translations `json:"text"`
	}
	for file, into := range map[string]any{"countries.json": &a.countries, "places.json": &places, "names.json": &names,
		"rooms.json": &a.rooms, "rules.json": &rules} {
		if err := readJSON(file, into); err != nil {
			return nil, err
		}
	}
	a.regions, a.cities = places.Regions, places.Cities
	a.nouns, a.types, a.order, a.taglines = names.Nouns, names.Types, names.Order, names.Taglines
	a.words = sortedKeys(a.nouns)
	for _, r := range rules {
		a.rules = append(a.rules, directory.HouseRule{Kind: r.Kind, Title: r.Title.name(), Text: r.Text.name()})
	}
	return a, a.readTables()
}

func readJSON(file string, into any) error {
	text, err := data.ReadFile("data/" + file)
	if err == nil {
		err = json.Unmarshal(text, into, json.RejectUnknownMembers(true))
	}
	if err != nil {
		return fmt.Errorf("demo: %s: %w", file, err)
	}
	return nil
}

// readTables reads the tabular files.
func (a *atlas) readTables() error {
	a.perDollar = map[money.Currency]string{}
	for file, read := range map[string]func(*row){
		"rates.tsv":  func(r *row) { a.perDollar[money.Currency(r.text())] = r.text() },
		"themes.tsv": func(r *row) { a.themes = append(a.themes, r.look()) },
		"hotels.tsv": func(r *row) { a.named = append(a.named, r.draft()) },
	} {
		text, err := data.ReadFile("data/" + file)
		if err != nil {
			return fmt.Errorf("demo: %s: %w", file, err)
		}
		for n, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
			if strings.HasPrefix(line, "# ") {
				continue
			}
			r := &row{cells: strings.Split(line, "\t")}
			read(r)
			if r.err == nil && len(r.cells) > 0 {
				r.err = fmt.Errorf("%d cells too many", len(r.cells))
			}
			if r.err != nil {
				return fmt.Errorf("demo: %s, line %d: %w", file, n+1, r.err)
			}
		}
	}
	return nil
}

// A row is read cell by cell. It keeps its first error.
type row struct {
	cells []string
	err   error
}

func (r *row) text() string {
	if len(r.cells) == 0 {
		r.fail(fmt.Errorf("a cell is missing"))
		return ""
	}
	cell := r.cells[0]
	r.cells = r.cells[1:]
	return cell
}

func (r *row) whole() int {
	n, err := strconv.Atoi(r.text())
	r.fail(err)
	return n
}

func (r *row) number() float64 {
	f, err := strconv.ParseFloat(r.text(), 64)
	r.fail(err)
	return f
}

func (r *row) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

func (r *row) look() directory.Tokens {
	return directory.Tokens{Primary: r.text(), OnPrimary: r.text(), Accent: r.text(), Background: r.text(), Surface: r.text(),
		Text: r.text(), Font: r.text(), Corner: r.whole()}
}

func (r *row) draft() draft {
	d := draft{city: r.text(), noun: r.text(), kind: r.text(), stars: r.whole(), at: standin.Geo{Lat: r.number(), Lng: r.number()},
		neighbourhood: r.text(), rating: standin.Rating{Value: r.number(), Count: r.whole()}}
	if own := r.text(); own != "-" {
		d.currency = money.Currency(own)
	}
	d.extras = strings.Split(r.text(), ",")
	if d.extras[0] == "" {
		d.extras = nil
	}
	return d
}
