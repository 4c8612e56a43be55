// Package flags decides which events are told, as it is switched while functions run: one in n of a subject, always the same ones.
//
// A service declares a Table of its subjects; Rates are the table as built in, or as its document changes it.
package flags

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"melmastoon.ghasi.io/shared/document"
	"melmastoon.ghasi.io/shared/env"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
)

// Flags are a service's: one hot document, which every instance reads again after 30 s. While it is broken or cannot be
// read, what was good last goes on.
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

// Open opens the flags in a collection, which all functions of one instance share. What is kept there can thin the events
// of the table, as far as that lets itself be thinned; without it they are told as the table says.
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

// Told are the events that are told: all that are evidence, of a booking or for security, a sample of the rest, and of
// those none about a guest who wants no telemetry.
func (f *Flags) Told(silent bool, events ...event.Draft) (told []event.Draft) {
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
