package documenttest

import (
	"sync"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// A client wraps a store. Every error fails the test.
type client struct {
	t     testing.TB
	store document.Store
}

func open(t testing.TB, r Setup) client { return client{t, r.Open()} }

func (d client) get(now time.Time, names ...document.Name) []*document.Record {
	d.t.Helper()
	found := check.Got(d.store.Get(d.t.Context(), now, names...)).Must(d.t, "get")
	if len(found) != len(names) {
		d.t.Fatalf("get: got %d records for %d names", len(found), len(names))
	}
	return found
}

// content returns the text of a record, or "-" if it does not exist.
func (d client) content(now time.Time, name document.Name) string {
	d.t.Helper()
	if r := d.get(now, name)[0]; r != nil {
		return string(r.Value)
	}
	return "-"
}

func (d client) create(now time.Time, name document.Name, r document.Record) bool {
	d.t.Helper()
	created, err := d.store.Create(d.t.Context(), now, name, r)
	check.NoError(d.t, err, "create")
	return created
}

func (d client) put(now time.Time, name document.Name, r document.Record) bool {
	d.t.Helper()
	stored, err := d.store.Put(d.t.Context(), now, name, r)
	check.NoError(d.t, err, "put")
	return stored
}

func (d client) add(now time.Time, name document.Name, n int64, until time.Time) int64 {
	d.t.Helper()
	sum, err := d.store.Add(d.t.Context(), now, name, n, until)
	check.NoError(d.t, err, "add")
	return sum
}

func (d client) remove(name document.Name) {
	d.t.Helper()
	check.NoError(d.t, d.store.Delete(d.t.Context(), name), "delete")
}

func expect[V comparable](t testing.TB, what string, got, want V) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// together runs f n times concurrently, starting all at the same time.
func together(n int, f func(i int)) {
	var all sync.WaitGroup
	start := make(chan struct{})
	for i := range n {
		all.Go(func() { <-start; f(i) })
	}
	close(start)
	all.Wait()
}
