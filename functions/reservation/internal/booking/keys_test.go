package booking

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
)

// keyTest is a reservation with one key whose reports arrive, and the lock service's side of it.
type keyTest struct {
	t     *testing.T
	r     *Reservation
	key   Key
	opens bool // the key opens its room: it was issued and not revoked
}

// report delivers an event of the key.
func (k *keyTest) report(status KeyStatus) {
	k.t.Helper()
	reported := k.key
	reported.Status = status
	_, err := k.r.SetKey(reported)
	if errors.Is(err, ErrIllegalTransition) {
		k.opens = false // Report revokes it by a call
	} else if err != nil {
		k.t.Fatal(err)
	}
	if _, err := k.r.FinishKeys(arrival); err != nil {
		k.t.Fatal(err)
	}
}

// revoke performs an act that ends the use of the key. The lock service revokes the keys that its event lists.
func (k *keyTest) revoke(act func(*testing.T, *Reservation)) {
	k.t.Helper()
	listed := k.r.validKeys(k.r.itemIDs()...)
	act(k.t, k.r)
	if slices.Contains(listed, k.key.ID) {
		k.opens = false
	}
}

func (k *keyTest) end() string {
	listed := slices.Contains(k.r.keys(KeyIssued), k.key.ID)
	return fmt.Sprintf("%s, waits for %q, key listed: %v, manual key: %v, opens the room: %v", k.r.State, k.r.Saga.Pending, listed, k.r.keyByHand(), k.opens)
}

// distinct returns the different orders of the steps.
func distinct(steps []KeyStatus) (all [][]KeyStatus) {
	seen := map[string]bool{}
	for _, order := range orders(len(steps)) {
		in := make([]KeyStatus, len(steps))
		for n, at := range order {
			in[n] = steps[at]
		}
		if name := fmt.Sprint(in); !seen[name] {
			seen[name] = true
			all = append(all, in)
		}
	}
	return all
}

// All orders of the events of one key, each delivered twice, and of the act that revokes it have the same result. A key that was
// issued can be revoked afterwards.
func TestSetKey_ordersOfOneKey(t *testing.T) {
	t.Parallel()
	const act = KeyRevoked // stands for the act in the steps
	awaiting := func(t testing.TB) *Reservation {
		t.Helper()
		r := checkedInOne(t)
		r.Version++
		r.wantKeys(arrival, r.Items[0].ID)
		return r
	}
	wanted := func(r *Reservation) Key { return r.Keys[len(r.Keys)-1] }
	otherRoom := func(_ *testing.T, r *Reservation) {
		r.Version++
		r.wantKeys(arrival, r.Items[0].ID)
	}
	checkOut := func(t *testing.T, r *Reservation) {
		t.Helper()
		if _, err := r.Leave(LeaveWish{By: access.Actor{Type: access.Staff, ID: "usr_desk"}, Folio: aFolio()}, departure); err != nil {
			t.Fatal(err)
		}
	}
	cancel := func(t *testing.T, r *Reservation) {
		t.Helper()
		if err := r.CancelOnWish(CancelWish{Code: GuestCancelled, By: access.Actor{Type: access.Guest, ID: "gst_someone"}}, noon); err != nil {
			t.Fatal(err)
		}
	}
	both := []KeyStatus{KeyIssued, KeyIssued, KeyFailed, KeyFailed}
	for _, test := range []struct {
		name   string
		open   func(testing.TB) *Reservation
		key    func(*Reservation) Key
		steps  []KeyStatus
		revoke func(*testing.T, *Reservation)
		want   string
	}{
		{"issued in house", awaiting, wanted, []KeyStatus{KeyIssued, KeyIssued}, nil,
			`checked_in, waits for "", key listed: true, manual key: false, opens the room: true`},
		{"failed in house", awaiting, wanted, []KeyStatus{KeyFailed, KeyFailed}, nil,
			`checked_in, waits for "", key listed: false, manual key: true, opens the room: false`},
		{"issued and failed in house", awaiting, wanted, both, nil,
			`checked_in, waits for "", key listed: true, manual key: false, opens the room: true`},
		{"issued and failed on its own", confirmedOne, own(KeyIssued), both, nil,
			`confirmed, waits for "", key listed: true, manual key: false, opens the room: true`},
		{"and another room", awaiting, wanted, append(both, act), otherRoom,
			`checked_in, waits for "await_keys", key listed: false, manual key: false, opens the room: false`},
		{"only failed, and another room", awaiting, wanted, []KeyStatus{KeyFailed, KeyFailed, act}, otherRoom,
			`checked_in, waits for "await_keys", key listed: false, manual key: false, opens the room: false`},
		{"and the check-out", awaiting, wanted, append(both, act), checkOut,
			`checked_out, waits for "", key listed: false, manual key: false, opens the room: false`},
		{"issued and failed on its own, and the cancellation", confirmedOne, own(KeyIssued), append(both, act), cancel,
			`cancelled, waits for "", key listed: false, manual key: false, opens the room: false`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			all := distinct(test.steps)
			for _, order := range all {
				r := test.open(t)
				k := &keyTest{t: t, r: r, key: test.key(r), opens: slices.Contains(test.steps, KeyIssued)}
				for _, step := range order {
					if step == act {
						k.revoke(test.revoke)
					} else {
						k.report(step)
					}
				}
				if got := k.end(); got != test.want {
					t.Errorf("order %v:\ngot  %s\nwant %s", order, got, test.want)
				}
			}
			t.Logf("%d orders", len(all))
		})
	}
}

// All orders of the reports of a check-in's last pending key have the same result. The event of the check-in contains the state at
// the time when the check-in completed.
func TestSetKey_ordersDuringCheckIn(t *testing.T) {
	t.Parallel()
	for _, order := range distinct([]KeyStatus{KeyIssued, KeyIssued, KeyFailed, KeyFailed}) {
		r := aCheckInStarted(t)
		k := &keyTest{t: t, r: r, key: r.Keys[0], opens: true}
		other := r.Keys[1]
		other.Status = KeyIssued
		if _, err := r.SetKey(other); err != nil {
			t.Fatal(err)
		}
		for _, status := range order {
			k.report(status)
		}
		want := `checked_in, waits for "", key listed: true, manual key: false, opens the room: true`
		if got := k.end(); got != want {
			t.Errorf("order %v:\ngot  %s\nwant %s", order, got, want)
		}
	}
}
