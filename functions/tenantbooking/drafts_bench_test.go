package tenantbooking_test

import (
	"net/http"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/booking"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// BenchmarkADraft compares reading a draft from PostgreSQL with reading a copy from the hot store, and saving it with
// and without such a copy. The figures are the reason why there is no copy.
func BenchmarkADraft(b *testing.B) {
	system := tenantbookingtest.Build(b, funnel()...)
	g := system.Guest(0).RequestQuote().Hold().SetGuest()
	drafts := booking.OpenDrafts(system.Env)
	copies := document.Open[booking.Draft](system.Env, "booking-draft")
	draft, err := drafts.Get(b.Context(), g.Session, g.Draft)
	check.Must(b, err)
	key, until := document.KeyOf(g.Tenant.ID.String(), g.Draft.String()), system.Env.Now().Add(time.Hour)
	put := func() error {
		_, err := copies.Put(b.Context(), key, *draft, int64(draft.Version), until)
		return err
	}
	save := func() error {
		draft.Version++
		return drafts.Save(b.Context(), draft)
	}
	check.Must(b, put())
	for _, way := range []struct {
		name string
		act  func() error
	}{
		{"read in SQL", func() error { _, err := drafts.Get(b.Context(), g.Session, g.Draft); return err }},
		{"read the copy", func() error { _, _, err := copies.Get(b.Context(), key); return err }},
		{"the whole GET", func() error { g.Must(http.StatusOK, "GET", "/draft/"+g.Draft.String(), nil); return nil }},
		{"save", save},
		{"save and copy", func() error {
			if err := save(); err != nil {
				return err
			}
			return put()
		}},
	} {
		b.Run(way.name, func(b *testing.B) {
			for b.Loop() {
				check.Must(b, way.act())
			}
		})
	}
}
