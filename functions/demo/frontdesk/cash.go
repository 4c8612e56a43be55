package frontdesk

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"melmastoon.ghasi.io/functions/demo/internal/page"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
)

// SessionEnded is the code of a token that is not valid any more.
const SessionEnded = "GENERAL.UNAUTHENTICATED"

// Problems that the site finds itself.
const (
	noRoom    = "DESK.NO_ROOM"    // no room is chosen
	noAmount  = "DESK.NO_AMOUNT"  // not an amount, or more than is due
	paidSince = "DESK.PAID_SINCE" // another payment has arrived since the page was shown
	noRate    = "DESK.NO_RATE"    // not the price of a night
	noHotel   = "DESK.NO_HOTEL"   // the session has no access to its hotel any more
)

// An intent is a payment of a reservation as the payment service knows it.
type intent struct {
	ID       id.Intent   `json:"paymentIntentId"`
	Captured money.Micro `json:"capturedMicro"`
	Refunded money.Micro `json:"refundedMicro"`
}

// TakeCash captures an amount in cash. It fails if another amount is kept than the page showed, so that a form that is sent twice takes the
// money once. It opens the intent before it lists all of them, because a reservation has one live intent: of two desks the second one finds
// what the first has collected, or both collect the same intent, or only the intent that was opened last can be collected.
func (c *Clerk) TakeCash(ctx context.Context, r *Reservation, typed, shown string) error {
	amount := parseAmount(typed, r.Balance.Currency)
	if amount <= 0 || amount > r.Balance.Due {
		return &page.ServiceError{Code: noAmount}
	}
	in := map[string]any{"tenantId": c.session.Tenant, "reservationId": r.ID, "method": "cash_on_arrival", "amountMicro": amount, "currency": r.Balance.Currency}
	var live intent
	if err := c.site.hotels.payment.Post(ctx, "/intents", in, &live); err != nil {
		return fmt.Errorf("frontdesk: intent for %s: %w", r.ID, err)
	}
	var known struct {
		Intents []intent `json:"intents"`
	}
	query := url.Values{"tenantId": {c.session.Tenant.String()}, "reservationId": {r.ID.String()}}
	if err := c.site.hotels.payment.Get(ctx, "/intents", query, &known); err != nil {
		return fmt.Errorf("frontdesk: intents of %s: %w", r.ID, err)
	}
	var kept money.Micro
	for _, i := range known.Intents {
		kept += i.Captured - i.Refunded
	}
	if shown != strconv.FormatInt(int64(kept), 10) {
		return &page.ServiceError{Code: paidSince}
	}
	return c.call(ctx, page.Request{Method: http.MethodPost, URL: "/sandbox/payment/v1/intents/" + live.ID.String() + "/collect"})
}

var western = strings.NewReplacer("۰", "0", "۱", "1", "۲", "2", "۳", "3", "۴", "4", "۵", "5", "۶", "6", "۷", "7", "۸", "8", "۹", "9",
	"٠", "0", "١", "1", "٢", "2", "٣", "3", "٤", "4", "٥", "5", "٦", "6", "٧", "7", "٨", "8", "٩", "9", "٫", ".", "٬", ",", " ", "")

// amountForm is an amount whose commas, if it has any, separate groups of three digits. In other texts a comma may be a decimal separator.
var amountForm = regexp.MustCompile(`^([0-9]{1,3}(,[0-9]{3})+|[0-9]*)(\.[0-9]*)?$`)

// parseAmount reads an amount in main units, with digits of any script. It returns 0 for a text that is none.
func parseAmount(typed string, currency money.Currency) money.Micro {
	text := western.Replace(typed)
	units, cents, _ := strings.Cut(strings.ReplaceAll(text, ",", ""), ".")
	exponent := currency.Exponent()
	if !amountForm.MatchString(text) || len(cents) > exponent {
		return 0
	}
	n, err := strconv.ParseInt(units+cents+strings.Repeat("0", exponent-len(cents)), 10, 48)
	if err != nil {
		return 0
	}
	return money.Micro(n) * currency.MinorUnit()
}

// Plain returns an amount as a form has it, such as 1250.50.
func (View) Plain(m money.Micro, currency money.Currency) string {
	text := strconv.FormatInt(int64(m/currency.MinorUnit()), 10)
	exponent := currency.Exponent()
	text = strings.Repeat("0", max(0, exponent+1-len(text))) + text
	return strings.TrimSuffix(text[:len(text)-exponent]+"."+text[len(text)-exponent:], "."+strings.Repeat("0", exponent))
}
