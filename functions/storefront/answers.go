package storefront

import (
	"time"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/stay"
)

// A Method is a way to pay.
type Method string

// cashOnArrival is the one for which nobody sends the guest elsewhere.
const cashOnArrival Method = "cash_on_arrival"

// What the site reads of the booking service's answers: the members that it shows, and no other.
type (
	// A Front is what a hotel shows of itself.
	Front struct {
		BrandName string               `json:"brandName"`
		Tagline   string               `json:"brandTagline"`
		Theme     *FrontTheme          `json:"theme"`
		Locale    locale.Tag           `json:"locale"`
		Locales   []locale.Conventions `json:"locales"`
		Currency  money.Currency       `json:"currency"`
		Money     []FrontCurrency      `json:"currencies"`
		Methods   []Method             `json:"paymentMethods"`
		Policies  []FrontPolicy        `json:"policies"`
		Arrival   *Arrival             `json:"handoffPayload"`
		Version   string               `json:"bootstrapVersion"`
		Houses    []House              `json:"-"` // which the booking service tells by themselves
	}
	// A House is one of a hotel company's hotels, in the guest's language.
	House struct {
		ID        id.Property `json:"propertyId"`
		Name      string      `json:"name"`
		TimeZone  string      `json:"timeZone"`
		RoomTypes []RoomType  `json:"roomTypes"`
	}
	// A RoomType is what a kind of room is called.
	RoomType struct {
		ID   id.RoomType `json:"roomTypeId"`
		Name string      `json:"name"`
	}
	// A FrontTheme is how it looks.
	FrontTheme struct {
		Tokens  Tokens `json:"tokens"`
		LogoURL string `json:"logoUrl"`
	}
	// A FrontCurrency is a currency that it shows prices in.
	FrontCurrency struct {
		Code money.Currency `json:"code"`
	}
	// A FrontPolicy is something that its guests should know.
	FrontPolicy struct {
		Title string `json:"title"`
		Text  string `json:"text"`
	}
	// An Arrival is what a guest has chosen before they came.
	Arrival struct {
		Property  id.Property `json:"propertyId"`
		Stay      DraftStay   `json:"stayWindow"`
		Occupancy Occupancy   `json:"occupancy"`
	}
	// An Occupancy is who stays, over all rooms.
	Occupancy struct {
		Adults   int `json:"adults"`
		Children int `json:"children"`
		Rooms    int `json:"rooms"`
	}
	// An Available is what a hotel has for a stay.
	Available struct {
		Stale bool            `json:"stale"`
		Rooms []AvailableRoom `json:"rooms"`
	}
	// An AvailableRoom is a kind of room with its rates.
	AvailableRoom struct {
		RoomType     id.RoomType     `json:"roomTypeId"`
		Name         string          `json:"name"`
		Description  string          `json:"description"`
		Photos       []ShownPhoto    `json:"photos"`
		MaxOccupancy int             `json:"maxOccupancy"`
		UnitsLeft    *int            `json:"unitsLeft"`
		Rates        []AvailableRate `json:"rates"`
	}
	// A ShownPhoto is a picture in the guest's language.
	ShownPhoto struct {
		URL string `json:"url"`
		Alt string `json:"alt"`
	}
	// An AvailableRate is what a room costs at one rate.
	AvailableRate struct {
		RatePlan id.RatePlan  `json:"ratePlanId"`
		Name     string       `json:"name"`
		MealPlan string       `json:"mealPlan"`
		Policy   *Policy      `json:"cancellationPolicy"`
		Nightly  *money.Minor `json:"nightly"`
		Total    *money.Minor `json:"total"`
	}
	// A Quoted price begins a booking.
	Quoted struct {
		Draft id.Draft `json:"draftId"`
		Quote id.Quote `json:"quoteId"`
	}
	// A Draft is a booking in the making.
	Draft struct {
		ID         id.Draft      `json:"draftId"`
		State      string        `json:"flowState"`
		Version    int           `json:"version"`
		Quote      DraftQuote    `json:"quote"`
		Hold       *DraftHold    `json:"hold"`
		Guest      *Guest        `json:"guest"`
		Payment    *DraftPayment `json:"payment"`
		ServerTime time.Time     `json:"serverTime"`
	}
	// A DraftQuote is its price.
	DraftQuote struct {
		Property  id.Property `json:"propertyId"`
		RoomType  id.RoomType `json:"roomTypeId"`
		RatePlan  id.RatePlan `json:"ratePlanId"`
		Stay      DraftStay   `json:"stayWindow"`
		Occupancy Occupancy   `json:"occupancy"`
		Lines     []DraftLine `json:"lines"`
		Total     money.Minor `json:"total"`
		Policy    Policy      `json:"cancellationPolicy"`
	}
	// A DraftStay is from when to when.
	DraftStay struct {
		CheckIn  stay.Date `json:"checkIn"`
		CheckOut stay.Date `json:"checkOut"`
		Nights   int       `json:"nights"`
	}
	// A DraftLine is one line of its bill.
	DraftLine struct {
		Kind        string      `json:"kind"`
		Description string      `json:"description"`
		Amount      money.Minor `json:"amount"`
	}
	// A DraftHold is the rooms that are kept for it.
	DraftHold struct {
		Reservation id.Reservation `json:"reservationId"`
		ExpiresAt   time.Time      `json:"holdExpiresAt"`
	}
	// A DraftPayment is how it is being paid.
	DraftPayment struct {
		Method Method `json:"method"`
	}
	// A Guest is who stays.
	Guest struct {
		FirstName string     `json:"firstName"`
		LastName  string     `json:"lastName"`
		Email     string     `json:"email"`
		Phone     string     `json:"phone"`
		Locale    locale.Tag `json:"locale,omitzero"`
		Requests  string     `json:"specialRequests,omitzero"`
	}
	// A Policy is what a cancellation costs.
	Policy struct {
		FreeUntilHoursBefore int `json:"freeUntilHoursBefore"`
		PenaltyPercent       int `json:"penaltyPercent"`
		PenaltyNights        int `json:"penaltyNights"` // in place of the percentage
	}
	// An Opened payment says where it is made.
	Opened struct {
		RedirectURL string `json:"redirectUrl"`
	}
	// An Outcome is where a booking stands after its payment.
	Outcome struct {
		State       string         `json:"flowState"`
		Reservation id.Reservation `json:"reservationId"` // zero if only a return link let the guest in
		ViewToken   string         `json:"viewToken"`
	}
	// A Confirmation is what was booked.
	Confirmation struct {
		Reservation id.Reservation    `json:"reservationId"`
		Code        string            `json:"reservationCode"`
		State       string            `json:"state"`
		Property    id.Property       `json:"propertyId"`
		Stay        DraftStay         `json:"stayWindow"`
		Rooms       []ConfirmedRoom   `json:"rooms"`
		Total       money.Minor       `json:"total"`
		Payment     *ConfirmedPayment `json:"payment"`
		Policy      Policy            `json:"cancellationPolicy"`
		ViewToken   string            `json:"viewToken"`
	}
	// A ConfirmedRoom is one room of it.
	ConfirmedRoom struct {
		RoomType id.RoomType `json:"roomTypeId"`
		Adults   int         `json:"adults"`
		Children int         `json:"children"`
	}
	// A ConfirmedPayment is how it is paid for.
	ConfirmedPayment struct {
		Method Method `json:"method"`
		Status string `json:"status"`
	}
)

// Over reports whether a confirmed reservation has been given up since.
func (c Confirmation) Over() bool {
	return c.State == "cancelled" || c.State == "no_show" || c.State == "expired_hold"
}

// Terms are those of the price, where a page shows them.
func (q DraftQuote) Terms() *Policy { return &q.Policy }

// Terms are those that the reservation was made on.
func (c Confirmation) Terms() *Policy { return &c.Policy }
