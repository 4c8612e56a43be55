package consumer_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/consumer"
	"melmastoon.ghasi.io/shared/doctest"
	"melmastoon.ghasi.io/shared/document"
	"melmastoon.ghasi.io/shared/env"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/upstreamtest"
)

// A countingStore counts reads: calls, documents, and the collections that they are of.
type countingStore struct {
	document.Store
	mu          sync.Mutex
	documents   int
	collections []string
}

func (c *countingStore) Get(ctx context.Context, now time.Time, names ...document.Name) ([]*document.Record, error) {
	c.mu.Lock()
	c.documents += len(names)
	for _, n := range names {
		c.collections = append(c.collections, n.Collection)
	}
	c.mu.Unlock()
	return c.Store.Get(ctx, now, names...)
}

// reset returns what was read since it was called last.
func (c *countingStore) reset() (documents int, collections []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	documents, collections = c.documents, c.collections
	c.documents, c.collections = 0, nil
	return documents, collections
}

func TestSuspended_oneDocument(t *testing.T) {
	t.Parallel()
	b, e, memory := bazaar(t, 50)
	store := &countingStore{Store: memory}
	e = doctest.Give(e, store)
	directory, all := consumer.OpenTenants(e), tenants(b)
	var want []id.Tenant
	for i, tenant := range all {
		if err := directory.Hear(t.Context(), tenant, i%2 == 0, e.Now()); err != nil {
			t.Fatal(err)
		}
		if i%2 == 0 {
			want = append(want, tenant)
		}
	}
	store.reset()
	got := directory.Suspended(t.Context(), all)
	for _, tenant := range all {
		if got[tenant] != slices.Contains(want, tenant) {
			t.Errorf("%s: suspended is %v", tenant, got[tenant])
		}
	}
	if n, from := store.reset(); n != 1 {
		t.Errorf("read %d documents of %v, want 1", n, from)
	}
}

// Events arrive in any order, repeatedly, at several processes at once, and from wrong clocks. The latest by occurredAt decides.
func TestSuspended_disorder(t *testing.T) {
	t.Parallel()
	b, e, store := bazaar(t, 24)
	all, now := tenants(b), e.Now()
	var hearing sync.WaitGroup
	for i, tenant := range all {
		directory := consumer.OpenTenants(doctest.Give(env.Of(nil), store)) // of another process
		for _, heard := range []struct {
			suspended bool
			at        time.Duration
		}{
			{i%2 == 0, 2 * time.Minute}, {i%2 != 0, time.Minute}, {i%2 == 0, 2 * time.Minute}, {i%2 != 0, -time.Minute},
			{i%2 != 0, -16 * time.Minute}, {i%2 != 0, 365 * 24 * time.Hour},
		} {
			hearing.Go(func() {
				if err := directory.Hear(t.Context(), tenant, heard.suspended, now.Add(heard.at)); err != nil {
					t.Error(err)
				}
			})
		}
	}
	hearing.Wait()
	got := consumer.OpenTenants(e).Suspended(t.Context(), all)
	for i, tenant := range all {
		if got[tenant] != (i%2 == 0) {
			t.Errorf("tenant %d: suspended is %v", i, got[tenant])
		}
	}
}

// While the tenant service cannot be asked again, the last event decides for as long as it does for lists.
func TestFind_tenantServiceDown(t *testing.T) {
	t.Parallel()
	b, e, _ := bazaar(t, 1)
	directory, tenant := consumer.OpenTenants(e), b.Hotels[0].Tenant
	find := func(want bool) {
		t.Helper()
		if found, err := directory.Find(t.Context(), tenant); err != nil || found.Suspended() != want {
			t.Errorf("suspended is %v, %v; want %v", found.Suspended(), err, want)
		}
	}
	find(false)
	b.Mood("tenants", upstreamtest.Failing)
	if err := consumer.OpenMemory(e).Stands(t.Context(), tenant, true, e.Now()); err != nil {
		t.Fatal(err)
	}
	find(true)
	e.Advance(14 * time.Minute)
	find(true)
	e.Advance(time.Minute)
	find(false) // the last answer of the tenant service
}
