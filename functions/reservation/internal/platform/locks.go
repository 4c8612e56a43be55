package platform

import (
	"context"
	"fmt"
	"time"

	"melmastoon.ghasi.io/functions/reservation/internal/booking"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/upstream"
)

// Locks is a client of the lock service. All calls are idempotent by the ids of the keys.
type Locks struct{ client *upstream.Client }

// OpenLocks opens the client.
func OpenLocks(e env.Env) Locks {
	return Locks{upstream.Open(e, "lock", upstream.Policy{Timeout: 3 * time.Second, Retries: 1})}
}

// Issue asks for a key that opens its room during the stay. It returns the key's status; the event of an issued or failed key
// may follow later.
func (l Locks) Issue(ctx context.Context, r *booking.Reservation, k booking.Key) (booking.KeyStatus, error) {
	from, until := r.KeyPeriod()
	in := struct {
		Key         id.KeyCredential `json:"keyCredentialId"`
		Tenant      id.Tenant        `json:"tenantId"`
		Property    id.Property      `json:"propertyId"`
		Reservation id.Reservation   `json:"reservationId"`
		Item        id.Item          `json:"itemId"`
		Room        id.Room          `json:"roomId"`
		ValidFrom   time.Time        `json:"validFrom"`
		ValidUntil  time.Time        `json:"validUntil"`
	}{k.ID, r.Tenant, r.Property, r.ID, k.Item, k.Room, from, until}
	var out struct {
		Status booking.KeyStatus `json:"status"`
	}
	if err := l.client.Post(ctx, "/keys", in, &out, upstream.Tenant(r.Tenant), upstream.Repeatable()); err != nil {
		return "", fmt.Errorf("locks: key %s for %s: %w", k.ID, r.ID, err)
	}
	return out.Status, nil
}

// Revoke makes keys invalid, also keys that are still to be issued.
func (l Locks) Revoke(ctx context.Context, tenant id.Tenant, keys ...id.KeyCredential) error {
	in := struct {
		Tenant id.Tenant          `json:"tenantId"`
		Keys   []id.KeyCredential `json:"keyCredentialIds"`
	}{tenant, keys}
	if err := l.client.Post(ctx, "/revocations", in, nil, upstream.Tenant(tenant), upstream.Repeatable()); err != nil {
		return fmt.Errorf("locks: revoke %v: %w", keys, err)
	}
	return nil
}
