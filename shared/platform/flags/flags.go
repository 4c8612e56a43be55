// Package flags samples events: it publishes one in n events of each subject, chosen by a hash of the event's id. It also
// switches features of a service. Rates and features can be changed at run time.
//
// A service declares a Table of its subjects, and its features. Rates are the table's rates, as changed by a document.
package flags

import (
	"context"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
)

// Flags are the rates and features of one service. They are stored in one hot document, which Refresh reads again after
// 30 s. While the document is invalid or cannot be read, its last valid content applies; initially the table's rates, and no
// feature.
type Flags struct {
	docs     document.Collection[Document]
	table    Table
	features []Feature
	now      func() time.Time
	looked   atomic.Int64 // time of the last read, in Unix nanoseconds
	current  atomic.Pointer[content]
}

// A content holds the rates and features of a valid document.
type content struct {
	rates Rates
	on    map[Feature]bool
}

// A Feature is a behavior of a service that can be switched on and off while its functions run. It is off without a document.
type Feature string

// ParseFeatures reads a document such as {"readOnly": true} and returns the known features that are on. An absent document
// switches nothing on. An unknown feature is not an error, because functions run beside newer and older versions of their
// service.
func ParseFeatures(document []byte, known []Feature) (map[Feature]bool, error) {
	if len(document) == 0 {
		return nil, nil
	}
	on, err := parse[Feature, bool](document, ErrFeature)
	maps.DeleteFunc(on, func(f Feature, switched bool) bool { return !switched || !slices.Contains(known, f) })
	return on, err
}

// A Document is the stored form of flags.
type Document struct {
	Sampling jsontext.Value `json:"sampling"`          // subjects and their n, in the form that [Table.Parse] reads
	Features jsontext.Value `json:"features,omitzero"` // features and their state, in the form that [ParseFeatures] reads
}

// Key is the key of the document in its collection.
var Key = document.KeyOf("current")

// reread is the maximum age of flags.
const reread = 30 * time.Second

// Open returns the flags stored in a collection; all copies of an Env share them. The document can change the rates of subjects
// in the table, except those with Always, and switch the given features. Without a document the table's rates apply.
func Open(e env.Env, collection string, table Table, features ...Feature) *Flags {
	f, _ := env.Once(e, "flags."+collection, func() (*Flags, error) { // never fails
		f := &Flags{docs: document.Open[Document](e, collection), table: table, features: features, now: e.Now}
		f.current.Store(&content{rates: table.Rates()})
		return f, nil
	})
	return f
}

// Refresh reads the flags again if they are due. Call it outside transactions. Only one of several concurrent callers reads. It
// ignores errors, because flags must not fail a request.
func (f *Flags) Refresh(ctx context.Context) {
	now, looked := f.now().UnixNano(), f.looked.Load()
	if now-looked < int64(reread) || !f.looked.CompareAndSwap(looked, now) {
		return
	}
	kept, ok, err := f.docs.Get(ctx, Key)
	if err != nil || !ok {
		return
	}
	rates, noRates := f.table.Parse(kept.Sampling)
	on, noFeatures := ParseFeatures(kept.Features, f.features)
	if noRates == nil && noFeatures == nil { // one invalid part rejects both
		f.current.Store(&content{rates: rates, on: on})
	}
}

// On reports whether the feature is on.
func (f *Flags) On(feature Feature) bool { return f.current.Load().on[feature] }

// Sampled returns the events to publish, each with its sampling rate. If silent (the guest rejects telemetry), it omits events
// of class Operational; events of class Audit and Regulated are evidence and stay. It sets missing event ids, because sampling
// depends on the id.
func (f *Flags) Sampled(silent bool, events ...event.Draft) (sampled []event.Draft) {
	rates := f.current.Load().rates
	for _, e := range events {
		if silent && e.Subject.Retention.Class == event.Operational {
			continue
		}
		if e.ID.IsZero() {
			e.ID = id.New[id.Event]()
		}
		keep, oneIn := rates.Keep(e.Subject.Name, e.ID)
		if !keep {
			continue
		}
		e.Subject.OneIn = oneIn
		sampled = append(sampled, e)
	}
	return sampled
}
