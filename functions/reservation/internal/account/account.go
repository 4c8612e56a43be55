// Package account has the account of a reservation: what its guest is charged.
package account

import (
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/stay"
)

// An Account lists what the guest of a reservation is charged, oldest first. It is append-only: a charge that no longer applies is
// reversed by another one (decision 286). The price is the sum; goodwill counts only against what is due.
type Account []Charge

// A Charge is one entry of an account.
type Charge struct {
	Seq          int              `json:"seq"` // 1, 2, … in the account
	Kind         Kind             `json:"kind"`
	Item         *id.Item         `json:"itemId,omitzero" db:"item_id"` // nil: of the stay as a whole
	Night        *stay.Date       `json:"night,omitzero"`               // nil: of no night
	Amount       money.Micro      `json:"amountMicro" db:"amount_micro"`
	Reverses     *int             `json:"reverses,omitzero"` // the Seq of the charge that a Reversal undoes
	Cause        Cause            `json:"cause"`
	Modification *id.Modification `json:"modificationId,omitzero" db:"modification_id"` // the cause, if that is a modification
	At           time.Time        `json:"chargedAt" db:"charged_at"`
}

// A Kind is the kind of a charge.
type Kind string

// The kinds of charges.
const (
	Night      Kind = "night"      // a night of a room, with its taxes and fees
	Fee        Kind = "fee"        // belongs to no night
	Retained   Kind = "retained"   // a penalty that is kept
	Adjustment Kind = "adjustment" // another rate, or goodwill: money that the hotel has given back
	Reversal   Kind = "reversal"
)

// A Cause is what led to a charge.
type Cause string

// The causes.
const (
	ByBooking      Cause = "booking"
	ByModification Cause = "modification"
	ByCancellation Cause = "cancellation"
	ByNoShow       Cause = "no_show"
	ByEarlyLeave   Cause = "early_checkout"
	ByGoodwill     Cause = "goodwill"
)

// ends reports whether the cause ends the stay, so that the guest pays for what is retained instead of what was booked.
func (c Cause) ends() bool { return c == ByCancellation || c == ByNoShow || c == ByEarlyLeave }

// A Posting says why and when charges are added to an account.
type Posting struct {
	Cause        Cause
	Modification *id.Modification
	At           time.Time
	Adjusts      bool // another price of a night is an adjustment of its charge, not a charge of its own
}

// Sum returns the sum of charges.
func Sum(charges []Charge) (sum money.Micro) {
	for _, c := range charges {
		sum += c.Amount
	}
	return sum
}

// Price returns the price of the stay, or what was retained of it.
func (a Account) Price() (sum money.Micro) {
	for _, c := range a {
		if c.Cause != ByGoodwill {
			sum += c.Amount
		}
	}
	return sum
}

// Valid returns the charges that are not reversed.
func (a Account) Valid() (all []Charge) {
	reversed := map[int]bool{}
	for _, c := range a {
		if c.Reverses != nil {
			reversed[*c.Reverses] = true
		}
	}
	for _, c := range a {
		if c.Kind != Reversal && !reversed[c.Seq] {
			all = append(all, c)
		}
	}
	return all
}

// Retained returns what changes of the booking have retained, without what its end has.
func (a Account) Retained() (sum money.Micro) {
	for _, c := range a.Valid() {
		if c.Kind == Retained && !c.Cause.ends() {
			sum += c.Amount
		}
	}
	return sum
}

// add appends a charge.
func (a *Account) add(p Posting, c Charge) {
	c.Seq, c.Cause, c.Modification, c.At = len(*a)+1, p.Cause, p.Modification, event.Time(p.At)
	*a = append(*a, c)
}

// reverse appends the reversal of a charge.
func (a *Account) reverse(p Posting, c Charge) {
	a.add(p, Charge{Kind: Reversal, Item: c.Item, Night: c.Night, Amount: -c.Amount, Reverses: &c.Seq})
}

// A Purpose is what a charge is for: a night of a room, the fees of a room, or those of the stay.
type Purpose struct {
	Item  id.Item
	Night stay.Date
}

