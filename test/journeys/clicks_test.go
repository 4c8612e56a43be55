package journeys

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"golang.org/x/sync/errgroup"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
	"melmastoon.ghasi.io/test/system"
)

// TestHostileClicks sends a thousand clicks that show no visitor's interest. They change neither a hotel's rank nor the dead letters.
func TestHostileClicks(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	s := system.Within(t, db, db.Env().With("RATE_LIMIT_SESSION", "off"))
	hotel, other := demo.KabulGrand, id.New[id.Tenant]()
	send := func(ctx context.Context, tenant id.Tenant, p id.Property, want int, header map[string]string) error {
		a, err := s.Do(ctx, system.Request{Method: http.MethodPost, Path: "/bff/consumer/v1/telemetry/click", Header: header, Body: map[string]any{
			"kind": "listing-card", "tenantId": tenant, "propertyId": p, "searchSessionId": id.New[id.SearchSession](), "position": 1}})
		if err == nil && a.Status != want {
			err = fmt.Errorf("%d %s, want %d", a.Status, a.Body, want)
		}
		return err
	}
	var group errgroup.Group
	group.SetLimit(4)
	for n := range 1000 {
		group.Go(func() error {
			switch n % 4 {
			case 0:
				return send(t.Context(), hotel.Tenant, hotel.Property, http.StatusAccepted, map[string]string{"User-Agent": "curl/8"})
			case 1: // a browser without a session
				return send(t.Context(), hotel.Tenant, hotel.Property, http.StatusAccepted, map[string]string{"User-Agent": "Mozilla/5.0 (X11; Linux x86_64)"})
			case 2:
				return send(t.Context(), other, hotel.Property, http.StatusNotFound, nil)
			}
			return send(t.Context(), hotel.Tenant, id.New[id.Property](), http.StatusNotFound, nil)
		})
	}
	check.Must(t, group.Wait())
	s.Settle()
	var clicks, events, dead int
	err := db.Owner(t).QueryRow(t.Context(), `
		SELECT (SELECT coalesce(sum(clicks), 0) FROM sandbox.popularity),
			(SELECT count(*) FROM bff_consumer.outbox WHERE subject LIKE '%click.recorded%'),
			(SELECT count(*) FROM bus.messages WHERE topic LIKE '%.dlq')`).Scan(&clicks, &events, &dead)
	check.Must(t, err)
	check.Equal(t, clicks, 0, "clicks that count")
	check.Equal(t, events, 0, "published events")
	check.Equal(t, dead, 0, "dead letters")
}
