package probe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/upstream"
)

// A journey is one booking, with what its steps have learnt.
type journey struct {
	options
	env   env.Env
	out   io.Writer
	guest guest
	desk  *upstream.Client // the reservation service
	mark  mark

	token    string // of the handoff
	room     string
	rate     string
	draft    string
	quote    string
	reserved string // the reservation, from its hold to its cancellation
}

// A step is one act of the journey.
type step struct {
	name string
	do   func(context.Context) error
}

// steps are in the order of a guest's journey. The first takes the mark.
func (j *journey) steps() []step {
	return []step{
		{"leftovers", j.cancelLeftovers},
		{"search", j.search},
		{"hotel", j.readHotel},
		{"handoff", j.mintHandoff},
		{"consume", j.consumeHandoff},
		{"bootstrap", j.readBootstrap},
		{"availability", j.readAvailability},
		{"quote", j.askQuote},
		{"hold", j.hold},
		{"guest", j.setGuest},
		{"draft", j.readDraft},
		{"payment", j.openIntent},
		{"confirm", j.confirm},
		{"confirmation", j.readConfirmation},
		{"confirmed", func(ctx context.Context) error { return j.wantState(ctx, "confirmed") }},
		{"cancel", j.cancel},
		{"cancelled", func(ctx context.Context) error { return j.wantState(ctx, "cancelled") }},
	}
}

func (j *journey) run(ctx context.Context) error {
	for _, s := range j.steps() {
		if err := j.try(ctx, s); err != nil {
			if errors.Is(err, errBusy) {
				return err // the mark is another run's
			}
			return errors.Join(err, j.try(context.WithoutCancel(ctx), step{"clean-up", j.cleanUp}))
		}
	}
	return j.try(ctx, step{"clean-up", j.cleanUp})
}

// A line is what the log has about a step.
type line struct {
	Severity     string `json:"severity"`
	Message      string `json:"message"`
	Step         string `json:"step"`
	Milliseconds int64  `json:"milliseconds"`
}

// try runs a step within its deadline and writes its line.
func (j *journey) try(ctx context.Context, s step) error {
	ctx, cancel := context.WithTimeout(ctx, j.deadline)
	defer cancel()
	began := j.env.Now()
	err := s.do(ctx)
	l := line{Severity: "INFO", Message: s.name + " works", Step: s.name, Milliseconds: j.env.Now().Sub(began).Milliseconds()}
	if err != nil {
		err = fmt.Errorf("step %s: %w", s.name, err)
		l.Severity, l.Message = "ERROR", err.Error()
	}
	text, failed := json.Marshal(l)
	if failed == nil {
		_, failed = j.out.Write(append(text, '\n'))
	}
	return errors.Join(err, failed)
}

func (j *journey) cancelLeftovers(ctx context.Context) error {
	reservation, err := j.mark.take(ctx)
	if err != nil || reservation == "" {
		return err
	}
	j.reserved = reservation // if it cannot be cancelled now, its name stays
	if err := j.cancelIfLive(ctx, reservation); err != nil {
		return err
	}
	j.reserved = ""
	return j.mark.note(ctx, "")
}

// cleanUp cancels what is still booked. If that fails, the document stays for the next run.
func (j *journey) cleanUp(ctx context.Context) error {
	if j.reserved != "" {
		if err := j.cancelIfLive(ctx, j.reserved); err != nil {
			return err
		}
	}
	return j.mark.drop(ctx)
}

func (j *journey) dates() map[string]any {
	return map[string]any{"checkIn": j.day(0), "checkOut": j.day(1)}
}

func (j *journey) day(after int) string {
	return j.env.Now().AddDate(0, 0, j.days+after).Format(time.DateOnly)
}

func occupancy() map[string]any { return map[string]any{"adults": 1, "children": 0, "rooms": 1} }

