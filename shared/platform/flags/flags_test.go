package flags_test

import (
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/document/pg"
	"melmastoon.ghasi.io/shared/platform/flags"
	"melmastoon.ghasi.io/shared/testkit/documenttest"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// Of two events one is a sample, and one is evidence.
var (
	step     = event.Subject{Name: "step.v1", Retention: event.Retention{Class: event.Operational}}
	evidence = event.Subject{Name: "evidence.v1", Retention: event.Retention{Class: event.Audit}}
	table    = flags.Table{step.Name: {OneIn: 4}, evidence.Name: {Always: true}}
)

const reread = 31 * time.Second

// thinned returns how many of a thousand events are published.
func thinned(f *flags.Flags) (n int) {
	for range 1000 {
		n += len(f.Sampled(false, event.Draft{Subject: step}))
	}
	return n
}

func TestFlagsAreReadAgainAndTheLastGoodOnesStay(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	e := documenttest.Give(db.Env(), pg.Open(db.Env()))
	f, docs := flags.Open(e, "flags", table), document.Open[flags.Document](e, "flags")
	step := `"` + step.Name + `"`
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
		{"nor do those that silence what is always told", `{` + step + `:4,"` + evidence.Name + `":2}`, reread, true},
		{"good ones do", `{` + step + `:4}`, reread, false},
	} {
		if test.sampling != "" {
			kept := flags.Document{Sampling: jsontext.Value(test.sampling)}
			if _, err := docs.Put(t.Context(), flags.Key, kept, int64(version), e.Now().AddDate(1, 0, 0)); err != nil {
				t.Fatal(err)
			}
		}
		db.Advance(test.wait)
		f.Refresh(t.Context())
		if n := thinned(f); (n == 1000) != test.all || n == 0 {
			t.Errorf("%s: %d of 1000 are published", test.name, n)
		}
	}
}

func TestFlagsThatCannotBeReadChangeNothing(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	f := flags.Open(db.Env(), "flags", table) // no store configured
	f.Refresh(t.Context())
	if n := thinned(f); n == 0 || n == 1000 {
		t.Errorf("%d of 1000 are published, want the built-in rate", n)
	}
}

func TestASilentGuestIsEvidenceOnly(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	f := flags.Open(db.Env(), "flags", table)
	for range 100 {
		told := f.Sampled(true, event.Draft{Subject: step}, event.Draft{Subject: evidence})
		switch {
		case len(told) != 1:
			t.Fatalf("len(told) = %v, want 1", len(told))
		case told[0].Subject.Name != evidence.Name:
			t.Fatalf("told[0].Subject.Name = %v, want %v", told[0].Subject.Name, evidence.Name)
		case told[0].ID.IsZero():
			t.Fatalf("told[0].ID.IsZero() = true, want false")
		}
	}
}
