package frontdesk

import (
	"context"
	"net/http"
	"slices"
	"strconv"

	"melmastoon.ghasi.io/functions/demo/internal/page"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/stay"
)

// Plans are the changes whose figures a reservation's page shows first.
const (
	guestCancels = "guest_cancelled"
	hotelCancels = "staff_cancelled" // a manager can waive the penalty
	noShow       = "no_show"
	NewDates     = "dates"
)

// An Asked is what the address of a reservation's page asks for.
type Asked struct {
	Plan, CheckIn, CheckOut string
	Notice, Problem, Due    string
}

// A Plan is a change with its figures, which has not been made.
type Plan struct {
	Name            string
	Penalty, Refund money.Micro
	Stay            stay.Window
	Total, Delta    money.Micro
	Version         int
}

// ReservationPage returns the page of a reservation, with the figures of a plan if one is asked for.
func (c *Clerk) ReservationPage(ctx context.Context, r id.Reservation, in Asked) fn.Page {
	if err := c.Enter(ctx); err != nil {
		return c.Failed(err)
	}
	found, err := c.Reservation(ctx, r)
	if err != nil {
		return c.Failed(err)
	}
	view := View{Step: "reservation", Reservation: found, Notice: in.Notice, Problem: in.Problem, CheckOut: in.CheckOut}
	if due, err := strconv.ParseInt(in.Due, 10, 64); err == nil {
		view.Due = money.Micro(due)
	}
	if view.Rooms, err = c.rooms(ctx); err != nil {
		return c.Failed(err)
	}
	if found.Is(confirmed, checkInStarted, checkedIn) {
		if view.Taken, err = c.taken(ctx); err != nil {
			return c.Failed(err)
		}
	}
	if view.CheckOut == "" {
		view.CheckOut = found.Stay.End.String()
	}
	if in.Plan != "" {
		if view.Plan, err = c.plan(ctx, found, in); err != nil {
			view.Problem = page.ServiceErrorOf(err).Code
		}
	}
	return c.Show(view)
}

// taken returns the rooms of the guests in house, and those assigned to the rest of their party.
func (c *Clerk) taken(ctx context.Context) (all []id.Room, err error) {
	inHouse, err := c.list(ctx, "inHouse", maxListed, nil)
	for _, r := range inHouse.Reservations {
		for _, a := range r.Rooms {
			all = append(all, a.Room)
		}
	}
	return all, err
}

// plan returns the figures of a change by a dry run.
func (c *Clerk) plan(ctx context.Context, r *Reservation, in Asked) (*Plan, error) {
	var out struct {
		Applied struct {
			Penalty money.Micro `json:"penaltyMicro"`
		} `json:"policyApplied"`
		Refunds []struct {
			Amount money.Micro `json:"amountMicro"`
		} `json:"paymentRefundsRequested"`
		Totals struct {
			Grand money.Micro `json:"grandTotalMicro"`
		} `json:"totals"`
		Modification struct {
			Delta money.Micro `json:"priceDeltaMicro"`
		} `json:"modification"`
	}
	key := id.New[id.Request]().String()
	p := &Plan{Name: in.Plan, Version: r.Version}
	var err error
	switch in.Plan {
	case guestCancels, hotelCancels:
		err = c.do(ctx, r.ID, "/cancel", key, map[string]any{"reasonCode": in.Plan, "dryRun": true}, &out)
	case noShow:
		err = c.do(ctx, r.ID, "/no-show", key, map[string]any{"dryRun": true}, &out)
	case NewDates:
		if p.Stay, err = window(in.CheckIn, in.CheckOut); err != nil {
			return nil, err
		}
		err = c.do(ctx, r.ID, "/dates", key, map[string]any{"stayWindow": p.Stay, "dryRun": true}, &out)
	default:
		return nil, &page.ServiceError{Code: invalid}
	}
	if err != nil {
		return nil, err
	}
	p.Penalty, p.Total, p.Delta = out.Applied.Penalty, out.Totals.Grand, out.Modification.Delta
	for _, refund := range out.Refunds {
		p.Refund += refund.Amount
	}
	return p, nil
}

const invalid = "GENERAL.VALIDATION_FAILED"

