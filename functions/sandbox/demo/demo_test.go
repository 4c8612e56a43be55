package demo_test

import (
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/sandbox/demo"
	"melmastoon.ghasi.io/shared/pgtest"
)

func TestLoadingAgainOnlyAddsTheDaysThatCameNearer(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	owner := db.Owner(t)
	load := func() {
		t.Helper()
		if err := demo.Load(t.Context(), db.Env()); err != nil {
			t.Fatal(err)
		}
	}
	count := func(sql string) (n int) {
		t.Helper()
		if err := owner.QueryRow(t.Context(), sql).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	const nights = `SELECT count(*) FROM sandbox.inventory_nights`
	load()
	if _, err := owner.Exec(t.Context(), `UPDATE sandbox.tenants SET brand_name = 'Renamed'`); err != nil {
		t.Fatal(err)
	}
	load()
	if got := count(nights); got != 5*400 {
		t.Errorf("%d nights, want 400 of each of 5 room types", got)
	}
	if got := count(`SELECT count(*) FROM sandbox.tenants WHERE brand_name = 'Renamed'`); got != 2 {
		t.Errorf("%d of 2 tenants kept their new name", got)
	}
	db.Advance(3 * 24 * time.Hour)
	load()
	if got := count(nights); got != 5*403 {
		t.Errorf("three days later %d nights, want 403 of each room type", got)
	}
}

func TestEveryRoomIsOnSaleOnEveryDayOfTheWeek(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, h := range demo.Hotels() {
		if len(h.Rooms) < 2 || h.Slug == "" || h.Tenant.IsZero() || h.Property.IsZero() {
			t.Errorf("%s is not a whole hotel", h.Slug)
		}
		for _, r := range h.Rooms {
			for _, p := range []demo.Plan{r.Flexible, r.Saver} {
				if p.Quiet <= 0 || p.Busy < p.Quiet || seen[p.ID.String()] {
					t.Errorf("%s, %s, %s: priced %d and %d", h.Slug, r.Name, p.Name, p.Quiet, p.Busy)
				}
				seen[p.ID.String()] = true
			}
		}
	}
}
