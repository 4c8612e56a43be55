package frontdesk

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"melmastoon.ghasi.io/functions/demo/internal/page"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/stay"
)

// A Reservation is a reservation as staff read it.
type Reservation struct {
	ID       id.Reservation `json:"reservationId"`
	Code     string         `json:"reservationCode"`
	State    string         `json:"state"`
	Version  int            `json:"version"`
	Step     string         `json:"pendingSagaStep"` // what it waits for
	Stay     stay.Window    `json:"stayWindow"`
	Items    []Item         `json:"items"`
	Rooms    []AssignedRoom `json:"rooms"`
	Keys     []string       `json:"keyCredentialIds"`
	Balance  Balance        `json:"balance"`
	Requests []Wish         `json:"specialRequests"`
	Guest    Guest          `json:"guest"`
	Totals   struct {
		Grand money.Micro `json:"grandTotalMicro"`
	} `json:"totals"`
	CheckIn struct {
		ManualKey bool `json:"requiresManualKey"`
	} `json:"checkIn"`
}

// A Guest is the person who booked.
type Guest struct {
	FirstName string `json:"firstName"`
	LastName  string `json:"lastName"`
	Email     string `json:"email"`
	Phone     string `json:"phone"`
}

// An Item is one booked room.
type Item struct {
	ID        id.Item        `json:"itemId"`
	RoomType  id.RoomType    `json:"roomTypeId"`
	RatePlan  id.RatePlan    `json:"ratePlanId"`
	Occupants stay.Occupants `json:"occupants"`
	Total     money.Micro    `json:"totalMicro"`
	ArrivedAt *time.Time     `json:"arrivedAt"` // nil: its guests are expected
}

// An AssignedRoom is the physical room of an item.
type AssignedRoom struct {
	Item id.Item `json:"itemId"`
	Room id.Room `json:"roomId"`
}

// A Balance is what was paid and what is still due.
type Balance struct {
	Captured money.Micro    `json:"capturedMicro"`
	Refunded money.Micro    `json:"refundedMicro"`
	Due      money.Micro    `json:"dueMicro"`
	Currency money.Currency `json:"currency"`
}

// Kept returns what was paid and not paid back.
func (b Balance) Kept() money.Micro { return b.Captured - b.Refunded }

// A Wish is a special request of the guest.
type Wish struct {
	Text string `json:"freeText"`
}

// States of a reservation.
const (
	confirmed       = "confirmed"
	checkInStarted  = "check_in_started"
	checkedIn       = "checked_in"
	checkoutStarted = "checkout_started"
	checkedOut      = "checked_out"
)

// Is reports whether the reservation is in one of the states.
func (r *Reservation) Is(states ...string) bool { return slices.Contains(states, r.State) }

// IsInHouse reports whether the guest has a room.
func (r *Reservation) IsInHouse() bool { return r.Is(checkInStarted, checkedIn, checkoutStarted) }

// PendingKeys returns how many rooms of guests in house wait for their key.
func (r *Reservation) PendingKeys() (n int) {
	if r.Step != awaitKeys {
		return 0
	}
	for _, item := range r.Items {
		if item.ArrivedAt != nil {
			n++
		}
	}
	return max(0, n-len(r.Keys))
}

const awaitKeys = "await_keys"

// TakesCash reports whether the guest can pay what is due.
func (r *Reservation) TakesCash() bool {
	return r.Balance.Due > 0 && (r.State == confirmed || r.State == checkedOut || r.IsInHouse())
}

// Room returns the room of an item, or false if it has none.
func (r *Reservation) Room(item id.Item) (id.Room, bool) {
	for _, a := range r.Rooms {
		if a.Item == item {
			return a.Room, true
		}
	}
	return id.Room{}, false
}

// A list is one page of reservations. Next is set if there are more.
type list struct {
	Reservations []Reservation `json:"reservations"`
	Attention    []Concern     `json:"attention"`
	Next         *string       `json:"nextCursor"`
}

// A Concern is a reason for which the desk must look at a reservation.
type Concern struct {
	Reservation id.Reservation `json:"reservationId"`
	Reason      string         `json:"reason"`
}

const maxListed = 200 // reservations of one list

