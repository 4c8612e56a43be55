package idempotency

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// maxOwed bounds the releases that a process remembers. Further leases expire by themselves.
const maxOwed = 1000

// owed holds the leases of ended calls that could not be released because the database was unavailable. The next call releases
// them, so that callers need not wait for the lease's end after an outage.
type owed struct {
	now func() time.Time // the real clock

	mu     sync.Mutex
	leases []lease
}

func (o *owed) add(leases ...lease) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.leases = append(o.leases, leases...)
	o.leases = o.leases[:min(len(o.leases), maxOwed)]
}

// take returns the leases that cannot have been taken over yet: those that still run when a release ends that begins now.
func (o *owed) take() []lease {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.leases) == 0 {
		return nil
	}
	end := o.now().Add(closing)
	leases := slices.DeleteFunc(o.leases, func(l lease) bool { return l.ends.Before(end) })
	o.leases = nil
	return leases
}

// settle releases the owed leases. If a claim was never answered, its lease is only known by its act, which a takeover keeps:
// its release is sent only once, so that it cannot end the lease of the call that took over.
func (o *owed) settle(ctx context.Context, s store) {
	leases := o.take()
	if len(leases) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, closing)
	defer cancel()
	sent, err := s.releaseAll(ctx, leases)
	if err == nil {
		return
	}
	if sent {
		leases = slices.DeleteFunc(leases, func(l lease) bool { return l.until.IsZero() })
	}
	o.add(leases...)
}

// releaseAll releases leases in one statement. It reports whether the statement may have reached the database.
func (s store) releaseAll(ctx context.Context, leases []lease) (sent bool, err error) {
	keys, acts, untils := make([]string, len(leases)), make([]id.Request, len(leases)), make([]*time.Time, len(leases))
	for i, l := range leases {
		keys[i], acts[i] = l.row, l.act
		if !l.until.IsZero() {
			untils[i] = &l.until
		}
	}
	err = s.db.InTx(ctx, func(tx postgres.Tx) error {
		sent = true
		_, err := tx.Last().Exec(ctx, s.releasing, pgx.StrictNamedArgs{"keys": keys, "acts": acts, "untils": untils})
		return err
	})
	if err != nil {
		return sent, fmt.Errorf("idempotency: release: %w", err)
	}
	return sent, nil
}
