package tenantbooking_test

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"

	"melmastoon.ghasi.io/functions/tenantbooking/confirmcash"
	"melmastoon.ghasi.io/functions/tenantbooking/hold"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/booking"
	"melmastoon.ghasi.io/functions/tenantbooking/openintent"
	"melmastoon.ghasi.io/functions/tenantbooking/quote"
	"melmastoon.ghasi.io/functions/tenantbooking/readconfirmation"
	"melmastoon.ghasi.io/functions/tenantbooking/setguest"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
	"melmastoon.ghasi.io/shared/testkit/fntest"
)

// bookInCash books a stay, and returns the path of its confirmation and the view token.
func bookInCash(t *testing.T, s *tenantbookingtest.System) (g *tenantbookingtest.Guest, path, token string) {
	t.Helper()
	g = s.Guest(0).RequestQuote().Hold().SetGuest().Pay("cash_on_arrival")
	var out booking.Outcome
	g.Must(http.StatusOK, "POST", "/draft/"+g.Draft.String()+"/confirm", nil).Into(t, &out)
	return g, "/confirmation/" + g.Stay.String(), out.ViewToken
}

func TestConfirmation_telemetryFails(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, sql, undo string }{
		{"views_locked", `LOCK TABLE bff_tenant_booking.confirmation_views IN ACCESS EXCLUSIVE MODE`, ""},
		{"views_gone", `ALTER TABLE bff_tenant_booking.confirmation_views RENAME TO gone`, `ALTER TABLE bff_tenant_booking.gone RENAME TO confirmation_views`},
		{"outbox_locked", `LOCK TABLE bff_tenant_booking.outbox IN ACCESS EXCLUSIVE MODE`, ""},
		{"outbox_gone", `ALTER TABLE bff_tenant_booking.outbox RENAME TO gone`, `ALTER TABLE bff_tenant_booking.gone RENAME TO outbox`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := tenantbookingtest.Build(t, quote.Function, hold.Function, setguest.Function, openintent.Function, confirmcash.Function, readconfirmation.Function)
			g, path, _ := bookInCash(t, s)
			tx, err := s.DB.Owner(t).Begin(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = tx.Rollback(t.Context()) }()
			if _, err := tx.Exec(t.Context(), test.sql); err != nil {
				t.Fatal(err)
			}
			if test.undo != "" {
				if err := tx.Commit(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			if a := g.Send("GET", path, nil); a.Status != http.StatusOK {
				t.Errorf("the confirmation answers %d %s, want 200", a.Status, a.Body)
			}
			if _, err := s.DB.Owner(t).Exec(t.Context(), test.undo); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestConfirmation_sessionKeysRotatedAway(t *testing.T) {
	t.Parallel()
	s := tenantbookingtest.Build(t, quote.Function, hold.Function, setguest.Function, openintent.Function, confirmcash.Function, readconfirmation.Function)
	g, path, token := bookInCash(t, s)
	other := "other:" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat("o", 32)))
	for _, test := range []struct {
		ring string
		want int
	}{
		{ring: "TENANT_SESSION_KEYS", want: http.StatusOK},
		{ring: "VIEW_TOKEN_KEYS", want: http.StatusNotFound},
	} {
		t.Run(test.ring, func(t *testing.T) {
			g.Front = fntest.Behind(t, s.Env.With(test.ring, other), s.Front.Issuer(), readconfirmation.Function)
			if a := g.Front.As("").Send("GET", g.Path(path+"?t="+token), nil); a.Status != test.want {
				t.Errorf("the link answers %d %s, want %d", a.Status, a.Body, test.want)
			}
		})
	}
}