// Purpose returns what the charge is for.
func (c Charge) Purpose() (p Purpose) {
	if c.Item != nil {
		p.Item = *c.Item
	}
	if c.Night != nil {
		p.Night = *c.Night
	}
	return p
}

// Post returns the account with the charges that are wanted and with what is retained, in place of those that no longer apply. Goodwill
// stays. What the end of a stay has retained applies only while the stay is ended.
func (a Account) Post(p Posting, wanted []Charge, ended bool, retained ...Charge) Account {
	posted := slices.Clone(a)
	charged := map[Purpose][]Charge{}
	for _, c := range a.Valid() {
		switch {
		case c.Kind == Retained && c.Cause.ends() && !ended: // an override has undone the end
			posted.reverse(p, c)
		case c.Kind != Retained && c.Cause != ByGoodwill:
			charged[c.Purpose()] = append(charged[c.Purpose()], c)
		}
	}
	posted.settle(p, charged, wanted)
	for _, c := range retained {
		posted.add(p, c)
	}
	return posted
}

// settle adds the charges that are wanted and not charged yet, and reverses those that are charged and not wanted.
func (a *Account) settle(p Posting, charged map[Purpose][]Charge, wanted []Charge) {
	keep := map[Purpose]bool{}
	for _, w := range wanted {
		present := charged[w.Purpose()]
		sum := Sum(present)
		if keep[w.Purpose()] = sum == w.Amount || p.Adjusts && len(present) > 0; !keep[w.Purpose()] {
			continue
		}
		if sum != w.Amount {
			a.add(p, Charge{Kind: Adjustment, Item: w.Item, Night: w.Night, Amount: w.Amount - sum})
		}
	}
	var obsolete []Charge
	for s, present := range charged {
		if !keep[s] {
			obsolete = append(obsolete, present...)
		}
	}
	slices.SortFunc(obsolete, func(x, y Charge) int { return x.Seq - y.Seq })
	for _, c := range obsolete {
		a.reverse(p, c)
	}
	for _, w := range wanted {
		if !keep[w.Purpose()] {
			a.add(p, w)
		}
	}
}

// Forgive returns the account with what the hotel has given back on its own. The guest does not have to pay it again.
func (a Account) Forgive(amount money.Micro, now time.Time) Account {
	if amount <= 0 {
		return a
	}
	forgiven := slices.Clone(a)
	forgiven.add(Posting{Cause: ByGoodwill, At: now}, Charge{Kind: Adjustment, Amount: -amount})
	return forgiven
}

// Queue stores the charges that a version of a reservation has added to those that are stored.
func (a Account) Queue(tx postgres.Tx, tenant id.Tenant, reservation id.Reservation, version, stored int) {
	added := a[stored:]
	if len(added) == 0 {
		return
	}
	var seqs []int
	var kinds []Kind
	var causes []Cause
	var items []*id.Item
	var nights []*stay.Date
	var amounts []money.Micro
	var reversed []*int
	var modifications []*id.Modification
	var times []time.Time
	for _, c := range added {
		seqs, kinds, causes, items = append(seqs, c.Seq), append(kinds, c.Kind), append(causes, c.Cause), append(items, c.Item)
		nights, amounts, reversed = append(nights, c.Night), append(amounts, c.Amount), append(reversed, c.Reverses)
		modifications, times = append(modifications, c.Modification), append(times, c.At)
	}
	tx.Queue(`
		INSERT INTO reservation.reservation_charges (tenant_id, reservation_id, version, seq, kind, item_id, night, amount_micro,
			reverses, cause, modification_id, charged_at)
		SELECT @tenant, @reservation, @version, c.*
		FROM unnest(@seqs::int[], @kinds::text[], @items::uuid[], @nights::date[], @amounts::bigint[], @reversed::int[], @causes::text[],
			@modifications::uuid[], @times::timestamptz[]) AS c`,
		pgx.StrictNamedArgs{
			"tenant": tenant, "reservation": reservation, "version": version, "seqs": seqs, "kinds": kinds, "items": items, "nights": nights, "amounts": amounts,
			"reversed": reversed, "causes": causes, "modifications": modifications, "times": times})
}
