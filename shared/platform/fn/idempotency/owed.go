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

// maxOwed bounds how many releases a process remembers. The leases of others run out.
const maxOwed = 1000

// owed are the leases of calls that have ended and that could not be released, because the database was away. The next call
// releases them: otherwise each caller would wait for the end of their lease after the database is back.
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

// take returns the leases that are certainly not taken over yet: those that still run when a release ends that begins now.
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

// settle releases what is owed. A lease whose claim was never answered is only known by its act, which a take-over keeps: its
// release is sent once, so that it cannot end the lease of the call that took over.
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
