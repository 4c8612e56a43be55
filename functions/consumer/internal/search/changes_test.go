package search_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/consumer/internal/search"
	"melmastoon.ghasi.io/functions/consumer/internal/search/searchtest"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/testkit/documenttest"
	"melmastoon.ghasi.io/shared/testkit/upstreamtest"
)

func TestSuspended_oneDocument(t *testing.T) {
	t.Parallel()
	b, e, memory := openServices(t, 50)
	store := &searchtest.Reads{Store: memory}
	e = documenttest.Give(e, store)
	directory, all := search.OpenTenants(e), tenants(b)
	var want []id.Tenant
	for i, tenant := range all {
		if err := directory.Apply(t.Context(), tenant, i%2 == 0, e.Now()); err != nil {
			t.Fatal(err)
		}
		if i%2 == 0 {
			want = append(want, tenant)
		}
	}
	store.Since()
	got := directory.Suspended(t.Context(), all)
	for _, tenant := range all {
		if got[tenant] != slices.Contains(want, tenant) {
			t.Errorf("%s: suspended is %v", tenant, got[tenant])
		}
	}
	if read := store.Since(); len(read) != 1 {
		t.Errorf("read %v, want 1 document", read)
	}
}

// Events arrive in any order, repeatedly, at several processes at once, and from wrong clocks. The latest by occurredAt decides.
func TestSuspended_disorder(t *testing.T) {
	t.Parallel()
	b, e, store := openServices(t, 24)
	all, now := tenants(b), e.Now()
	var hearing sync.WaitGroup
	for i, tenant := range all {
		directory := search.OpenTenants(documenttest.Give(env.Of(nil), store)) // of another process
		for _, heard := range []struct {
			suspended bool
			at        time.Duration
		}{
			{i%2 == 0, 2 * time.Minute}, {i%2 != 0, time.Minute}, {i%2 == 0, 2 * time.Minute}, {i%2 != 0, -time.Minute},
			{i%2 != 0, -16 * time.Minute}, {i%2 != 0, 365 * 24 * time.Hour},
		} {
			hearing.Go(func() {
				if err := directory.Apply(t.Context(), tenant, heard.suspended, now.Add(heard.at)); err != nil {
					t.Error(err)
				}
			})
		}
	}
	hearing.Wait()
	got := search.OpenTenants(e).Suspended(t.Context(), all)
	for i, tenant := range all {
		if got[tenant] != (i%2 == 0) {
			t.Errorf("tenant %d: suspended is %v", i, got[tenant])
		}
	}
}

// While the tenant service fails, the last event decides for as long as it does for lists.
func TestFind_tenantServiceDown(t *testing.T) {
	t.Parallel()
	b, e, _ := openServices(t, 1)
	directory, tenant := search.OpenTenants(e), b.Hotels[0].Tenant
	find := func(want bool) {
		t.Helper()
		found, err := directory.Find(t.Context(), tenant)
		if err != nil {
			t.Fatal(err)
		}
		if found.Suspended() != want {
			t.Errorf("found.Suspended() = %t, want %t", found.Suspended(), want)
		}
	}
	find(false)
	b.SetBehavior("tenants", upstreamtest.Failing)
	if err := search.OpenInvalidator(e).ApplyStatus(t.Context(), tenant, true, e.Now()); err != nil {
		t.Fatal(err)
	}
	find(true)
	e.Advance(14 * time.Minute)
	find(true)
	e.Advance(time.Minute)
	find(false) // the last answer of the tenant service
}