// list returns the reservations of the property for a query, such as "arrivals".
func (c *Clerk) list(ctx context.Context, by string, limit int, more url.Values) (out list, err error) {
	query := url.Values{by: {c.session.property().String()}, "limit": {strconv.Itoa(limit)}}
	maps.Copy(query, more)
	err = c.reservations(ctx, http.MethodGet, "?"+query.Encode(), "", nil, &out)
	return out, err
}

// Reservation returns a reservation.
func (c *Clerk) Reservation(ctx context.Context, r id.Reservation) (*Reservation, error) {
	var out Reservation
	err := c.reservations(ctx, http.MethodGet, "/"+r.String(), "", nil, &out)
	return &out, err
}

// do sends an act on a reservation, such as "/check-out".
func (c *Clerk) do(ctx context.Context, r id.Reservation, act, key string, in, out any) error {
	return c.reservations(ctx, http.MethodPost, "/"+r.String()+act, key, in, out)
}

// doTo sends an act on a version of a reservation.
func (c *Clerk) doTo(ctx context.Context, r id.Reservation, act string, version int, key string, in any) error {
	return c.sendTo(ctx, http.MethodPost, r.String()+act, version, key, in)
}

func (c *Clerk) sendTo(ctx context.Context, method, path string, version int, key string, in any) error {
	return c.call(ctx, page.Request{Method: method, URL: "/api/v1/reservations/" + path, Key: key, Match: strconv.Itoa(version), In: in})
}

// ParseRooms reads the choices of a form: an item and a room each, separated by a dot. It omits empty ones.
func ParseRooms(choices []string) (all []AssignedRoom, err error) {
	for _, text := range choices {
		if text == "" {
			continue
		}
		item, room, _ := strings.Cut(text, ".")
		var a AssignedRoom
		if a.Item.UnmarshalText([]byte(item)) != nil || a.Room.UnmarshalText([]byte(room)) != nil {
			return nil, &page.ServiceError{Code: invalid}
		}
		all = append(all, a)
	}
	if all == nil {
		return nil, &page.ServiceError{Code: noRoom}
	}
	return all, nil
}

// CheckIn checks in the given items.
func (c *Clerk) CheckIn(ctx context.Context, r id.Reservation, rooms []AssignedRoom, key string) error {
	return c.do(ctx, r, "/check-in", key, map[string]any{"rooms": rooms}, nil)
}

// CheckOut checks the guest out. Forced, the guest leaves what is due unpaid; only a manager can do that.
func (c *Clerk) CheckOut(ctx context.Context, r *Reservation, force bool, reason, key string) error {
	folio := map[string]any{"folioId": "fol_" + r.Code, "finalBalanceMicro": money.Micro(0), "currency": r.Balance.Currency, "settled": !force}
	in := map[string]any{"folio": folio, "force": force}
	if force {
		folio["finalBalanceMicro"], in["reason"] = r.Balance.Due, reason
	}
	return c.do(ctx, r.ID, "/check-out", key, in, nil)
}

// Move gives an item another room of the same type.
func (c *Clerk) Move(ctx context.Context, r id.Reservation, to AssignedRoom, key string) error {
	in := map[string]any{"type": "room_change", "itemId": to.Item, "roomId": to.Room}
	return c.reservations(ctx, http.MethodPatch, "/"+r.String(), key, in, nil)
}

// ChangeRate changes the price of a night of an item, without taxes, for the nights to come. Only a manager can do that.
func (c *Clerk) ChangeRate(ctx context.Context, r *Reservation, item id.Item, typed, reason string, version int, key string) error {
	nightly := parseAmount(typed, r.Balance.Currency)
	if nightly <= 0 {
		return &page.ServiceError{Code: noRate}
	}
	in := map[string]any{"type": "rate_change", "itemId": item, "nightlyRateMicro": nightly, "reason": reason}
	return c.sendTo(ctx, http.MethodPatch, r.ID.String(), version, key, in)
}

// ChangeDates changes the dates of the version that the page showed.
func (c *Clerk) ChangeDates(ctx context.Context, r id.Reservation, to stay.Window, version int, key string) error {
	return c.doTo(ctx, r, "/dates", version, key, map[string]any{"stayWindow": to})
}
