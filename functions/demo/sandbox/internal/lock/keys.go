package lock

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// ErrOtherKey is the answer to other terms under the id of a key.
var ErrOtherKey = fault.New(fault.Unprocessable, "GENERAL.IDEMPOTENCY_KEY_REUSED", "This key id belongs to another key.")

// The events that the lock service publishes.
var (
	KeyIssuedV1 = standin.Subject("lock-integration-service", "lock_integration.key_credential.issued", event.Operational, event.Year)
	KeyFailedV1 = standin.Subject("lock-integration-service", "lock_integration.key_credential.failed", event.Operational, event.Year)
)

// A Key is an electronic key of one room for one item of a reservation.
type Key struct {
	ID          id.KeyCredential `json:"keyCredentialId" db:"key_id"`
	Tenant      id.Tenant        `json:"tenantId" db:"tenant_id"`
	Property    id.Property      `json:"propertyId" db:"property_id"`
	Reservation id.Reservation   `json:"reservationId" db:"reservation_id"`
	Item        id.Item          `json:"itemId" db:"item_id"`
	Room        id.Room          `json:"roomId" db:"room_id"`
	ValidFrom   time.Time        `json:"validFrom" db:"valid_from"`
	ValidUntil  time.Time        `json:"validUntil" db:"valid_until"`
}

// Validate rejects a key that is never valid.
func (k *Key) Validate() error {
	if !k.ValidFrom.Before(k.ValidUntil) {
		return standin.Refuse("/validUntil", "order", "Must be after validFrom.")
	}
	return nil
}

// KeyStatus is the status of a key.
type KeyStatus string

// The statuses. A fresh request is answered with pending: its event tells the outcome.
const (
	KeyPending KeyStatus = "pending"
	KeyIssued  KeyStatus = "issued"
	KeyFailed  KeyStatus = "failed"
	KeyRevoked KeyStatus = "revoked"
)

// A KeyView is a key with its status.
type KeyView struct {
	Key
	Status     KeyStatus `json:"status" db:"status"`
	ReasonCode string    `json:"reasonCode,omitzero" db:"reason_code"`
}

// lockOffline is the reason of a lock that does not answer.
const lockOffline = "lock_offline"

// Keys stores electronic keys and publishes their events.
type Keys struct{ standin.Store }

// OpenKeys opens the store.
func OpenKeys(e env.Env) Keys { return Keys{standin.OpenStore(e)} }

// Issue issues a key, or fails to if the lock is offline, and publishes the outcome. A repetition returns the status and
// publishes nothing. A key that was revoked before stays revoked. Other terms under the id are ErrOtherKey.
func (s Keys) Issue(ctx context.Context, k Key, offline bool) (status KeyStatus, err error) {
	err = s.DB.InTenant(ctx, k.Tenant, func(tx postgres.Tx) error {
		status, err = s.issue(ctx, tx, k, offline)
		return err
	})
	if err != nil && !errors.Is(err, ErrOtherKey) {
		err = fmt.Errorf("keys: issue %s: %w", k.ID, err)
	}
	return status, err
}

func (s Keys) issue(ctx context.Context, tx postgres.Tx, k Key, offline bool) (KeyStatus, error) {
	outcome, reason := KeyIssued, ""
	if offline {
		outcome, reason = KeyFailed, lockOffline
	}
	var at time.Time
	err := tx.QueryRow(ctx, `
		INSERT INTO sandbox.key_credentials (key_id, tenant_id, property_id, reservation_id, item_id, room_id, valid_from, valid_until,
			status, reason_code, requested_at)
		VALUES (@key, @tenant, @property, @reservation, @item, @room, @from, @until, @status, nullif(@reason, ''), platform.now())
		ON CONFLICT DO NOTHING
		RETURNING requested_at`, k.arguments("status", outcome, "reason", reason)).Scan(&at)
	if errors.Is(err, pgx.ErrNoRows) {
		return recall(ctx, tx, k)
	}
	if err != nil {
		return "", err
	}
	return KeyPending, s.Outbox.Append(ctx, tx, k.event(at, reason))
}

// recall returns the status of a key that exists. The first request for a key that was revoked before stores its terms.
func recall(ctx context.Context, tx postgres.Tx, k Key) (status KeyStatus, err error) {
	err = tx.QueryRow(ctx, `
		UPDATE sandbox.key_credentials
		SET (property_id, reservation_id, item_id, room_id, valid_from, valid_until, requested_at)
			= (@property, @reservation, @item, @room, @from, @until, coalesce(requested_at, platform.now()))
		WHERE key_id = @key AND tenant_id = @tenant
		  AND (requested_at IS NULL OR (property_id, reservation_id, item_id, room_id, valid_from, valid_until)
			= (@property, @reservation, @item, @room, @from, @until))
		RETURNING status`, k.arguments()).Scan(&status)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", ErrOtherKey
	}
	return status, err
}

