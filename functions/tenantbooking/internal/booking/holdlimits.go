package booking

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/reservation"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/session"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn/ratelimit"
	"melmastoon.ghasi.io/shared/platform/secrets"
	"melmastoon.ghasi.io/shared/pseudonym"
	"melmastoon.ghasi.io/shared/stay"
)

const (
	messageTooManyNights  = "must be at most %d nights after check-in: ask the hotel about longer stays"
	messageTooManyPerStay = "must be so few that rooms times nights are at most %d: ask the hotel about larger groups"
)

// The rates at which one session and one client address may hold rooms. An office may share an address.
var (
	sessionHolds = ratelimit.Rate{PerSecond: 1.0 / 30, Burst: 10}
	addressHolds = ratelimit.Rate{PerSecond: 0.5, Burst: 100}
)

// Within returns a fault if the stay is longer or larger than one visitor may hold on the hotel's site.
func (w Selection) Within(limits hotel.Settings) error {
	return within(limits, w.Occupancy.Rooms, w.Stay.Window().Nights(), "/occupancy/rooms")
}

// CheckNights is Within for changed dates. It allows all dates that do not make the stay longer, because the front desk may have booked a
// stay above the limits.
func (r Reservation) CheckNights(to stay.Window, limits hotel.Settings) error {
	if to.Nights() <= r.Stay.Nights() {
		return nil
	}
	return within(limits, len(r.Items), to.Nights(), "/stayWindow/checkOut")
}

// within checks the limits of one stay. The violation for too many room nights points to pointer.
func within(limits hotel.Settings, rooms, nights int, pointer string) error {
	if maxNights := limits.MaxNights(); nights > maxNights {
		return fault.ErrValidation.With(fault.Violation{Pointer: "/stayWindow/checkOut", Rule: "range", Message: fmt.Sprintf(messageTooManyNights, maxNights)})
	}
	if maxRoomNights := limits.SessionRoomNights(); rooms*nights > maxRoomNights {
		return fault.ErrValidation.With(fault.Violation{Pointer: pointer, Rule: "range", Message: fmt.Sprintf(messageTooManyPerStay, maxRoomNights)})
	}
	return nil
}

// HoldLimits limits how often each session and client address holds rooms at a hotel; each process counts for itself. It also returns the
// quota of unpaid room nights, which the reservation service counts, because that service knows what is held, paid for and over.
type HoldLimits struct {
	peppers         pseudonym.Peppers
	countsAddresses bool // addresses are counted
	attempts        *ratelimit.Limiter
}

// OpenHoldLimits returns the limits. If RATE_LIMIT_SESSION is off, attempts of sessions are not counted. If RATE_LIMIT_ADDRESS is off,
// addresses are not counted, because all clients have the same one.
func OpenHoldLimits(e env.Env) (HoldLimits, error) {
	var rates ratelimit.Rates
	if err := e.Load(&rates); err != nil {
		return HoldLimits{}, fmt.Errorf("hold limits: %w", err)
	}
	if rates.Session != (ratelimit.Rate{}) {
		rates.Session = sessionHolds
	}
	countsAddresses := rates.Address != (ratelimit.Rate{})
	if countsAddresses {
		rates.Address = addressHolds
	}
	peppers, err := secrets.Peppers(e)
	return HoldLimits{
		peppers: peppers, countsAddresses: countsAddresses, attempts: ratelimit.New(rates),
	}, err
}

// Attempt calls hold, or returns ratelimit.ErrLimited if the session or the address of the visitor has made too many
// attempts. An attempt without an outcome does not count, because the guest will repeat it. Neither does one for an unknown draft, because
// no rooms were asked for.
func (l HoldLimits) Attempt(v session.Visitor, from session.Trace, now time.Time, hold func() (*Draft, error)) (d *Draft, err error) {
	bySession, byAddress := l.attempts.Session(v.Session.ID.String(), now), l.attempts.Address(from.Address, now)
	if err = cmp.Or(bySession.Refused(), byAddress.Refused()); err == nil {
		d, err = hold()
	}
	if err != nil && (undecided(err) || fault.From(err).Kind == fault.NotFound) {
		bySession.Undo()
		byAddress.Undo()
	}
	return d, err
}

// undecided reports whether a hold failed for a reason that says nothing about the rooms, so that a repetition may succeed.
func undecided(failure error) bool {
	f := fault.From(failure)
	return f.Retriable() || f.Kind == fault.Internal || errors.Is(failure, fault.ErrIdempotencyInProgress)
}

// Quota returns the quota of unpaid room nights of a visitor, by the settings of the hotel.
func (l HoldLimits) Quota(v session.Visitor, from session.Trace) reservation.Quota {
	return reservation.Quota{
		Address: l.address(from), RoomNights: v.Tenant.Settings.SessionRoomNights(), AddressRoomNights: v.Tenant.Settings.AddressRoomNights(),
	}
}

// address returns the pseudonym of the client's address, or "" if addresses are not counted. Clients whose address is unknown count as one.
func (l HoldLimits) address(from session.Trace) string {
	if !l.countsAddresses {
		return ""
	}
	known, err := pseudonym.Address(from.Address)
	if err != nil {
		return "unknown"
	}
	return string(l.peppers.Hash(known))
}
