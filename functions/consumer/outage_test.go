package consumer_test

import (
	"context"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/consumer/consumertest"
	"melmastoon.ghasi.io/functions/consumer/readsession"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
)

// unavailableStore is a document store that is unavailable.
type unavailableStore struct{}

func (unavailableStore) Get(context.Context, time.Time, ...document.Name) ([]*document.Record, error) {
	return nil, fault.ErrUnavailable
}

func (unavailableStore) Create(context.Context, time.Time, document.Name, document.Record) (bool, error) {
	return false, fault.ErrUnavailable
}

func (unavailableStore) Put(context.Context, time.Time, document.Name, document.Record) (bool, error) {
	return false, fault.ErrUnavailable
}

func (unavailableStore) Delete(context.Context, document.Name) error { return fault.ErrUnavailable }

func (unavailableStore) Add(context.Context, time.Time, document.Name, int64, time.Time) (int64, error) {
	return 0, fault.ErrUnavailable
}

func TestSession_documentStoreDown(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	v := site.Traveller("DNT", "1")
	v.Must(200, "PATCH", "/session", `{"currency":"GBP"}`)
	first := v.Session
	site.Front = fntest.Behind(t, document.StoreKey.With(site.Env, unavailableStore{}), site.Front.Issuer(), allFunctions...)
	for range 2 {
		shown := fntest.Read[readsession.Response](t, v.Must(200, "GET", "/session", nil))
		check.Equal(t, v.Session, first)
		check.Equal(t, shown.Currency, "GBP")
		check.Equal(t, shown.Consent.Telemetry, false)
		v.Must(201, "POST", "/wishlist", wishBody(id.New[id.Property](), ""))
		v.Must(202, "POST", "/telemetry/page-view", `{"path":"/"}`)
		site.DB.Advance(2 * time.Hour) // so that it must be noted that it was seen
	}
	// A change of preferences fails, because the document would keep the old ones; and Clear fails, because the document may
	// still exist.
	v.Send("PATCH", "/session", `{"currency":"EUR"}`).Want(t, 503)
	v.Send("POST", "/session/clear", nil).Want(t, 503)
	other := site.Traveller()
	other.Must(201, "POST", "/wishlist", wishBody(id.New[id.Property](), ""))
	check.NotEqual(t, consumertest.Texts(t, site.DB)["bff_consumer.guest_sessions"], "", "a session was started")
	a := site.Traveller().Send("GET", "/session", nil)
	a.Want(t, 200)
	check.Equal(t, len(cookies(a)), 1)
}