// window parses the dates of a stay.
func window(checkIn, checkOut string) (w stay.Window, err error) {
	if err := page.CheckDays(checkIn, checkOut); err != nil {
		return w, err
	}
	start, noStart := stay.ParseDate(checkIn)
	end, noEnd := stay.ParseDate(checkOut)
	if noStart != nil || noEnd != nil {
		return w, &page.ServiceError{Code: invalid}
	}
	return stay.Window{Start: start, End: end}, nil
}

// End cancels the reservation or records a no-show, as planned. It fails if a cancellation costs more than the page showed, or if the
// reservation of a no-show has another version.
func (c *Clerk) End(ctx context.Context, r id.Reservation, plan string, shown money.Micro, version int, key string) error {
	switch plan {
	case guestCancels, hotelCancels:
		return c.do(ctx, r, "/cancel", key, map[string]any{"reasonCode": plan, "maxPenaltyMicro": shown}, nil)
	case noShow:
		return c.doTo(ctx, r, "/no-show", version, key, map[string]any{})
	}
	return &page.ServiceError{Code: invalid}
}

// ToPlan redirects to the page with the figures of a plan, after they have changed. Only new dates have a window.
func (c *Clerk) ToPlan(r id.Reservation, plan string, to stay.Window, err error) fn.Page {
	query := problem(err)
	query.Set("plan", plan)
	if plan == NewDates {
		query.Set("checkIn", to.Start.String())
		query.Set("checkOut", to.End.String())
	}
	return c.To("/reservations/"+r.String(), query)
}

// IsStale reports whether the reservation has another version than the page showed.
func IsStale(err error) bool {
	return page.ServiceErrorOf(err).Status == http.StatusPreconditionFailed
}

// A RoomChoice is a selector of the rooms for one item.
type RoomChoice struct {
	Name     string // of the field
	Item     Item
	Options  []Room
	Selected id.Room // zero: no room is free
}

// FreeRooms returns the rooms of a type that no guest has and that are in order in the nights. It includes the own room of an item.
func (v View) FreeRooms(roomType id.RoomType, nights stay.Window, own id.Room) (all []Room) {
	for _, r := range v.Rooms {
		taken := r.ID != own && slices.Contains(v.Taken, r.ID)
		if r.RoomType == roomType && !taken && !r.IsOut(nights.Start, nights.End) {
			all = append(all, r)
		}
	}
	return all
}

// RoomChoices returns a selector for each item whose guests are expected. It suggests the room that is assigned to it, or otherwise another
// room for each.
func (v View) RoomChoices() (all []RoomChoice) {
	var suggested []id.Room
	for _, a := range v.Reservation.Rooms {
		suggested = append(suggested, a.Room)
	}
	for n, item := range v.Reservation.Items {
		if item.ArrivedAt != nil {
			continue
		}
		own, _ := v.Reservation.Room(item.ID)
		choice := RoomChoice{Name: "room" + strconv.Itoa(n+1), Item: item, Options: v.FreeRooms(item.RoomType, v.Reservation.Stay, own)}
		at := slices.IndexFunc(choice.Options, func(r Room) bool { return r.ID == own })
		if at < 0 {
			at = slices.IndexFunc(choice.Options, func(r Room) bool { return !slices.Contains(suggested, r.ID) })
		}
		if at >= 0 {
			choice.Selected = choice.Options[at].ID
			suggested = append(suggested, choice.Selected)
		}
		all = append(all, choice)
	}
	return all
}

// MoveChoices returns the other free rooms of its type for each item whose guests have come.
func (v View) MoveChoices() (all []RoomChoice) {
	for _, item := range v.Reservation.Items {
		if item.ArrivedAt != nil {
			if free := v.FreeRooms(item.RoomType, stay.Window{Start: v.Today(), End: v.Reservation.Stay.End}, id.Room{}); free != nil {
				all = append(all, RoomChoice{Item: item, Options: free})
			}
		}
	}
	return all
}

// ReceiptPage returns the receipt of a reservation, with its balance.
func (c *Clerk) ReceiptPage(ctx context.Context, r id.Reservation) fn.Page {
	if err := c.Enter(ctx); err != nil {
		return c.Failed(err)
	}
	found, err := c.Reservation(ctx, r)
	if err != nil {
		return c.Failed(err)
	}
	rooms, err := c.rooms(ctx)
	if err != nil {
		return c.Failed(err)
	}
	return c.Show(View{Step: "receipt", Reservation: found, Rooms: rooms})
}
