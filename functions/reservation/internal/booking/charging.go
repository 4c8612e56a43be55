package booking

import (
	"melmastoon.ghasi.io/functions/reservation/internal/account"
	"melmastoon.ghasi.io/functions/reservation/internal/quotes"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
)

// terms returns the charges that the present nights and fees of the reservation ask for. There are none after a cancellation or a
// no-show, and after an early departure only those of the nights slept.
func (r *Reservation) terms() (wanted []account.Charge) {
	if r.Cancellation != nil || r.Missed != nil {
		return nil
	}
	fees := func(item *id.Item, extras []quotes.Line) {
		if sum := quotes.SumLines(extras); sum != 0 {
			wanted = append(wanted, account.Charge{Kind: account.Fee, Item: item, Amount: sum})
		}
	}
	for _, item := range r.Items {
		for _, n := range item.Nights {
			if n.Amount != 0 && (!r.leftEarly() || n.Date.Before(r.CheckOut.Early.From)) {
				wanted = append(wanted, account.Charge{Kind: account.Night, Item: &item.ID, Night: &n.Date, Amount: n.Amount})
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

// post brings the account in line with the reservation, and adds what is retained. While the stay is booked, its total is the sum; after
// its end the total remains what was booked.
func (r *Reservation) post(p account.Posting, retained ...account.Charge) {
	r.Account = r.Account.Post(p, r.terms(), r.ended(), retained...)
	if !r.ended() {
		r.Total = r.Account.Price()
	}
}

// totals returns an amount in the currency of the reservation.
func (r *Reservation) totals(amount money.Micro) quotes.Totals {
	return quotes.Totals{Grand: amount, Currency: r.Currency}
}