// arguments returns the columns of a key, and further names with their values.
func (k Key) arguments(further ...any) pgx.StrictNamedArgs {
	args := pgx.StrictNamedArgs{"key": k.ID, "tenant": k.Tenant, "property": k.Property, "reservation": k.Reservation, "item": k.Item,
		"room": k.Room, "from": k.ValidFrom, "until": k.ValidUntil}
	for n := 0; n+1 < len(further); n += 2 {
		args[fmt.Sprint(further[n])] = further[n+1]
	}
	return args
}

// event returns the event of the outcome: issued, or failed if there is a reason.
func (k Key) event(at time.Time, reason string) event.Draft {
	payload := struct {
		Key
		IssuedAt   time.Time `json:"issuedAt,omitzero"`
		ReasonCode string    `json:"reasonCode,omitzero"`
		FailedAt   time.Time `json:"failedAt,omitzero"`
	}{Key: k, ReasonCode: reason}
	subject := KeyIssuedV1
	if reason != "" {
		subject, payload.FailedAt = KeyFailedV1, at
	} else {
		payload.IssuedAt = at
	}
	return event.Draft{Subject: subject, Tenant: k.Tenant, OrderingKey: standin.OrderingKey(k.Tenant, k.Reservation), AggregateVersion: 1, Payload: payload}
}

// Revoke revokes keys and returns those of the tenant. A key that is not issued yet is revoked in advance.
func (s Keys) Revoke(ctx context.Context, tenant id.Tenant, keys []id.KeyCredential) (revoked []id.KeyCredential, err error) {
	err = s.DB.InTenant(ctx, tenant, func(tx postgres.Tx) error {
		revoked, err = s.RevokeIn(ctx, tx, tenant, keys)
		return err
	})
	return revoked, err
}

// RevokeIn revokes keys in the caller's transaction.
func (s Keys) RevokeIn(ctx context.Context, tx postgres.Tx, tenant id.Tenant, keys []id.KeyCredential) ([]id.KeyCredential, error) {
	args := pgx.StrictNamedArgs{"tenant": tenant, "keys": keys}
	tx.Queue(`
		INSERT INTO sandbox.key_credentials (key_id, tenant_id, status, revoked_at)
		SELECT k.key, @tenant, 'revoked', platform.now() FROM unnest(@keys::uuid[]) AS k (key) ORDER BY k.key
		ON CONFLICT DO NOTHING`, args)
	tx.Queue(`SELECT FROM sandbox.key_credentials WHERE key_id = ANY (@keys) AND tenant_id = @tenant ORDER BY key_id FOR NO KEY UPDATE`, args)
	tx.Queue(`
		UPDATE sandbox.key_credentials SET status = 'revoked', revoked_at = platform.now()
		WHERE key_id = ANY (@keys) AND tenant_id = @tenant AND status <> 'revoked'`, args)
	rows, _ := tx.Query(ctx, `
		SELECT key_id FROM sandbox.key_credentials WHERE key_id = ANY (@keys) AND tenant_id = @tenant ORDER BY key_id`, args)
	revoked, err := pgx.CollectRows(rows, pgx.RowTo[id.KeyCredential])
	if err != nil {
		return nil, fmt.Errorf("keys: revoke %v: %w", keys, err)
	}
	return revoked, nil
}

// RevokeBefore revokes the keys of a reservation that were issued before a moment, in the caller's transaction. Keys of a later
// check-in remain.
func (s Keys) RevokeBefore(ctx context.Context, tx postgres.Tx, r id.Reservation, at time.Time) error {
	args := pgx.StrictNamedArgs{"reservation": r, "at": at}
	tx.Queue(`
		SELECT FROM sandbox.key_credentials WHERE reservation_id = @reservation AND requested_at < @at ORDER BY key_id FOR NO KEY UPDATE`, args)
	_, err := tx.Exec(ctx, `
		UPDATE sandbox.key_credentials SET status = 'revoked', revoked_at = platform.now()
		WHERE reservation_id = @reservation AND requested_at < @at AND status = 'issued'`, args)
	if err != nil {
		return fmt.Errorf("keys: revoke those of %s: %w", r, err)
	}
	return nil
}

// Of lists the keys of a reservation in the order of the requests. It returns an empty list for an unknown reservation.
func (s Keys) Of(ctx context.Context, tenant id.Tenant, r id.Reservation) (all []KeyView, err error) {
	err = s.DB.InTenant(ctx, tenant, func(tx postgres.Tx) error {
		rows, _ := tx.Last().Query(ctx, `
			SELECT key_id, tenant_id, property_id, reservation_id, item_id, room_id, valid_from, valid_until, status,
			       coalesce(reason_code, '') AS reason_code
			FROM sandbox.key_credentials
			WHERE tenant_id = @tenant AND reservation_id = @reservation
			ORDER BY requested_at, key_id`,
			pgx.StrictNamedArgs{"tenant": tenant, "reservation": r})
		all, err = pgx.CollectRows(rows, pgx.RowToStructByName[KeyView])
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("keys: of %s: %w", r, err)
	}
	return all, nil
}
