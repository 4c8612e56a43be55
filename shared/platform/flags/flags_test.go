package flags_test

import (
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/local/documents"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/flags"
	"melmastoon.ghasi.io/shared/testkit/check"
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

func TestFlags_reread(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	e := documenttest.Give(db.Env(), documents.Open(db.Env()))
	f, docs := flags.Open(e, "flags", table), document.Open[flags.Document](e, "flags")
	step := `"` + step.Name + `"`
	for version, test := range []struct {
		name     string
		sampling string
		wait     time.Duration
		all      bool
	}{
		{"default of one in four", "", 0, false},
		{"change within the cache time", `{` + step + `:1}`, 0, false},
		{"change after the cache time", "", reread, true},
		{"invalid flags", `{` + step + `:"often"}`, reread, true},
		{"flags for an event that is always published", `{` + step + `:4,"` + evidence.Name + `":2}`, reread, true},
		{"valid flags", `{` + step + `:4}`, reread, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.sampling != "" {
				kept := flags.Document{Sampling: jsontext.Value(test.sampling)}
				check.Got(docs.Put(t.Context(), flags.Key, kept, int64(version), e.Now().AddDate(1, 0, 0))).Must(t)
			}
			db.Advance(test.wait)
			f.Refresh(t.Context())
			if n := thinned(f); (n == 1000) != test.all || n == 0 {
				t.Errorf("%s: %d of 1000 are published", test.name, n)
			}
		})
	}
}

func TestFlags_unreadable(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	f := flags.Open(db.Env(), "flags", table) // no store configured
	f.Refresh(t.Context())
	if n := thinned(f); n == 0 || n == 1000 {
		t.Errorf("%d of 1000 are published, want the built-in rate", n)
	}
}

func TestFlags_silentGuest(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	f := flags.Open(db.Env(), "flags", table)
	for range 100 {
		got := f.Sampled(true, event.Draft{Subject: step}, event.Draft{Subject: evidence})
		switch {
		case len(got) != 1:
			t.Fatalf("len(got) = %v, want 1", len(got))
		case got[0].Subject.Name != evidence.Name:
			t.Fatalf("got[0].Subject.Name = %v, want %v", got[0].Subject.Name, evidence.Name)
		case got[0].ID.IsZero():
			t.Fatalf("got[0].ID.IsZero() = true, want false")
		}
	}
}

// If any part of a document is invalid, the rates and features of the last valid document apply.
func TestRefresh_invalidDocumentKeepsLast(t *testing.T) {
	t.Parallel()
	name := `"` + step.Name + `"`
	const all = `{"readOnly":true}`
	for title, broken := range map[string]flags.Document{
		"features are a list":          {Sampling: []byte(`{}`), Features: []byte(`["readOnly"]`)},
		"features are null":            {Sampling: []byte(`{}`), Features: []byte(`null`)},
		"features are a text":          {Sampling: []byte(`{}`), Features: []byte(`"readOnly"`)},
		"features are a switch":        {Sampling: []byte(`{}`), Features: []byte(`false`)},
		"a feature is a text":          {Sampling: []byte(`{}`), Features: []byte(`{"readOnly":"false"}`)},
		"a feature is a number":        {Sampling: []byte(`{}`), Features: []byte(`{"readOnly":0}`)},
		"a feature is null":            {Sampling: []byte(`{}`), Features: []byte(`{"readOnly":null}`)},
		"a feature is an object":       {Sampling: []byte(`{}`), Features: []byte(`{"readOnly":{"on":false}}`)},
		"an unknown feature is a text": {Sampling: []byte(`{}`), Features: []byte(`{"readOnly":false,"other":"yes"}`)},
		"sampling is null":             {Sampling: []byte(`null`), Features: []byte(`{"readOnly":false}`)},
		"sampling is a list":           {Sampling: []byte(`[4]`), Features: []byte(`{"readOnly":false}`)},
		"a rate is a fraction":         {Sampling: []byte(`{` + name + `:0.5}`), Features: []byte(`{"readOnly":false}`)},
		"a rate is zero":               {Sampling: []byte(`{` + name + `:0}`), Features: []byte(`{"readOnly":false}`)},
		"evidence is sampled":          {Sampling: []byte(`{"` + evidence.Name + `":2}`), Features: []byte(`{"readOnly":false}`)},
	} {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			db := pgtest.New(t)
			e := documenttest.Give(db.Env(), documents.Open(db.Env()))
			f, docs := flags.Open(e, "flags", table, "readOnly"), document.Open[flags.Document](e, "flags")
			for version, kept := range []flags.Document{{Sampling: []byte(`{` + name + `:1}`), Features: []byte(all)}, broken} {
				check.Got(docs.Put(t.Context(), flags.Key, kept, int64(version+1), e.Now().AddDate(1, 0, 0))).Must(t)
				db.Advance(reread)
				f.Refresh(t.Context())
			}
			if !f.On("readOnly") {
				t.Error("the feature is off, want the last valid value, on")
			}
			if n := thinned(f); n != 1000 {
				t.Errorf("%d of 1000 events are published, want the last valid rate, all", n)
			}
		})
	}
}

func TestParseFeatures(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		document string
		on       bool
		want     error
	}{
		{"", false, nil},
		{"{}", false, nil},
		{`{"readOnly":true}`, true, nil},
		{`{"readOnly":false}`, false, nil},
		{`{"other":true}`, false, nil},
		{`{"readOnly":true`, false, flags.ErrForm},
		{`{} {}`, false, flags.ErrForm},
		{`{"readOnly":true,"readOnly":false}`, false, flags.ErrForm},
		{`{"readOnly":1}`, false, flags.ErrFeature},
	} {
		t.Run(test.document, func(t *testing.T) {
			t.Parallel()
			got, err := flags.ParseFeatures([]byte(test.document), []flags.Feature{"readOnly"})
			check.Error(t, err, test.want)
			check.Equal(t, got["readOnly"], test.on, "readOnly")
			if got["other"] {
				t.Error("an unknown feature is on")
			}
		})
	}
}
