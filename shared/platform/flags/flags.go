// Package flags decides which events are published: one in n of each subject, chosen by a hash of the event's id. The rates
// can be changed while functions run.
//
// A service declares a Table of its subjects; Rates are the table as built in, or as its document changes it.
package flags

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
)

// Flags are the rates of one service. They are kept in one hot document, which Refresh reads again when it was read more than
// 30 s ago. While the document is invalid or cannot be read, the last valid rates count; at first those of the table.
type Flags struct {
	docs   document.Collection[Document]
	table  Table
	now    func() time.Time
	looked atomic.Int64 // when somebody last asked for the document, in Unix nanoseconds
	rates  atomic.Pointer[Rates]
}

// A Document is how flags are kept.
type Document struct {
	Sampling jsontext.Value `json:"sampling"` // subjects and their n, as [Table.Parse] reads them
}

// Key is where the flags are in their collection.
var Key = document.KeyOf("current")

// reread is how old flags may be.
const reread = 30 * time.Second

// Open returns the flags that are kept in a collection; all functions of one Env's family share them. The document there can
// change the rate of each subject in the table but of those that are Always kept. Without a document the table's rates count.
func Open(e env.Env, collection string, table Table) *Flags {
	f, _ := env.Once(e, "flags."+collection, func() (*Flags, error) { // it cannot fail
		f := &Flags{docs: document.Open[Document](e, collection), table: table, now: e.Now}
		builtIn := table.Rates()
		f.rates.Store(&builtIn)
		return f, nil
	})
	return f
}

// Refresh reads the flags again if they are due. It is called where no transaction is open, by one caller of many at once,
// and never fails: flags are not worth a guest's answer.
func (f *Flags) Refresh(ctx context.Context) {
	now, looked := f.now().UnixNano(), f.looked.Load()
	if now-looked < int64(reread) || !f.looked.CompareAndSwap(looked, now) {
		return
	}
	kept, ok, err := f.docs.Get(ctx, Key)
	if err != nil || !ok {
		return
	}
	if rates, err := f.table.Parse(kept.Sampling); err == nil {
		f.rates.Store(&rates)
	}
}

// Sampled returns those of the events that are to be published, each with the rate that it was sampled at. If silent (the guest
// wants no telemetry), events of class Operational are left out; events of class Audit and Regulated are evidence and stay.
// An event without an id gets one here, since sampling goes by the id.
func (f *Flags) Sampled(silent bool, events ...event.Draft) (told []event.Draft) {
	rates := f.rates.Load()
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
		told = append(told, e)
	}
	return told
}
