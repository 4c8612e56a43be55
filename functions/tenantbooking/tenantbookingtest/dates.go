package tenantbookingtest

import (
	"net/http"
	"time"

	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/stay"
)

// pending is the fake's representation of changed dates that wait for their payment.
type pending struct {
	Stay     stay.Window `json:"stayWindow"`
	Total    money.Micro `json:"grandTotalMicro"`
	Due      money.Micro `json:"dueMicro"`
	PayUntil time.Time   `json:"payUntil"`
}

// changeDates changes the dates of a confirmed reservation at the fake's price. The reservation was paid by card.
func (w *FakePlatform) changeDates(r *http.Request) answer {
	s := w.find(r)
	in := body[struct {
		Stay    stay.Window  `json:"stayWindow"`
		DryRun  bool         `json:"dryRun"`
		ByGuest bool         `json:"byGuest"`
		Max     *money.Micro `json:"maxTotalMicro"`
	}](r)
	total := money.Micro(nightly * in.Stay.Nights())
	switch {
	case s == nil:
		return nothing()
	case !in.ByGuest:
		return refuse(403, "GENERAL.FORBIDDEN")
	case s.State != "confirmed":
		return refuse(409, "RESERVATION.ILLEGAL_TRANSITION")
	case w.SoldOut:
		return refuse(409, "RESERVATION.OVERBOOKING_BLOCKED")
	case in.Max != nil && total > *in.Max:
		return refuse(409, "BFF.TENANT.PRICE_CHANGED")
	}
	changed := *s
	changed.Quote.Stay, changed.Quote.Total = in.Stay, total
	delta := total - s.Quote.Total
	modification := map[string]any{"priceDeltaMicro": delta}
	if delta < 0 {
		modification["refundOrChargeRequest"] = map[string]any{"amountMicro": -delta, "direction": "refund"}
	}
	switch {
	case in.DryRun:
	case w.Prepaid && delta > 0:
		s.Pending = &pending{Stay: in.Stay, Total: total, Due: delta, PayUntil: w.Now().Add(holdTime)}
		changed = *s
	default:
		*s = changed
	}
	return answer{200, struct {
		reservation
		Modification any `json:"modification"`
	}{w.view(&changed), modification}}
}
