package sandbox_test

import (
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/lock"
	"melmastoon.ghasi.io/functions/demo/sandbox/issuekey"
	"melmastoon.ghasi.io/functions/demo/sandbox/listkeys"
	"melmastoon.ghasi.io/functions/demo/sandbox/revokekeys"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
)

// key returns a new key of a new reservation at Kabul's hotel.
func (b books) key(t *testing.T) lock.Key {
	t.Helper()
	now := b.env.Now().UTC().Truncate(time.Second)
	return lock.Key{ID: id.New[id.KeyCredential](), Tenant: kabul.Tenant, Property: kabul.Property, Reservation: id.New[id.Reservation](),
		Item: id.New[id.Item](), Room: b.suite(t, 0).ID, ValidFrom: now, ValidUntil: now.Add(48 * time.Hour)}
}

func TestHTTP_issueKey(t *testing.T) {
	t.Parallel()
	b := open(t)
	f := b.front(t)
	const header = "X-Sandbox-Scenario"
	issued, failed := b.key(t), b.key(t)
	issue := func(k lock.Key, headers ...string) lock.KeyStatus {
		t.Helper()
		var out issuekey.Response
		got := f.Post("/sandbox/lock/v1/keys", k, headers...)
		got.Into(t, &out)
		got.Want(t, http.StatusAccepted)
		return out.Status
	}
	for _, step := range []struct {
		name    string
		key     lock.Key
		headers []string
		want    lock.KeyStatus
	}{
		{"a fresh key", issued, nil, lock.KeyPending},
		{"the same key", issued, nil, lock.KeyIssued},
		{"the same key while the lock is offline", issued, []string{header, "lock_failed"}, lock.KeyIssued},
		{"a fresh key while the lock is offline", failed, []string{header, "lock_failed; of=lock"}, lock.KeyPending},
		{"the failed key again", failed, nil, lock.KeyFailed},
	} {
		check.Equal(t, issue(step.key, step.headers...), step.want, "%s", step.name)
	}
	check.Equal(t, b.published(t, issued.Reservation), []string{"lock_integration.key_credential.issued.v1"})
	check.Equal(t, b.published(t, failed.Reservation), []string{"lock_integration.key_credential.failed.v1"})
	check.Equal(t, b.count(t, `SELECT count(*) FROM sandbox.outbox WHERE payload ->> 'reasonCode' = 'lock_offline'`), 1, "events with reasonCode lock_offline")
	list := fntest.Read[listkeys.Response](t, f.Get("/sandbox/lock/v1/keys?tenantId="+kabul.Tenant.String()+"&reservationId="+failed.Reservation.String()))
	if want := (lock.KeyView{Key: failed, Status: lock.KeyFailed, ReasonCode: "lock_offline"}); len(list.Keys) != 1 || list.Keys[0] != want {
		t.Errorf("keys = %+v, want %+v", list.Keys, want)
	}
	f.Get("/sandbox/lock/v1/keys?tenantId="+demo.HeratGarden.Tenant.String()+"&reservationId="+failed.Reservation.String()).Into(t, &list)
	check.Equal(t, len(list.Keys), 0, "another tenant's keys")
	never := b.key(t)
	never.ValidUntil = never.ValidFrom
	f.Post("/sandbox/lock/v1/keys", never).Want(t, http.StatusBadRequest)
}