func (j *journey) search(ctx context.Context) error {
	const perPage = 50
	for offset := 0; ; offset += perPage {
		var found struct {
			Results []struct {
				Property string `json:"propertyId"`
				Tenant   string `json:"tenantId"`
			} `json:"results"`
		}
		err := j.guest.call(ctx, http.StatusOK, http.MethodPost, j.guest.all+"/search", map[string]any{
			"geo": map[string]any{"mode": "city", "city": j.city}, "dates": j.dates(), "occupancy": occupancy(), "page": map[string]any{"limit": perPage, "offset": offset},
		}, &found)
		if err != nil {
			return err
		}
		for _, card := range found.Results {
			if card.Property == j.property.String() && card.Tenant == j.tenant.String() {
				return nil
			}
		}
		if len(found.Results) < perPage {
			return fmt.Errorf("%s is not among the hotels of %s", j.property, j.city)
		}
	}
}

func (j *journey) readHotel(ctx context.Context) error {
	var got struct {
		Property struct {
			ID string `json:"propertyId"`
		} `json:"property"`
	}
	err := j.guest.call(ctx, http.StatusOK, http.MethodGet, j.guest.all+"/hotels/"+j.property.String(), nil, &got)
	return wanted(err, "property.propertyId", got.Property.ID, j.property.String())
}

func (j *journey) mintHandoff(ctx context.Context) error {
	var got struct {
		Token string `json:"token"`
	}
	err := j.guest.call(ctx, http.StatusCreated, http.MethodPost, j.guest.all+"/handoff/"+j.tenant.String()+"/"+j.property.String(),
		map[string]any{"dates": j.dates(), "occupancy": occupancy()}, &got)
	j.token = got.Token
	return present(err, "token", got.Token)
}

func (j *journey) consumeHandoff(ctx context.Context) error {
	var got struct {
		Property string `json:"propertyId"`
	}
	err := j.guest.call(ctx, http.StatusOK, http.MethodPost, j.guest.hotel+"/handoff/consume", map[string]any{"token": j.token}, &got)
	return wanted(err, "propertyId", got.Property, j.property.String())
}

func (j *journey) readBootstrap(ctx context.Context) error {
	var got struct {
		Tenant string `json:"tenantId"`
	}
	err := j.guest.call(ctx, http.StatusOK, http.MethodGet, j.guest.hotel+"/bootstrap", nil, &got)
	return wanted(err, "tenantId", got.Tenant, j.tenant.String())
}

func (j *journey) readAvailability(ctx context.Context) error {
	var got struct {
		Rooms []struct {
			RoomType string `json:"roomTypeId"`
			Rates    []struct {
				Plan string `json:"ratePlanId"`
			} `json:"rates"`
		} `json:"rooms"`
	}
	query := url.Values{"propertyId": {j.property.String()}, "checkIn": {j.day(0)}, "checkOut": {j.day(1)}, "adults": {strconv.Itoa(1)}}
	err := j.guest.call(ctx, http.StatusOK, http.MethodGet, j.guest.hotel+"/availability?"+query.Encode(), nil, &got)
	if err != nil {
		return err
	}
	for _, room := range got.Rooms {
		if len(room.Rates) > 0 {
			j.room, j.rate = room.RoomType, room.Rates[0].Plan
			return nil
		}
	}
	return errors.New("no room has a rate")
}

func (j *journey) askQuote(ctx context.Context) error {
	var got struct {
		Draft string `json:"draftId"`
		Quote string `json:"quoteId"`
	}
	err := j.guest.call(ctx, http.StatusCreated, http.MethodPost, j.guest.hotel+"/quote", map[string]any{
		"propertyId": j.property.String(), "roomTypeId": j.room, "ratePlanId": j.rate, "stayWindow": j.dates(), "occupancy": occupancy(),
	}, &got)
	j.draft, j.quote = got.Draft, got.Quote
	return present(err, "draftId and quoteId", got.Draft, got.Quote)
}

func (j *journey) hold(ctx context.Context) error {
	var got struct {
		Reservation string `json:"reservationId"`
	}
	err := j.guest.call(ctx, http.StatusCreated, http.MethodPost, j.guest.hotel+"/hold", map[string]any{"draftId": j.draft, "quoteId": j.quote}, &got)
	if err := present(err, "reservationId", got.Reservation); err != nil {
		return err
	}
	j.reserved = got.Reservation
	return j.mark.note(ctx, got.Reservation)
}

