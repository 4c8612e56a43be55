package booking

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/reservation"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/stay"
)

// A Change is a guest's change of a confirmed booking: of its dates, of the guest's details, or a special request. Total is the price of
// the changed dates that the guest was shown; without it any price is accepted. A dry run of changed dates changes nothing.
type Change struct {
	Stay    *hotel.Stay
	Total   *money.Minor
	DryRun  bool
	Special *SpecialRequest
	Guest   *Guest
}

// A SpecialRequest is a guest's request beyond the room. The reservation service knows the tags.
type SpecialRequest struct {
	Tags     []string `json:"tags"`
	FreeText string   `json:"freeText,omitzero"`
}

// Validate returns an error unless there is exactly one change, with valid members.
func (c Change) Validate() error {
	kinds := 0
	for _, given := range []bool{c.Stay != nil, c.Special != nil, c.Guest != nil} {
		if given {
			kinds++
		}
	}
	var found []fault.Violation
	refuse := func(pointer, rule, message string, bad bool) {
		if bad {
			found = append(found, fault.Violation{Pointer: pointer, Rule: rule, Message: message})
		}
	}
	refuse("/", "one", "must have exactly one of stayWindow, specialRequest and guest", kinds != 1)
	refuse("/dryRun", "with", "belongs to stayWindow", c.DryRun && c.Stay == nil)
	refuse("/total", "with", "belongs to stayWindow", c.Total != nil && c.Stay == nil)
	if c.Total != nil {
		_, err := c.Total.Micro()
		refuse("/total", "form", "must be an amount in a known currency, with its exponent", err != nil || c.Total.Amount < 0)
	}
	if c.Stay != nil {
		if err := c.Stay.Window().Validate(); err != nil {
			refuse("/stayWindow/checkOut", "range", err.Error(), true)
		}
	}
	if q := c.Special; q != nil {
		refuse("/specialRequest/tags", "length", fmt.Sprintf("must be 1 to %d different tags", stay.MaxRequestTags), len(q.Tags) == 0 || len(q.Tags) > stay.MaxRequestTags)
		refuse("/specialRequest/freeText", "form", fmt.Sprintf("must be at most %d characters", stay.MaxRequestLength), utf8.RuneCountInString(q.FreeText) > stay.MaxRequestLength)
	}
	if found != nil {
		return fault.ErrValidation.With(found...)
	}
	if c.Guest != nil {
		return c.Guest.Normal().Validate()
	}
	return nil
}

// A PriceChange is the result of changed dates: the difference to the old price, which is negative if the stay is cheaper, and the part of
// the paid amount that is refunded.
type PriceChange struct {
	Difference *money.Minor `json:"priceDifference,omitzero"`
	Refund     *money.Minor `json:"refund,omitzero"`
}

// A Changer changes confirmed bookings for their guests.
type Changer struct {
	Reservations

	properties hotel.CachedProperties
}

// OpenChanger returns Changer with its clients.
func OpenChanger(e env.Env) Changer {
	return Changer{Reservations: OpenReservations(e), properties: hotel.OpenCachedProperties(e)}
}

// ChangeDates changes the dates of a confirmed reservation for its guest. It returns [ErrPriceChanged] if the new price is higher than the
// one that the guest was shown, and rejects a stay that is too long or moves to a day in the past. A repeated call with the same key
// returns the same result.
func (r Changer) ChangeDates(ctx context.Context, t hotel.Tenant, b Reservation, c Change, now time.Time, key string) (after Reservation, price PriceChange, err error) {
	to := c.Stay.Window()
	if err = b.CheckNights(to, t.Settings); err != nil {
		return after, price, err
	}
	if to.Start != b.Stay.Start {
		if err = r.properties.CheckArrival(ctx, t.ID, b.Property, to.Start, "/stayWindow/checkIn", now); err != nil {
			return after, price, err
		}
	}
	return r.changeDates(ctx, b, c, key)
}

func (r Reservations) changeDates(ctx context.Context, b Reservation, c Change, key string) (after Reservation, price PriceChange, err error) {
	defer wrapServiceError(ReservationsName, &err)
	to := c.Stay.Window()
	in := reservation.DatesRequest{Stay: to, DryRun: c.DryRun, ByGuest: true}
	if shown := c.Total; shown != nil {
		if shown.Currency != b.Totals.Currency {
			return after, price, ErrPriceChanged.Saying("The booking is in another currency than was shown. Check the price before you continue.")
		}
		most, err := shown.Micro()
		if err != nil {
			return after, price, err
		}
		in.Max = &most.Micro
	}
	out, err := r.client.ChangeDates(ctx, b.Tenant, b.ID, key, in, pointerOf)
	if err != nil {
		return after, price, fmt.Errorf("reservations: change the dates of %s: %w", b.ID, err)
	}
	if waits := out.Pending != nil && out.Pending.Stay == to; out.ID != b.ID || out.Stay != to && !waits {
		return after, price, fault.ErrUpstreamUnavailable.Because(fmt.Errorf("reservations: change the dates of %s: the answer is for another reservation or stay", b.ID))
	}
	price, err = priceChangeOf(out)
	return Reservation{out.Reservation}, price, err
}

// priceChangeOf converts the amounts to minor units. It returns an error if an amount cannot be converted exactly.
func priceChangeOf(c reservation.Changed) (out PriceChange, err error) {
	minor := func(m money.Micro) *money.Minor {
		amount, inexact := money.Amount{Micro: m, Currency: c.Totals.Currency}.Minor()
		if inexact != nil {
			err = inexact
		}
		return &amount
	}
	if c.Modification.Delta != nil {
		out.Difference = minor(*c.Modification.Delta)
	}
	if request := c.Modification.Request; request != nil && request.Direction == "refund" {
		out.Refund = minor(request.Amount)
	}
	return out, err
}

// Ask adds a special request to a reservation, in the language of the guest. A repeated call with the same key adds it once.
func (r Reservations) Ask(ctx context.Context, b Reservation, q SpecialRequest, l locale.Tag, key string) (after Reservation, err error) {
	defer wrapServiceError(ReservationsName, &err)
	text := strings.TrimSpace(norm.NFC.String(q.FreeText))
	in := reservation.SpecialRequest{Tags: slices.Clone(q.Tags), FreeText: text, Locale: l, Source: "guest"}
	out, err := r.client.AddSpecialRequest(ctx, b.Tenant, b.ID, key, in, func(member string) (string, bool) { return "/specialRequest" + member, true })
	if err != nil {
		return after, fmt.Errorf("reservations: add a special request to %s: %w", b.ID, err)
	}
	return Reservation{out}, nil
}

// Rename replaces the details of the guest of a booked reservation. Its special requests stay. A repeated call with the same key has no
// further effect.
func (r Reservations) Rename(ctx context.Context, b Reservation, g Guest, l locale.Tag, key string) (err error) {
	defer wrapServiceError(ReservationsName, &err)
	in := reservation.GuestDetails(g.Normal())
	if in.Locale == "" {
		in.Locale = l
	}
	if _, err := r.client.SetGuestDetails(ctx, b.Tenant, b.ID, key, in); err != nil {
		return fmt.Errorf("reservations: rename the guest of %s: %w", b.ID, err)
	}
	return nil
}
