package documenttest

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"melmastoon.ghasi.io/shared/platform/document"
)

var faultyStores = []struct {
	name    string // what the store does wrong
	check   string // which check must notice
	fixture func() Setup
}{
	{"text only", "stored record", setupOf(&faultyStore{create: func(m *Memory, ctx context.Context, now time.Time, n document.Name, r document.Record) (bool, error) {
		r.Value = []byte(strings.ToValidUTF8(string(r.Value), ""))
		return m.Create(ctx, now, n, r)
	}})},
	{"no collections", "separate collections", setupOf(&faultyStore{create: func(m *Memory, ctx context.Context, now time.Time, n document.Name, r document.Record) (bool, error) {
		n.Collection = ""
		return m.Create(ctx, now, n, r)
	}})},
	{"gaps last", "order of names", setupOf(&faultyStore{get: func(m *Memory, ctx context.Context, now time.Time, names []document.Name) ([]*document.Record, error) {
		found, err := m.Get(ctx, now, names...)
		return append(records(found), make([]*document.Record, len(names)-len(records(found)))...), err
	}})},
	{"expires late", "expiry boundary", setupOf(&faultyStore{get: func(m *Memory, ctx context.Context, now time.Time, names []document.Name) ([]*document.Record, error) {
		return m.Get(ctx, now.Add(-tick), names...)
	}})},
	{"expires early", "expiry boundary", setupOf(&faultyStore{get: func(m *Memory, ctx context.Context, now time.Time, names []document.Name) ([]*document.Record, error) {
		return m.Get(ctx, now.Add(tick), names...)
	}})},
	{"keeps expired records", "reuse after expiry", setupOf(&faultyStore{create: func(m *Memory, ctx context.Context, now time.Time, n document.Name, r document.Record) (bool, error) {
		return m.Create(ctx, noon, n, r)
	}})},
	{"continues an expired count", "reuse after expiry", setupOf(&faultyStore{add: func(m *Memory, ctx context.Context, now time.Time, n document.Name, by int64, until time.Time) (int64, error) {
		return m.Add(ctx, noon, n, by, until)
	}})},
	{"reads before it creates", "concurrent creates", setupOf(&faultyStore{create: lookThenCreate})},
	{"reads before it replaces", "concurrent creates after expiry", setupOf(&faultyStore{create: lookThenCreate})},
	{"last put wins", "newer version", setupOf(&faultyStore{put: lastPutWins})},
	{"writes behind", "late put", setupOf(writesBehind())},
	{"same version twice", "concurrent puts", setupOf(&faultyStore{put: func(m *Memory, ctx context.Context, now time.Time, n document.Name, r document.Record) (bool, error) {
		dither()
		if found, err := m.Get(ctx, now, n); err != nil || found[0] != nil && found[0].Version > r.Version {
			return false, err
		}
		return m.force(ctx, n, r)
	}})},
	{"last expiry wins", "add", setupOf(&faultyStore{add: func(m *Memory, ctx context.Context, now time.Time, n document.Name, by int64, until time.Time) (int64, error) {
		sum, err := m.Add(ctx, now, n, by, until)
		_, _ = m.force(ctx, n, document.Record{Number: sum, ExpiresAt: until})
		return sum, err
	}})},
	{"reads before it adds", "concurrent adds", setupOf(&faultyStore{add: func(m *Memory, ctx context.Context, now time.Time, n document.Name, by int64, until time.Time) (int64, error) {
		r := document.Record{ExpiresAt: until}
		found, err := m.Get(ctx, now, n)
		if err != nil {
			return 0, err
		}
		if found[0] != nil {
			r.Number = found[0].Number
		}
		dither()
		r.Number += by
		_, err = m.force(ctx, n, r)
		return r.Number, err
	}})},
	{"empties instead of deleting", "delete", setupOf(&faultyStore{remove: func(m *Memory, ctx context.Context, n document.Name) error {
		_, err := m.force(ctx, n, document.Record{Version: 1 << 62, ExpiresAt: evening})
		return err
	}})},
	{"truncates values", "largest value", setupOf(&faultyStore{create: func(m *Memory, ctx context.Context, now time.Time, n document.Name, r document.Record) (bool, error) {
		r.Value = slices.Clone(r.Value[:min(len(r.Value), 1_000_000)])
		return m.Create(ctx, now, n, r)
	}})},
	{"forgets on restart", "restart", func() Setup {
		return Setup{Open: func() document.Store { return &Memory{} }, Unreachable: unreachable}
	}},
	{"never unavailable", "no server", func() Setup {
		return Setup{Open: unreachable, Unreachable: func() document.Store { return &Memory{} }}
	}},
	{"ignores deadlines", "silent server", func() Setup {
		return Setup{Open: unreachable, Unreachable: unreachable, Silent: func() document.Store { return &hanging{silent: true} }}
	}},
	{"ignores the context", "expired context", setupOf(&faultyStore{remove: func(m *Memory, ctx context.Context, n document.Name) error {
		return m.Delete(context.WithoutCancel(ctx), n)
	}})},
}

func lookThenCreate(m *Memory, ctx context.Context, now time.Time, n document.Name, r document.Record) (bool, error) {
	if found, err := m.Get(ctx, now, n); err != nil || found[0] != nil {
		return false, err
	}
	dither()
	return m.force(ctx, n, r)
}

func lastPutWins(m *Memory, ctx context.Context, _ time.Time, n document.Name, r document.Record) (bool, error) {
	return m.force(ctx, n, r)
}

// writesBehind applies the first put of each record at the next read.
func writesBehind() *faultyStore {
	var late sync.Map
	return &faultyStore{
		put: func(m *Memory, ctx context.Context, now time.Time, n document.Name, r document.Record) (bool, error) {
			if _, known := late.LoadOrStore(n, r); !known {
				return true, nil
			}
			return m.Put(ctx, now, n, r)
		},
		get: func(m *Memory, ctx context.Context, now time.Time, names []document.Name) ([]*document.Record, error) {
			for _, n := range names {
				if r, ok := late.Load(n); ok {
					_, _ = m.force(ctx, n, r.(document.Record))
				}
			}
			return m.Get(ctx, now, names...)
		},
	}
}
