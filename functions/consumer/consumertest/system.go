package consumertest

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/consumer/internal/search/searchtest"
	"melmastoon.ghasi.io/functions/consumer/internal/session"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/local/documents"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/flags"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// A System is functions of this service with fake upstream services.
type System struct {
	*Site
	*searchtest.Services
	today time.Time // date of the start, so that repeated searches ask for the same nights after midnight
}

// OpenSystem starts functions with fake upstream services of the given number of hotels.
func OpenSystem(t testing.TB, hotels int, fs ...fn.Function) *System {
	t.Helper()
	m, _ := OpenCountingReads(t, hotels, fs...)
	return m
}

// OpenCountingReads is like OpenSystem and counts document reads.
func OpenCountingReads(t testing.TB, hotels int, fs ...fn.Function) (*System, *searchtest.Reads) {
	t.Helper()
	db, services := pgtest.New(t), searchtest.Open(t, hotels)
	reads := &searchtest.Reads{Store: documents.Open(db.Env()), Except: session.FlagsIn}
	e := document.StoreKey.With(services.Around(db.Env()), reads)
	return &System{Site: OpenOn(t, db, e, fs...), Services: services, today: db.Env().Now()}, reads
}

// StoredSession returns the traveller's stored session.
func (v *Traveller) StoredSession() session.Session {
	v.t.Helper()
	kept, err := v.Sessions().Get(v.t.Context(), v.Session)
	check.Must(v.t, err)
	return kept
}

// Dates returns the date a number of days after the start, as in requests.
func (m *System) Dates(from, nights int) (checkIn, checkOut string) {
	day := m.today.AddDate(0, 0, from)
	return day.Format(time.DateOnly), day.AddDate(0, 0, nights).Format(time.DateOnly)
}

// SearchBody returns a search request for two guests in Kabul, in a week for two nights, with further members added.
func (m *System) SearchBody(more ...string) string {
	return m.SearchBodyIn(`{"mode":"city","city":"Kabul"}`, more...)
}

// SearchBodyIn returns the request of SearchBody for another place.
func (m *System) SearchBodyIn(geo string, more ...string) string {
	checkIn, checkOut := m.Dates(7, 2)
	return `{"geo":` + geo + `,"dates":{"checkIn":"` + checkIn + `","checkOut":"` + checkOut + `"},"occupancy":{"adults":2,"children":0,"rooms":1}` + strings.Join(more, "") + `}`
}

// Deliver delivers an event of another service to a function as the bus does, and fails the test unless it is acknowledged.
func (m *System) Deliver(to fn.Function, tenant id.Tenant, payload any, when time.Time) {
	m.t.Helper()
	subject := event.Subject{Name: to.Spec.Subject, Version: 1, Producer: "a-neighbour", SchemaURI: "https://schemas.melmastoon.io/" + to.Spec.Subject}
	raw, err := event.Draft{Subject: subject, Tenant: tenant, OrderingKey: tenant.String(), Payload: payload}.Seal(when, event.Origin{})
	check.Must(m.t, err)
	m.Front.Push(to, raw).Must(m.t, http.StatusNoContent)
}

// EverySearch disables the sampling of search events.
func (m *System) EverySearch() {
	m.t.Helper()
	kept := document.Open[flags.Document](m.Env, session.FlagsIn)
	sampling := []byte(`{"` + session.SearchExecutedV1.Name + `":1}`)
	check.Got(kept.Put(m.t.Context(), flags.Key, flags.Document{Sampling: sampling}, 1, m.Env.Now().Add(time.Hour))).Must(m.t)
}
