package consumertest

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/consumer"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/document/pg"
	"melmastoon.ghasi.io/shared/platform/flags"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// A System is functions of this service with fake upstream services.
type System struct {
	*Site
	*FakeListings
	today time.Time // date of the start, so that repeated searches ask for the same nights after midnight
}

// OpenMarket starts functions with fake upstream services of the given number of hotels.
func OpenMarket(t testing.TB, hotels int, fs ...fn.Function) *System {
	t.Helper()
	m, _ := OpenCounted(t, hotels, fs...)
	return m
}

// OpenCounted is like OpenMarket and counts document reads.
func OpenCounted(t testing.TB, hotels int, fs ...fn.Function) (*System, *Reads) {
	t.Helper()
	db, bazaar := pgtest.New(t), OpenBazaar(t, hotels)
	reads := &Reads{Store: pg.Open(db.Env())}
	e := document.StoreKey.With(bazaar.Around(db.Env()), reads)
	return &System{Site: OpenOn(t, db, e, fs...), FakeListings: bazaar, today: db.Env().Now()}, reads
}

// Reads is a document store that counts reads, except those of flags, which a process reads every 30 s.
type Reads struct {
	document.Store
	mu          sync.Mutex
	collections []string // of each document
}

// Get implements document.Store.
func (r *Reads) Get(ctx context.Context, now time.Time, names ...document.Name) ([]*document.Record, error) {
	r.mu.Lock()
	for _, n := range names {
		if n.Collection != consumer.FlagsIn {
			r.collections = append(r.collections, n.Collection)
		}
	}
	r.mu.Unlock()
	return r.Store.Get(ctx, now, names...)
}

// Since returns the collection of each document that was read since the last call.
func (r *Reads) Since() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	read := r.collections
	r.collections = nil
	return read
}

// Kept returns the traveller's stored session.
func (v *Traveller) Kept() consumer.Session {
	v.t.Helper()
	kept, err := v.Sessions().Get(v.t.Context(), v.Session)
	if err != nil {
		v.t.Fatal(err)
	}
	return kept
}

// Days returns the date a number of days after the start, as in requests.
func (m *System) Days(from, nights int) (checkIn, checkOut string) {
	day := m.today.AddDate(0, 0, from)
	return day.Format(time.DateOnly), day.AddDate(0, 0, nights).Format(time.DateOnly)
}

// Wish returns a search request for two guests in Kabul, in a week for two nights, with further members added.
func (m *System) Wish(more ...string) string {
	return m.WishIn(`{"mode":"city","city":"Kabul"}`, more...)
}

// WishIn returns the request of Wish for another place.
func (m *System) WishIn(geo string, more ...string) string {
	checkIn, checkOut := m.Days(7, 2)
	return `{"geo":` + geo + `,"dates":{"checkIn":"` + checkIn + `","checkOut":"` + checkOut + `"},"occupancy":{"adults":2,"children":0,"rooms":1}` + strings.Join(more, "") + `}`
}

// Hears delivers an event of another service to a function as the bus does, and fails the test unless it is acknowledged.
func (m *System) Hears(to fn.Function, tenant id.Tenant, payload any, when time.Time) {
	m.t.Helper()
	subject := event.Subject{Name: to.Spec.Subject, Version: 1, Producer: "a-neighbour", SchemaURI: "https://schemas.melmastoon.io/" + to.Spec.Subject}
	raw, err := event.Draft{Subject: subject, Tenant: tenant, OrderingKey: tenant.String(), Payload: payload}.Seal(when, event.Origin{})
	if err != nil {
		m.t.Fatal(err)
	}
	if a := m.Front.Push(to, raw); a.Status != http.StatusNoContent {
		m.t.Fatalf("%s answered %d: %s", to.Spec.Name, a.Status, a.Body)
	}
}

// EverySearch disables the sampling of search events.
func (m *System) EverySearch() {
	m.t.Helper()
	kept := document.Open[flags.Document](m.Env, consumer.FlagsIn)
	sampling := []byte(`{"` + consumer.SearchExecutedV1.Name + `":1}`)
	if _, err := kept.Put(m.t.Context(), flags.Key, flags.Document{Sampling: sampling}, 1, m.Env.Now().Add(time.Hour)); err != nil {
		m.t.Fatal(err)
	}
}
