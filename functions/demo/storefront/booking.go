package storefront

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/stay"
)

// A Selection is the room and the rate that the guest wants to book.
type Selection struct {
	Property          id.Property
	RoomType          id.RoomType
	RatePlan          id.RatePlan
	CheckIn, CheckOut stay.Date
	Occupancy         Occupancy
	Draft             id.Draft    // zero for a new booking
	Shown             money.Minor // the price on the page; its currency is empty if that is unknown
}

// Hold requests a quote for the selection and holds its rooms. It returns the draft's id. The rooms that the session holds without a
// payment go back when the new ones are held: a guest compares rooms, and would soon reach the limit of holds.
func (v *Visitor) Hold(ctx context.Context, s Selection, key string) (id.Draft, error) {
	if !s.Draft.IsZero() {
		return v.hold(ctx, s, key)
	}
	if s.Draft = v.activeDraft(ctx); !s.Draft.IsZero() {
		draft, err := v.hold(ctx, s, key+"-"+s.Draft.String())
		switch ServiceErrorOf(err).Code {
		case illegalStep, draftClosed, fault.ErrNotFound.Code: // it is being paid for, or has ended: it keeps its rooms, and a new draft begins
		default:
			return draft, err
		}
	}
	s.Draft = id.Draft{}
	return v.hold(ctx, s, key)
}

// activeDraft returns the draft that the session is booking, or the zero id, also if the booking service does not answer.
func (v *Visitor) activeDraft(ctx context.Context) id.Draft {
	var front struct {
		Draft id.Draft `json:"activeBookingDraftId"`
	}
	current := *v
	current.BootstrapVersion = "" // a page that is out of date may ask
	_ = current.call(ctx, apiRequest{method: http.MethodGet, path: "/bootstrap", out: &front})
	return front.Draft
}

func (v *Visitor) hold(ctx context.Context, s Selection, key string) (id.Draft, error) {
	in := struct {
		Property  id.Property `json:"propertyId"`
		RoomType  id.RoomType `json:"roomTypeId"`
		RatePlan  id.RatePlan `json:"ratePlanId"`
		Stay      stayDates   `json:"stayWindow"`
		Occupancy Occupancy   `json:"occupancy"`
		Draft     id.Draft    `json:"draftId,omitzero"`
	}{s.Property, s.RoomType, s.RatePlan, stayDates{s.CheckIn, s.CheckOut}, s.Occupancy, s.Draft}
	var quoted Quoted
	if err := v.call(ctx, apiRequest{method: http.MethodPost, path: "/quote", key: key + "-quote", in: in, out: &quoted}); ServiceErrorOf(err).InvalidFields()["rooms"] {
		return quoted.Draft, &ServiceError{Code: tooMany}
	} else if err != nil {
		return quoted.Draft, err
	}
	holding := struct {
		Quoted
		Total *money.Minor `json:"total,omitzero"`
	}{Quoted: quoted}
	if s.Shown.Currency != "" {
		holding.Total = &s.Shown
	}
	err := v.call(ctx, apiRequest{method: http.MethodPost, path: "/hold", key: key + "-hold", in: holding})
	if ServiceErrorOf(err).Code == rateLimited { // not the visitor's speed, but what the visitor holds already
		err = &ServiceError{Code: tooManyHolds}
	}
	return quoted.Draft, err
}

type stayDates struct {
	CheckIn  stay.Date `json:"checkIn"`
	CheckOut stay.Date `json:"checkOut"`
}

// Draft returns the draft.
func (v *Visitor) Draft(ctx context.Context, d id.Draft) (*Draft, error) {
	var draft Draft
	err := v.call(ctx, apiRequest{method: http.MethodGet, path: draftPath(d), out: &draft})
	return &draft, err
}

func draftPath(d id.Draft) string { return "/draft/" + d.String() }

// SetGuest sets the guest's details. version is the draft's version on the submitted page.
func (v *Visitor) SetGuest(ctx context.Context, d id.Draft, version int, g Guest, key string) error {
	in := struct {
		Guest Guest `json:"guest"`
	}{g}
	err := v.call(ctx, apiRequest{method: http.MethodPatch, path: draftPath(d), key: key, match: strconv.Itoa(version), in: in})
	return err
}

// Pay begins a payment and returns the URL of its page, or "" if the guest approves on the site's page or on the phone. A
// booking that is paid in cash is confirmed at once, and Pay returns "" with the outcome.
func (v *Visitor) Pay(ctx context.Context, d id.Draft, m Method, key string) (to string, o Outcome, err error) {
	var opened PaymentPage
	in := map[string]Method{"method": m}
	err = v.call(ctx, apiRequest{method: http.MethodPost, path: draftPath(d) + "/payment-intent", key: key + "-intent", in: in, out: &opened})
	if err != nil || opened.RedirectURL != "" || m != cashOnArrival {
		return opened.RedirectURL, o, err
	}
	err = v.call(ctx, apiRequest{method: http.MethodPost, path: draftPath(d) + "/confirm", key: key + "-confirm", out: &o})
	return "", o, err
}

