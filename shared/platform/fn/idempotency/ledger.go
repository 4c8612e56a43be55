package idempotency

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/keyring"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// A Ledger stores the answers of one service, in <schema>.idempotency.
type Ledger struct {
	store store
	keys  keyring.Ring

	mu   sync.Mutex
	owed []lease // of ended calls, which could not be released because the database was unavailable
}

// Open returns the ledger of the database's schema. IDEMPOTENCY_KEYS encrypt its rows.
func Open(e env.Env, db *postgres.DB) (*Ledger, error) {
	var c struct {
		Keys keyring.Ring `env:"IDEMPOTENCY_KEYS,required"`
	}
	if err := e.Load(&c); err != nil {
		return nil, fmt.Errorf("idempotency: %w", err)
	}
	return &Ledger{store: openStore(db), keys: c.Keys}, nil
}

const (
	closing = 2 * time.Second // bounds the storing of an answer, which continues after the caller has left
	maxOwed = 1000            // bounds the releases that a process remembers; further leases expire by themselves
)

// Do runs act, or returns the stored answer and true if the claim has already run. It returns a fault if the key was used for
// another request or if its first call is still running. An answer returned together with an error is valid and should be sent,
// but could not be stored: a retry will run the act again.
func (l *Ledger) Do(ctx context.Context, c Claim, act func(id.Request) Answer) (a Answer, replayed bool, err error) {
	l.release(ctx)
	row := c.row()
	lease, e, err := l.store.claim(ctx, row, c)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return a, false, fault.ErrIdempotencyInProgress // the caller is being erased: a retry runs the act
	case err != nil:
		return a, false, err
	case lease == nil:
		a, err = l.repeat(row, c, e)
		return a, err == nil, err
	}
	// From here on this call holds the lease, and releases it even if the caller leaves or the act panics.
	settled := false
	defer func() {
		if !settled {
			l.release(context.WithoutCancel(ctx), *lease)
		}
	}()
	a = act(lease.act)
	if !a.Final() {
		return a, false, nil
	}
	a, replayed, err = l.keep(ctx, c, *lease, a)
	settled = err == nil
	return a, replayed, err
}

// keep stores an answer. If the lease expired and another call has answered in the meantime, keep returns that answer.
func (l *Ledger) keep(ctx context.Context, c Claim, lease lease, a Answer) (Answer, bool, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closing)
	defer cancel()
	s, err := l.seal(lease.row, a)
	if err != nil {
		return a, false, err
	}
	first, e, err := l.store.keep(ctx, lease, s)
	switch {
	case errors.Is(err, pgx.ErrNoRows): // the caller was erased in the meantime
		return a, false, nil
	case err != nil, first:
		return a, false, err
	}
	earlier, err := l.repeat(lease.row, c, e)
	return earlier, err == nil, err
}

// release releases leases at once, so that a retry does not wait for their end, and those that are owed. If the database is
// unavailable, the next call releases them. A lease that another call has taken over has another end, and stays.
func (l *Ledger) release(ctx context.Context, leases ...lease) {
	l.mu.Lock()
	leases, l.owed = append(leases, l.owed...), nil
	l.mu.Unlock()
	if len(leases) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, closing)
	defer cancel()
	if l.store.release(ctx, leases) != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.owed = append(l.owed, leases...)
		l.owed = l.owed[:min(len(l.owed), maxOwed)]
	}
}

// repeat returns the stored answer of a row, or an error if it belongs to another request.
func (l *Ledger) repeat(row string, c Claim, e entry) (Answer, error) {
	switch {
	case e.Request != c.Request && e.Request != c.Former:
		return Answer{}, fault.ErrIdempotencyKeyReused
	case e.Status == nil:
		return Answer{}, fault.ErrIdempotencyInProgress
	}
	return l.unseal(row, e)
}

// seal encrypts an answer for one row, so that it cannot be moved to another. Cookies are not stored: a session belongs to the
// browser that got the first answer.
func (l *Ledger) seal(row string, a Answer) (s entry, err error) {
	a.Header = a.Header.Clone()
	a.Header.Del("Set-Cookie")
	headers, err := json.Marshal(a, json.Deterministic(true))
	if err != nil {
		return s, fmt.Errorf("idempotency: headers: %w", err)
	}
	s.Status = &a.Status
	s.Headers, err = l.keys.Seal(headers, []byte("headers "+row))
	if err == nil {
		s.Response, err = l.keys.Seal(a.Body, []byte("response "+row))
	}
	if err != nil {
		return s, fmt.Errorf("idempotency: seal: %w", err)
	}
	return s, nil
}

// unseal is the inverse of seal. It returns no partial answers.
func (l *Ledger) unseal(row string, e entry) (Answer, error) {
	a := Answer{Status: *e.Status}
	headers, err := l.keys.Open(e.Headers, []byte("headers "+row))
	if err == nil {
		err = json.Unmarshal(headers, &a)
	}
	if err == nil {
		a.Body, err = l.keys.Open(e.Response, []byte("response "+row))
	}
	if err != nil {
		return Answer{}, fmt.Errorf("idempotency: open: %w", err)
	}
	return a, nil
}
