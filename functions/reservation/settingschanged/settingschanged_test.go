package settingschanged

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/reservation/internal/platform"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// deliver delivers an event of the tenant.
func deliver(t *testing.T, db *pgtest.Database, tenant id.Tenant, once id.Event, c Changed) {
	t.Helper()
	handle, err := New(db.Env())
	if err != nil {
		t.Fatal(err)
	}
	delivery := event.Delivery{EventID: once, Subject: Function.Spec.Subject, Tenant: &tenant, Processor: Function.Spec.Name}
	if err := handle(t.Context(), event.Event[Changed]{Payload: c, Delivery: delivery}); err != nil {
		t.Fatal(err)
	}
}

func TestSettingsChanged_anyOrder(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	start := db.Env().Now()
	change := func(n int) Changed {
		return Changed{HoldTTLSeconds: 200 * n, NoShowGraceHours: n, ChangedAt: start.Add(time.Duration(n) * time.Second)}
	}
	for _, order := range [][]int{{1, 2, 3}, {1, 3, 2}, {2, 1, 3}, {2, 3, 1}, {3, 1, 2}, {3, 2, 1}, {3, 3, 2, 2, 1, 1, 3}} {
		t.Run(fmt.Sprint(order), func(t *testing.T) {
			tenant, ids := id.New[id.Tenant](), []id.Event{id.New[id.Event](), id.New[id.Event](), id.New[id.Event]()}
			for _, n := range order {
				deliver(t, db, tenant, ids[n-1], change(n))
			}
			// A process of its own: it has cached nothing.
			got := platform.OpenTenants(process(t, db)).Settings(t.Context(), tenant)
			if got.HoldTTL != 10*time.Minute || got.NoShowGrace != 3 {
				t.Errorf("in the order %v: a hold of %v and a grace of %d h, want those of the latest: 10m and 3 h", order, got.HoldTTL, got.NoShowGrace)
			}
		})
	}
}

// process returns the environment of another process with the same database and clock.
func process(t *testing.T, db *pgtest.Database) env.Env {
	t.Helper()
	e := env.Of(map[string]string{"DATABASE_URL": db.URL(), "TIMEOUT_FACTOR": "4"})
	e.Advance(db.Env().Offset())
	t.Cleanup(func() {
		if err := e.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return e
}

func TestSettingsChanged_allProcesses(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	tenant, other := id.New[id.Tenant](), id.New[id.Tenant]()
	one, two := process(t, db), process(t, db)
	ttls := func() (all []time.Duration) {
		for _, e := range []env.Env{one, two} {
			tenants := platform.OpenTenants(e)
			all = append(all, tenants.Settings(t.Context(), tenant).HoldTTL, tenants.Settings(t.Context(), other).HoldTTL)
		}
		return all
	}
	const before, after = 10 * time.Minute, 3 * time.Minute
	if got := ttls(); !slices.Equal(got, []time.Duration{before, before, before, before}) {
		t.Errorf("before the event: holds of %v, want the default of %v", got, before)
	}
	deliver(t, db, tenant, id.New[id.Event](), Changed{HoldTTLSeconds: 180, NoShowGraceHours: 1, ChangedAt: db.Env().Now()})
	one.Advance(30 * time.Second)
	two.Advance(30 * time.Second)
	if got := ttls(); !slices.Equal(got, []time.Duration{after, before, after, before}) {
		t.Errorf("30 s after the event: holds of %v, want %v for the tenant alone", got, after)
	}
}