// Return returns the result of a payment. The outcome is not confirmed while the payment is pending. link is the token
// of the return link, which a guest needs who returns in another browser.
func (v *Visitor) Return(ctx context.Context, d id.Draft, link, key string) (o Outcome, err error) {
	path := draftPath(d) + "/return"
	if link != "" {
		path += "?" + url.Values{"r": {link}}.Encode()
	}
	err = v.call(ctx, apiRequest{method: http.MethodPost, path: path, key: key, out: &o})
	return o, err
}

// Abandon abandons the draft.
func (v *Visitor) Abandon(ctx context.Context, d id.Draft, key string) error {
	err := v.call(ctx, apiRequest{method: http.MethodDelete, path: draftPath(d), key: key})
	return err
}

// Confirmation returns the confirmed booking. Without the session that made the booking, it needs the token.
func (v *Visitor) Confirmation(ctx context.Context, r id.Reservation, token string) (*Confirmation, error) {
	var c Confirmation
	if err := v.call(ctx, apiRequest{method: http.MethodGet, path: staying("/confirmation/", r, "", token), out: &c}); err != nil {
		return nil, err
	}
	if len(v.Bootstrap.Properties) > 0 {
		return &c, nil
	}
	// The booking service returned no properties, for example because the tenant is suspended. If the property service
	// does not answer either, the page shows no names.
	if property, err := v.site.properties.Get(ctx, c.Property, v.Localizer.Tag); err == nil {
		v.Bootstrap.Properties = []Property{property}
		v.Localizer.Zone = v.zone() // the page and the calendar show times at the hotel
	}
	return &c, nil
}

// SetPreferences sets the language or the currency of the session.
func (v *Visitor) SetPreferences(ctx context.Context, l locale.Tag, c money.Currency, key string) error {
	in := struct {
		Locale   locale.Tag     `json:"locale,omitzero"`
		Currency money.Currency `json:"currency,omitzero"`
	}{l, c}
	err := v.call(ctx, apiRequest{method: http.MethodPatch, path: "/session", key: key, in: in})
	return err
}

// ToBooking redirects to the page of the booking, with the problem in err, if any.
func (v *Visitor) ToBooking(d id.Draft, err error) fn.Page {
	return v.To(bookingPath(d), problem(err))
}

// ToPrice redirects to the page that asks the guest to accept a changed price. The details from a booking that has ended, if any, fill
// the form once the guest has accepted.
func (v *Visitor) ToPrice(d id.Draft, shown money.Minor, g Guest) fn.Page {
	return v.KeepGuest(v.To(bookingPath(d), url.Values{"shown": {strconv.FormatInt(shown.Amount, 10)}}), d, g)
}

// ToStart redirects to the first page, with the guest's search and the problem in err.
func (v *Visitor) ToStart(s Search, err error) fn.Page {
	query := problem(err)
	if s.HasDates() {
		maps.Copy(query, s.Query())
	}
	return v.To("", query)
}

// ToConfirmation redirects to the page of the confirmation.
func (v *Visitor) ToConfirmation(r id.Reservation) fn.Page {
	return v.To(stayPath(r), nil)
}

func problem(err error) url.Values {
	if err == nil {
		return url.Values{}
	}
	return url.Values{"problem": {ServiceErrorOf(err).Code}}
}

// ToBooked redirects to the confirmation of an outcome. Another browser than the one that booked needs the view token,
// which begins with the reservation's id.
func (v *Visitor) ToBooked(o Outcome) fn.Page {
	if !o.Reservation.IsZero() {
		return v.ToConfirmation(o.Reservation)
	}
	reservation, _, _ := strings.Cut(o.ViewToken, ".")
	return v.To("/confirmations/"+reservation, url.Values{"t": {o.ViewToken}})
}

// ToWaiting redirects to the page that waits for the guest's approval or for the payment provider.
func (v *Visitor) ToWaiting(d id.Draft) fn.Page {
	return v.To(bookingPath(d), url.Values{"step": {"waiting"}})
}

// ToBack redirects to a page of this site. It ignores any other address, to prevent open redirects.
func (v *Visitor) ToBack(back string) fn.Page {
	u, err := url.Parse(back)
	if err != nil || u.Scheme != "" || u.Host != "" || u.Opaque != "" || (u.Path != v.Home() && !strings.HasPrefix(u.Path, v.Home()+"/")) {
		return v.To("", nil)
	}
	return v.To(strings.TrimPrefix(u.EscapedPath(), v.Home()), u.Query())
}

// Search returns the search from which the selection was made.
func (s Selection) Search() Search {
	return Arrival{
		Property:  s.Property,
		Stay:      DraftStay{CheckIn: s.CheckIn, CheckOut: s.CheckOut},
		Occupancy: s.Occupancy,
	}.Search()
}

// Confirmed reports whether the booking is confirmed.
func (o Outcome) Confirmed() bool { return o.State == confirmed }
