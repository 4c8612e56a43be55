package idempotency

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/keyring"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// A Ledger remembers the answers of one service, in <schema>.idempotency.
type Ledger struct {
	store store
	keys  keyring.Ring
	owed  *owed
}

// Open returns the ledger of the database's schema. IDEMPOTENCY_KEYS seal what it keeps.
func Open(e env.Env, db *postgres.DB) (*Ledger, error) {
	var c struct {
		Keys keyring.Ring `env:"IDEMPOTENCY_KEYS,required"`
	}
	if err := e.Load(&c); err != nil {
		return nil, fmt.Errorf("idempotency: %w", err)
	}
	real := func() time.Time { return e.Now().Add(-e.Offset()) }
	return &Ledger{store: openStore(db), keys: c.Keys, owed: &owed{now: real}}, nil
}

// closing is how long it may take to keep an answer whose caller may have left.
const closing = 2 * time.Second

// Do runs act unless the claim was run before; then it returns the kept answer and true. A key that was used for another
// request, or whose first call is still running, is a fault. An answer that comes with an error is true and should be
// given, but could not be kept: a repeat will run the act again.
func (l *Ledger) Do(ctx context.Context, c Claim, act func(id.Request) Answer) (a Answer, replayed bool, err error) {
	l.owed.settle(ctx, l.store)
	row, ends := c.row(), l.owed.now().Add(c.Lease)
	lease, e, err := l.store.claim(ctx, row, c)
	if lease != nil {
		lease.ends = ends
	}
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return a, false, fault.ErrIdempotencyInProgress // the caller is being forgotten: a repeat begins anew
	case err != nil:
		if lease != nil {
			l.owed.add(*lease)
		}
		return a, false, err
	case lease == nil:
		a, err = l.repeat(row, c, e)
		return a, err == nil, err
	}
	// From here on the claim is ours, and is settled even if the caller leaves or the act panics.
	settled := false
	defer func() {
		if !settled {
			l.release(ctx, *lease)
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

// keep stores an answer. If the lease had run out and another call has answered in the meantime, that answer counts.
func (l *Ledger) keep(ctx context.Context, c Claim, lease lease, a Answer) (Answer, bool, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closing)
	defer cancel()
	s, err := l.seal(lease.row, a)
	if err != nil {
		return a, false, err
	}
	first, err := l.store.keep(ctx, lease, s)
	if err != nil || first {
		return a, false, err
	}
	e, err := l.store.look(ctx, lease.row, c)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return a, false, nil // the caller was forgotten meanwhile
	case err != nil:
		return Answer{}, false, err
	}
	earlier, err := l.repeat(lease.row, c, e)
	return earlier, err == nil, err
}

// release releases a claim at once, so that a repeat need not wait for the end of the lease. If the database is away, the next
// call does it.
func (l *Ledger) release(ctx context.Context, lease lease) {
	l.owed.add(lease)
	l.owed.settle(context.WithoutCancel(ctx), l.store)
}

// repeat returns the answer that a row holds, if it is one to this request.
func (l *Ledger) repeat(row string, c Claim, e entry) (Answer, error) {
	switch {
	case e.Request != c.Request:
		return Answer{}, fault.ErrIdempotencyKeyReused
	case e.Status == nil:
		return Answer{}, fault.ErrIdempotencyInProgress
	}
	return l.unseal(row, e)
}

// seal encrypts an answer for one row: it cannot be moved to another. Cookies are not stored: a session is for the browser
// that the first answer went to.
func (l *Ledger) seal(row string, a Answer) (s entry, err error) {
	stored := a.Header.Clone()
	stored.Del("Set-Cookie")
	headers, err := json.Marshal(stored, json.Deterministic(true))
	if err != nil {
		return s, fmt.Errorf("idempotency: headers: %w", err)
	}
	s.Status = &a.Status
	if s.Headers, err = l.keys.Seal(headers, []byte("headers "+row)); err != nil {
		return s, fmt.Errorf("idempotency: seal: %w", err)
	}
	if s.Response, err = l.keys.Seal(a.Body, []byte("response "+row)); err != nil {
		return s, fmt.Errorf("idempotency: seal: %w", err)
	}
	return s, nil
}

// unseal is the inverse of seal. An answer that does not open is no answer at all, not half of one.
func (l *Ledger) unseal(row string, e entry) (Answer, error) {
	headers, err := l.keys.Open(e.Headers, []byte("headers "+row))
	if err != nil {
		return Answer{}, fmt.Errorf("idempotency: open: %w", err)
	}
	body, err := l.keys.Open(e.Response, []byte("response "+row))
	if err != nil {
		return Answer{}, fmt.Errorf("idempotency: open: %w", err)
	}
	a := Answer{Status: *e.Status, Body: body}
	if err := json.Unmarshal(headers, &a.Header); err != nil {
		return Answer{}, fmt.Errorf("idempotency: headers: %w", err)
	}
	return a, nil
}