func TestIssueKey_otherTerms(t *testing.T) {
	t.Parallel()
	b := open(t)
	keys, k := lock.OpenKeys(b.env), b.key(t)
	check.Got(keys.Issue(t.Context(), k, false)).Must(t)
	for name, change := range map[string]func(*lock.Key){
		"another reservation": func(k *lock.Key) { k.Reservation = id.New[id.Reservation]() },
		"another item":        func(k *lock.Key) { k.Item = id.New[id.Item]() },
		"another room":        func(k *lock.Key) { k.Room = b.suite(t, 1).ID },
		"a later start":       func(k *lock.Key) { k.ValidFrom = k.ValidFrom.Add(time.Hour) },
		"a later end":         func(k *lock.Key) { k.ValidUntil = k.ValidUntil.Add(time.Hour) },
		"another tenant": func(k *lock.Key) {
			k.Tenant, k.Property = demo.HeratGarden.Tenant, demo.HeratGarden.Property
		},
	} {
		t.Run(name, func(t *testing.T) {
			other := k
			change(&other)
			check.Got(keys.Issue(t.Context(), other, false)).Error(t, lock.ErrOtherKey)
		})
	}
}

func TestRevokeKeys(t *testing.T) {
	t.Parallel()
	b := open(t)
	f := b.front(t)
	keys := lock.OpenKeys(b.env)
	issued, late, foreign := b.key(t), b.key(t), b.key(t)
	foreign.Tenant, foreign.Property = demo.HeratGarden.Tenant, demo.HeratGarden.Property
	for _, k := range []lock.Key{issued, foreign} {
		check.Got(keys.Issue(t.Context(), k, false)).Must(t)
	}
	want := []id.KeyCredential{issued.ID, late.ID}
	slices.SortFunc(want, func(a, b id.KeyCredential) int { return strings.Compare(a.String(), b.String()) })
	for range 2 {
		var out revokekeys.Response
		f.Post("/sandbox/lock/v1/revocations", body{"tenantId": kabul.Tenant,
			"keyCredentialIds": []id.KeyCredential{issued.ID, late.ID, foreign.ID}}).Into(t, &out)
		check.Equal(t, out.Revoked, want)
	}
	for name, test := range map[string]struct {
		key  lock.Key
		want lock.KeyStatus
	}{
		"issued before":    {issued, lock.KeyRevoked},
		"requested late":   {late, lock.KeyRevoked},
		"another tenant's": {foreign, lock.KeyIssued},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := keys.Issue(t.Context(), test.key, false)
			check.Must(t, err)
			check.Equal(t, got, test.want, "status")
		})
	}
	check.Equal(t, len(b.published(t, late.Reservation)), 0, "published for the key that was revoked in advance")
	late.Item = id.New[id.Item]()
	check.Got(keys.Issue(t.Context(), late, false)).Error(t, lock.ErrOtherKey, "the late key with other terms")
	for name, in := range map[string][]id.KeyCredential{"none": {}, "one twice": {issued.ID, issued.ID}} {
		t.Run(name, func(t *testing.T) {
			f.Post("/sandbox/lock/v1/revocations", body{"tenantId": kabul.Tenant, "keyCredentialIds": in}).Want(t, http.StatusBadRequest)
		})
	}
}

// A request for a key and its revocation race: the key ends revoked, whichever is first, and at most one call is pending.
func TestIssueKey_racingRevocation(t *testing.T) {
	t.Parallel()
	b := openConcurrent(t)
	keys := lock.OpenKeys(b.env)
	for range 20 {
		k := b.key(t)
		var fresh atomic.Int64
		race, ctx := errgroup.WithContext(t.Context())
		for range 4 {
			race.Go(func() error {
				status, err := keys.Issue(ctx, k, false)
				if status == lock.KeyPending {
					fresh.Add(1)
				}
				return err
			})
		}
		race.Go(func() error {
			_, err := keys.Revoke(ctx, k.Tenant, []id.KeyCredential{k.ID})
			return err
		})
		check.Must(t, race.Wait())
		if fresh.Load() > 1 {
			t.Fatalf("%d calls were pending, want at most 1", fresh.Load())
		}
		if got, err := keys.Issue(t.Context(), k, false); err != nil || got != lock.KeyRevoked {
			t.Fatalf("at the end: %s %v, want revoked", got, err)
		}
		check.MustEqual(t, int64(len(b.published(t, k.Reservation))), fresh.Load())
	}
}
