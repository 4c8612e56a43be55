package tenantbooking

import (
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"melmastoon.ghasi.io/shared/doctest"
	"melmastoon.ghasi.io/shared/document"
	"melmastoon.ghasi.io/shared/document/pg"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/pgtest"
)

// thinned counts how many of a thousand steps are told.
func thinned(f *Flags) (n int) {
	for range 1000 {
		n += len(f.Told(false, event.Draft{Subject: StepCompletedV1}))
	}
	return n
}

func TestFlagsAreReadAgainAndTheLastGoodOnesStay(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	e := doctest.Give(db.Env(), pg.Open(db.Env()))
	f, docs := OpenFlags(e), document.Open[FlagDocument](e, "bff-tenant-flags")
	step := `"` + StepCompletedV1.Name + `"`
	for version, test := range []struct {
		name     string
		sampling string
		wait     time.Duration
		all      bool
	}{
		{"built in, a quarter is told", "", 0, false},
		{"a change is not seen at once", `{` + step + `:1}`, 0, false},
		{"but within half a minute", "", reread, true},
		{"broken flags change nothing", `{` + step + `:"often"}`, reread, true},
		{"nor do those that silence what is always told", `{` + step + `:4,"` + DraftConvertedV1.Name + `":2}`, reread, true},
		{"good ones do", `{` + step + `:4}`, reread, false},
	} {
		if test.sampling != "" {
			flags := FlagDocument{jsontext.Value(test.sampling)}
			if _, err := docs.Put(t.Context(), FlagKey, flags, int64(version), e.Now().AddDate(1, 0, 0)); err != nil {
				t.Fatal(err)
			}
		}
		db.Advance(test.wait)
		f.Refresh(t.Context())
		if n := thinned(f); (n == 1000) != test.all || n == 0 {
			t.Errorf("%s: %d of 1000 are told", test.name, n)
		}
	}
}

func TestFlagsThatCannotBeReadChangeNothing(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	f := OpenFlags(db.Env()) // nobody gave a store
	f.Refresh(t.Context())
	if n := thinned(f); n == 0 || n == 1000 {
		t.Errorf("%d of 1000 are told, want those built in", n)
	}
}
