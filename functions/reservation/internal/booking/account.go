package booking

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
	Kind         ChargeKind       `json:"kind"`
	Item         *id.Item         `json:"itemId,omitzero" db:"item_id"` // nil: of the stay as a whole
	Night        *stay.Date       `json:"night,omitzero"`               // nil: of no night
	Amount       money.Micro      `json:"amountMicro" db:"amount_micro"`
	Reverses     *int             `json:"reverses,omitzero"` // the Seq of the charge that a Reversal undoes
	Cause        ChargeCause      `json:"cause"`
	Modification *id.Modification `json:"modificationId,omitzero" db:"modification_id"` // the cause, if that is a modification
	At           time.Time        `json:"chargedAt" db:"charged_at"`
}

// A ChargeKind is the kind of a charge.
type ChargeKind string

// The kinds of charges.
const (
	NightCharge ChargeKind = "night"      // a night of a room, with its taxes and fees
	FeeCharge   ChargeKind = "fee"        // belongs to no night
	Retained    ChargeKind = "retained"   // a penalty that is kept
	Adjustment  ChargeKind = "adjustment" // another rate, or goodwill: money that the hotel has given back
	Reversal    ChargeKind = "reversal"
)

// A ChargeCause is what led to a charge.
type ChargeCause string

// The causes.
const (
	ByBooking      ChargeCause = "booking"
	ByModification ChargeCause = "modification"
	ByCancellation ChargeCause = "cancellation"
	ByNoShow       ChargeCause = "no_show"
	ByEarlyLeave   ChargeCause = "early_checkout"
	ByGoodwill     ChargeCause = "goodwill"
)

// ends reports whether the cause ends the stay, so that the guest pays for what is retained instead of what was booked.
func (c ChargeCause) ends() bool { return c == ByCancellation || c == ByNoShow || c == ByEarlyLeave }

// A posting says why and when charges are added to an account.
type posting struct {
	cause        ChargeCause
	modification *id.Modification
	at           time.Time
	adjusts      bool // another price of a night is an adjustment of its charge, not a charge of its own
}

// sumOfCharges returns the sum of charges.
func sumOfCharges(charges []Charge) (sum money.Micro) {
	for _, c := range charges {
		sum += c.Amount
	}
	return sum
}

// price returns the price of the stay, or what was retained of it.
func (a Account) price() (sum money.Micro) {
	for _, c := range a {
		if c.Cause != ByGoodwill {
			sum += c.Amount
		}
	}
	return sum
}

// valid returns the charges that are not reversed.
func (a Account) valid() (all []Charge) {
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

// retained returns what changes of the booking have retained, without what its end has.
func (a Account) retained() (sum money.Micro) {
	for _, c := range a.valid() {
		if c.Kind == Retained && !c.Cause.ends() {
			sum += c.Amount
		}
	}
	return sum
}

// add appends a charge.
func (a *Account) add(p posting, c Charge) {
	c.Seq, c.Cause, c.Modification, c.At = len(*a)+1, p.cause, p.modification, event.Time(p.at)
	*a = append(*a, c)
}

// reverse appends the reversal of a charge.
func (a *Account) reverse(p posting, c Charge) {
	a.add(p, Charge{Kind: Reversal, Item: c.Item, Night: c.Night, Amount: -c.Amount, Reverses: &c.Seq})
}

// A purpose is what a charge is for: a night of a room, the fees of a room, or those of the stay.
type purpose struct {
	item  id.Item
	night stay.Date
}

func (c Charge) purpose() (s purpose) {
	if c.Item != nil {
		s.item = *c.Item
	}
	if c.Night != nil {
		s.night = *c.Night
	}
	return s
}

// terms returns the charges that the present nights and fees of the reservation ask for. There are none after a cancellation or a
// no-show, and after an early departure only those of the nights slept.
func (r *Reservation) terms() (wanted []Charge) {
	if r.Cancellation != nil || r.Missed != nil {
		return nil
	}
	fees := func(item *id.Item, extras []Line) {
		if sum := sumOf(extras); sum != 0 {
			wanted = append(wanted, Charge{Kind: FeeCharge, Item: item, Amount: sum})
		}
	}
	for _, item := range r.Items {
		for _, n := range item.Nights {
			if n.Amount != 0 && (!r.leftEarly() || n.Date.Before(r.CheckOut.Early.From)) {
				wanted = append(wanted, Charge{Kind: NightCharge, Item: &item.ID, Night: &n.Date, Amount: n.Amount})
			}
		}
		fees(&item.ID, item.Extras)
	}
	fees(nil, r.Extras)
	return wanted
}

// leftEarly reports whether the guest has left before the day of departure.
func (r *Reservation) leftEarly() bool { return r.CheckOut != nil && r.CheckOut.Early != nil }

// ended reports whether the guest pays for what was kept instead of what was booked.
func (r *Reservation) ended() bool { return r.Cancellation != nil || r.Missed != nil || r.leftEarly() }

// post brings the account in line with the reservation, and adds what is retained. All changes of the account go through it. While the
// stay is booked, its total is the sum; after its end the total remains what was booked.
func (r *Reservation) post(p posting, retained ...Charge) {
	account := slices.Clone(r.Account)
	charged := map[purpose][]Charge{}
	for _, c := range r.Account.valid() {
		switch {
		case c.Kind == Retained && c.Cause.ends() && !r.ended(): // an override has undone the end
			account.reverse(p, c)
		case c.Kind != Retained && c.Cause != ByGoodwill:
			charged[c.purpose()] = append(charged[c.purpose()], c)
		}
	}
	account.settle(p, charged, r.terms())
	for _, c := range retained {
		account.add(p, c)
	}
	r.Account = account
	if !r.ended() {
		r.Total = account.price()
	}
}

// settle adds the charges that are wanted and not charged yet, and reverses those that are charged and not wanted.
func (a *Account) settle(p posting, charged map[purpose][]Charge, wanted []Charge) {
	keep := map[purpose]bool{}
	for _, w := range wanted {
		present := charged[w.purpose()]
		sum := sumOfCharges(present)
		if keep[w.purpose()] = sum == w.Amount || p.adjusts && len(present) > 0; !keep[w.purpose()] {
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
		if !keep[w.purpose()] {
			a.add(p, w)
		}
	}
}

// forgive records that the hotel has given back money on its own. The guest does not have to pay it again.
func (r *Reservation) forgive(amount money.Micro) {
	if amount <= 0 {
		return
	}
	r.Account = slices.Clone(r.Account)
	r.Account.add(posting{cause: ByGoodwill, at: r.AsOf}, Charge{Kind: Adjustment, Amount: -amount})
}

// queueCharges stores the new charges.
func (r *Reservation) queueCharges(tx postgres.Tx) {
	added := r.Account[r.unsaved.charges:]
	if len(added) == 0 {
		return
	}
	var seqs []int
	var kinds []ChargeKind
	var causes []ChargeCause
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
			"tenant": r.Tenant, "reservation": r.ID, "version": r.Version, "seqs": seqs, "kinds": kinds, "items": items, "nights": nights, "amounts": amounts,
			"reversed": reversed, "causes": causes, "modifications": modifications, "times": times})
}
