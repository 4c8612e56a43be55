package tenantbooking

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"melmastoon.ghasi.io/shared/document"
	"melmastoon.ghasi.io/shared/env"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/sampling"
)

// Flags are what is switched while functions run: so far how telemetry is thinned. They are one hot document, which every
// instance reads again after 30 s. While it is broken or cannot be read, what was good last goes on.
type Flags struct {
	docs   document.Collection[FlagDocument]
	now    func() time.Time
	looked atomic.Int64 // when somebody last asked for the document, in Unix nanoseconds
	rates  atomic.Pointer[sampling.Rates]
}

// A FlagDocument is bff-tenant-flags as it is kept.
type FlagDocument struct {
	Sampling jsontext.Value `json:"sampling"` // subjects and their n, as [sampling.Table.Parse] reads them
}

// FlagKey is where the flags are, in the collection "bff-tenant-flags".
var FlagKey = document.KeyOf("current")

// reread is how old flags may be.
const reread = 30 * time.Second

// OpenFlags opens the flags, which all functions of one instance share. They begin as built in.
func OpenFlags(e env.Env) *Flags {
	f, _ := env.Once(e, "tenantbooking.flags", func() (*Flags, error) { // it cannot fail
		f := &Flags{docs: document.Open[FlagDocument](e, "bff-tenant-flags"), now: e.Now}
		builtIn := Sampling.Rates()
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
	kept, ok, err := f.docs.Get(ctx, FlagKey)
	if err != nil || !ok {
		return
	}
	if rates, err := Sampling.Parse(kept.Sampling); err == nil {
		f.rates.Store(&rates)
	}
}

// Told are the events that are told: all that are evidence of a booking, a sample of the rest, and of those none about a
// guest who wants no telemetry.
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