func (j *journey) setGuest(ctx context.Context) error {
	return j.guest.call(ctx, http.StatusOK, http.MethodPatch, j.guest.hotel+"/draft/"+j.draft, map[string]any{"guest": map[string]any{
		"firstName": "Probe", "lastName": "Melmastoon", "email": "probe@example.com", "phone": "+93700000000",
	}}, nil)
}

func (j *journey) readDraft(ctx context.Context) error {
	var got struct {
		State string `json:"flowState"`
	}
	err := j.guest.call(ctx, http.StatusOK, http.MethodGet, j.guest.hotel+"/draft/"+j.draft, nil, &got)
	return wanted(err, "flowState", got.State, "collecting_details")
}

func (j *journey) openIntent(ctx context.Context) error {
	var got struct {
		Intent string `json:"intentId"`
	}
	err := j.guest.call(ctx, http.StatusCreated, http.MethodPost, j.guest.hotel+"/draft/"+j.draft+"/payment-intent", map[string]any{"method": "cash_on_arrival"}, &got)
	return present(err, "intentId", got.Intent)
}

func (j *journey) confirm(ctx context.Context) error {
	var got struct {
		State string `json:"flowState"`
	}
	err := j.guest.call(ctx, http.StatusOK, http.MethodPost, j.guest.hotel+"/draft/"+j.draft+"/confirm", nil, &got)
	return wanted(err, "flowState", got.State, "confirmed")
}

func (j *journey) readConfirmation(ctx context.Context) error {
	var got struct {
		Reservation string `json:"reservationId"`
	}
	err := j.guest.call(ctx, http.StatusOK, http.MethodGet, j.guest.hotel+"/confirmation/"+j.reserved, nil, &got)
	return wanted(err, "reservationId", got.Reservation, j.reserved)
}

// cancel calls the route for services, so that the booking is cancelled even if the hotel's site fails.
func (j *journey) cancel(ctx context.Context) error { return j.cancelAt(ctx, j.reserved) }

func (j *journey) cancelAt(ctx context.Context, reservation string) error {
	return j.desk.Post(ctx, "/"+reservation+"/cancel", map[string]any{"reasonCode": "guest_cancelled", "reason": "probe"}, nil,
		upstream.Tenant(j.tenant), upstream.Key("probe-"+reservation))
}

// cancelIfLive cancels a held or confirmed reservation.
func (j *journey) cancelIfLive(ctx context.Context, reservation string) error {
	state, err := j.stateOf(ctx, reservation)
	switch {
	case err != nil:
		return err
	case state == "cancelled", state == "expired_hold":
		return nil
	case state != "held" && state != "confirmed":
		return fmt.Errorf("%s is %s: the desk must end it", reservation, state)
	}
	if err := j.cancelAt(ctx, reservation); err != nil {
		return err
	}
	state, err = j.stateOf(ctx, reservation)
	return wanted(err, "state", state, "cancelled")
}

func (j *journey) wantState(ctx context.Context, want string) error {
	state, err := j.stateOf(ctx, j.reserved)
	return wanted(err, "state", state, want)
}

func (j *journey) stateOf(ctx context.Context, reservation string) (string, error) {
	var got struct {
		State string `json:"state"`
	}
	err := j.desk.Get(ctx, "/"+reservation, nil, &got, upstream.Tenant(j.tenant))
	return got.State, err
}

// wanted returns err, or an error if the member of a response has another value.
func wanted(err error, member, got, want string) error {
	if err == nil && got != want {
		err = fmt.Errorf("%s is %q, want %q", member, got, want)
	}
	return err
}

// present returns err, or an error if a member of a response is missing.
func present(err error, member string, values ...string) error {
	for _, value := range values {
		if err == nil && value == "" {
			err = fmt.Errorf("the response lacks %s", member)
		}
	}
	return err
}

// unaddressed returns the cause of a failed request without its address, in whose query may be a token.
func unaddressed(err error) error {
	if failed, ok := errors.AsType[*url.Error](err); ok {
		return failed.Err
	}
	return err
}
