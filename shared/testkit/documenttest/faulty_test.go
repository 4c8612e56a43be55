package documenttest

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"melmastoon.ghasi.io/shared/platform/document"
)

var saboteurs = []struct {
	name    string // what the store does wrong
	check   string // which check must notice
	fixture func() Setup
}{
	{"it keeps text only", "a record is returned as it was stored", setupOf(&faultyStore{create: func(m *Memory, ctx context.Context, now time.Time, n document.Name, r document.Record) (bool, error) {
		r.Value = []byte(strings.ToValidUTF8(string(r.Value), ""))
		return m.Create(ctx, now, n, r)
	}})},
	{"it knows no collections", "collections and keys are apart", setupOf(&faultyStore{create: func(m *Memory, ctx context.Context, now time.Time, n document.Name, r document.Record) (bool, error) {
		n.Collection = ""
		return m.Create(ctx, now, n, r)
	}})},
	{"it answers with what it finds, and then gaps", "get answers in the order of the names", setupOf(&faultyStore{get: func(m *Memory, ctx context.Context, now time.Time, names []document.Name) ([]*document.Record, error) {
		found, err := m.Get(ctx, now, names...)
		return append(records(found), make([]*document.Record, len(names)-len(records(found)))...), err
	}})},
	{"it shows a record at its end", "a record is alive before its end and not at it", setupOf(&faultyStore{get: func(m *Memory, ctx context.Context, now time.Time, names []document.Name) ([]*document.Record, error) {
		return m.Get(ctx, now.Add(-tick), names...)
	}})},
	{"it hides a record just before its end", "a record is alive before its end and not at it", setupOf(&faultyStore{get: func(m *Memory, ctx context.Context, now time.Time, names []document.Name) ([]*document.Record, error) {
		return m.Get(ctx, now.Add(tick), names...)
	}})},
	{"it waits until ended records are cleared away", "an expired record can be created, put and counted", setupOf(&faultyStore{create: func(m *Memory, ctx context.Context, now time.Time, n document.Name, r document.Record) (bool, error) {
		return m.Create(ctx, noon, n, r)
	}})},
	{"it counts on from what has ended", "an expired record can be created, put and counted", setupOf(&faultyStore{add: func(m *Memory, ctx context.Context, now time.Time, n document.Name, by int64, until time.Time) (int64, error) {
		return m.Add(ctx, noon, n, by, until)
	}})},
	{"it looks and then creates", "of 64 creators one wins", setupOf(&faultyStore{create: lookThenCreate})},
	{"it looks and then replaces", "of 64 creators one replaces an expired record", setupOf(&faultyStore{create: lookThenCreate})},
	{"the last put wins", "put stores what is newer and nothing else", setupOf(&faultyStore{put: lastPutWins})},
	{"it says yes and writes later", "a late put of an older version changes nothing", setupOf(writesBehind())},
	{"it takes the same version twice", "read and put under contention loses nothing", setupOf(&faultyStore{put: func(m *Memory, ctx context.Context, now time.Time, n document.Name, r document.Record) (bool, error) {
		dither()
		if found, err := m.Get(ctx, now, n); err != nil || found[0] != nil && found[0].Version > r.Version {
			return false, err
		}
		return m.force(ctx, n, r)
	}})},
	{"its counters end when the last caller says", "add adds, and moves the end but never nearer", setupOf(&faultyStore{add: func(m *Memory, ctx context.Context, now time.Time, n document.Name, by int64, until time.Time) (int64, error) {
		sum, err := m.Add(ctx, now, n, by, until)
		_, _ = m.force(ctx, n, document.Record{Number: sum, ExpiresAt: until})
		return sum, err
	}})},
	{"it reads, adds and writes", "add under contention loses nothing and repeats no sum", setupOf(&faultyStore{add: func(m *Memory, ctx context.Context, now time.Time, n document.Name, by int64, until time.Time) (int64, error) {
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
	{"it empties instead of deleting", "a deleted record can be created again", setupOf(&faultyStore{remove: func(m *Memory, ctx context.Context, n document.Name) error {
		_, err := m.force(ctx, n, document.Record{Version: 1 << 62, ExpiresAt: evening})
		return err
	}})},
	{"it cuts what is long", "the largest value is stored whole", setupOf(&faultyStore{create: func(m *Memory, ctx context.Context, now time.Time, n document.Name, r document.Record) (bool, error) {
		r.Value = slices.Clone(r.Value[:min(len(r.Value), 1_000_000)])
		return m.Create(ctx, now, n, r)
	}})},
	{"it forgets", "records survive a restart", func() Setup {
		return Setup{Open: func() document.Store { return &Memory{} }, Unreachable: unreachable}
	}},
	{"it is never away", "a call without a server returns ErrUnavailable", func() Setup {
		return Setup{Open: unreachable, Unreachable: func() document.Store { return &Memory{} }}
	}},
	{"it waits longer than its caller", "a call to a server that never answers times out", func() Setup {
		return Setup{Open: unreachable, Unreachable: unreachable, Silent: func() document.Store { return &hanging{silent: true} }}
	}},
	{"it goes on for ever", "a call with an expired context fails", setupOf(&faultyStore{remove: func(m *Memory, ctx context.Context, n document.Name) error {
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
