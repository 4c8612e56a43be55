package booking

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn/observe"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// maxStepAttempts is the number of attempts after which a step counts as stuck.
const maxStepAttempts = 5

// A StuckStep is a saga step that has waited for more than a minute.
type StuckStep struct {
	Tenant      id.Tenant      `db:"tenant_id"`
	Reservation id.Reservation `db:"reservation_id"`
	Since       time.Time      `db:"step_since"`
	Attempts    int            `db:"step_attempts"`
}

// StuckSteps lists the steps of all tenants that are due for another attempt, oldest first: one minute after the step began, and
// then one minute per attempt.
func (s Reservations) StuckSteps(ctx context.Context, after StuckStep, limit int) (stuck []StuckStep, err error) {
	err = s.db.InMaintenance(ctx, func(tx postgres.Tx) error {
		rows, _ := tx.Last().Query(ctx, `
			SELECT tenant_id, reservation_id, step_since, step_attempts FROM reservation.reservations
			WHERE step_since IS NOT NULL AND step_since <= platform.now() - interval '1 minute' * (1 + least(step_attempts, 59))
			  AND (step_since, reservation_id) > (@since, @after)
			ORDER BY step_since, reservation_id LIMIT @limit`,
			pgx.StrictNamedArgs{"since": after.Since, "after": after.Reservation, "limit": limit})
		stuck, err = pgx.CollectRows(rows, pgx.RowToStructByName[StuckStep])
		if err != nil {
			return fmt.Errorf("reservations: stuck steps: %w", err)
		}
		return nil
	})
	return stuck, err
}

// countAttempt counts an attempt at a step. The version does not change, because no decision depends on this.
func (s Reservations) countAttempt(ctx context.Context, step StuckStep) error {
	return s.In(ctx, step.Tenant, func(tx postgres.Tx) error {
		_, err := tx.Last().Exec(ctx, `
			UPDATE reservation.reservations SET step_attempts = step_attempts + 1
			WHERE tenant_id = @tenant AND reservation_id = @reservation AND step_since = @since`,
			pgx.StrictNamedArgs{"tenant": step.Tenant, "reservation": step.Reservation, "since": step.Since})
		return err
	})
}

// A Watcher repeats saga steps whose answer did not come: an event was lost, or this service ended in between.
type Watcher struct {
	reservations Reservations
	inventory    inventoryService
	pays         func(context.Context, id.Tenant, id.Reservation) ([]Intent, error)
	confirmer    *Confirmer
	changer      *Changer
	keys         *Issuer
	now          func() time.Time
}

// OpenWatcher opens a Watcher with its stores and clients.
func OpenWatcher(e env.Env, up Upstreams) *Watcher {
	return &Watcher{
		reservations: OpenReservations(e), inventory: up.Inventory, pays: up.Payments.Of, confirmer: OpenConfirmer(e, up),
		changer: OpenChanger(e, up), keys: OpenIssuer(e, up), now: e.Now,
	}
}

// Retry repeats one step. After five attempts keys are given up: the desk hands them out by hand. Any other step that still gets no
// answer is tried on and counted as stuck, which raises an alert. AwaitPayment is never stuck: its hold expires.
func (w *Watcher) Retry(ctx context.Context, step StuckStep) error {
	if err := w.reservations.countAttempt(ctx, step); err != nil {
		return err
	}
	r, err := w.reservations.Get(ctx, access.Scope{Tenant: step.Tenant}, step.Reservation)
	if err != nil || r.Saga.Since == nil || !r.Saga.Since.Equal(step.Since) {
		return err // another step by now
	}
	pending, attempts := r.Saga.Pending, r.Saga.Attempts // a failed attempt may change r
	if err = w.retry(ctx, r); err == nil {
		return nil
	}
	if attempts > maxStepAttempts && pending != AwaitPayment {
		observe.Count(ctx, observe.StuckSteps)
		err = errStepStuck.Because(err)
	}
	return fmt.Errorf("saga: %s of %s, attempt %d: %w", pending, r.ID, attempts, err)
}

func (w *Watcher) retry(ctx context.Context, r *Reservation) error {
	switch r.Saga.Pending {
	case AwaitInventory:
		return w.inventoryLost(ctx, r)
	case AwaitPayment:
		return w.paymentLost(ctx, r)
	case AwaitKeys:
		if r.Saga.Attempts > maxStepAttempts {
			return w.keys.GiveUp(ctx, r)
		}
		_, err := w.keys.Ask(ctx, access.Scope{Tenant: r.Tenant}, r.ID)
		return err
	case AwaitReallocation, AwaitRelease:
		if _, err := w.changer.Complete(ctx, r); !errors.Is(err, ErrOverbooked) {
			return err // refused: the reservation stays as it was
		}
	}
	return nil
}

// inventoryLost asks inventory for the rooms of a hold again. It answers as it did the first time.
func (w *Watcher) inventoryLost(ctx context.Context, r *Reservation) error {
	if r.EffectiveState() != Held {
		return nil // the sweep ends it
	}
	_, err := w.inventory.Hold(ctx, r, r.Hold)
	lost := errors.Is(err, ErrOverbooked) || errors.Is(err, ErrHoldExpired)
	if err != nil && !lost {
		return err
	}
	return w.reservations.In(ctx, r.Tenant, func(tx postgres.Tx) error {
		if lost {
			if err := r.CancelLost(w.now()); err != nil {
				return err
			}
			return w.reservations.Save(ctx, tx, r, ReservationCancelled(r))
		}
		for _, allocation := range r.Hold.Allocations {
			if err := w.reservations.RoomsTaken(ctx, tx, r.Tenant, r.ID, allocation); err != nil {
				return err
			}
		}
		return nil
	})
}

// paymentLost confirms a hold whose payment was captured. Without a payment it leaves the hold to its guest.
func (w *Watcher) paymentLost(ctx context.Context, r *Reservation) error {
	if r.EffectiveState() != Held {
		return nil
	}
	intents, err := w.pays(ctx, r.Tenant, r.ID)
	if err != nil {
		return err
	}
	for _, i := range intents {
		if i.Status != Captured || i.kept() <= 0 {
			continue
		}
		claim := Claim{Scope: access.Scope{Tenant: r.Tenant}, Reservation: r.ID, Intent: &i.ID}
		_, err := w.confirmer.Confirm(ctx, claim, func(ctx context.Context, f func(postgres.Tx) error) error {
			return w.reservations.In(ctx, r.Tenant, f)
		})
		return err
	}
	return nil
}
