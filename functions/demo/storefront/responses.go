package storefront

import (
	"time"

	"melmastoon.ghasi.io/functions/demo/internal/page"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/stay"
)

// A Method is a payment method.
type Method string

// The methods without a payment page: the guest pays on arrival, or approves on the phone.
const (
	cashOnArrival Method = "cash_on_arrival"
	mobileMoney   Method = "mfs"
)

// processing is the status of a payment that the guest has approved and that the bank answers later.
const processing = "processing"

// The members of the booking service's responses that the site shows.
type (
	// A Bootstrap is a hotel's bootstrap.
	Bootstrap struct {
		BrandName  string               `json:"brandName"`
		Tagline    string               `json:"brandTagline"`
		Theme      *Theme               `json:"theme"`
		Locale     locale.Tag           `json:"locale"`
		Locales    []locale.Conventions `json:"locales"`
		Currency   money.Currency       `json:"currency"`
		Money      []Currency           `json:"currencies"`
		Methods    []Method             `json:"paymentMethods"`
		Policies   []HouseRule          `json:"policies"`
		Arrival    *Arrival             `json:"handoffPayload"`
		Flow       Flow                 `json:"flowConfig"`
		Version    string               `json:"bootstrapVersion"`
		Properties []Property           `json:"-"` // from a separate call of the booking service
	}
	// A Flow holds the limits of a booking.
	Flow struct {
		MaxNights int `json:"maxNights"` // 0 if unknown
	}
	// A Property is a property of the tenant, in the guest's language.
	Property struct {
		ID        id.Property `json:"propertyId"`
		Name      string      `json:"name"`
		TimeZone  string      `json:"timeZone"`
		Address   string      `json:"address"`
		City      string      `json:"city"`
		Country   string      `json:"country"`
		Phone     string      `json:"phone"`
		CheckIn   string      `json:"checkInFrom"` // at the property
		CheckOut  string      `json:"checkOutUntil"`
		RoomTypes []RoomType  `json:"roomTypes"`
		RatePlans []RatePlan  `json:"ratePlans"`
	}
	// A RatePlan is a rate plan's name and board.
	RatePlan struct {
		ID       id.RatePlan `json:"ratePlanId"`
		Name     string      `json:"name"`
		MealPlan string      `json:"mealPlan"`
	}
	// A RoomType is what the site shows of a room type without its prices.
	RoomType struct {
		ID           id.RoomType  `json:"roomTypeId"`
		Name         string       `json:"name"`
		Description  string       `json:"description"`
		Photos       []ShownPhoto `json:"photos"`
		MaxOccupancy int          `json:"maxOccupancy"`
	}
	// A Theme is a hotel's design.
	Theme struct {
		Tokens  page.Tokens `json:"tokens"`
		LogoURL string      `json:"logoUrl"`
	}
	// A Currency is a currency in which the hotel shows prices.
	Currency struct {
		Code money.Currency `json:"code"`
	}
	// A HouseRule is a house rule.
	HouseRule struct {
		Title string `json:"title"`
		Text  string `json:"text"`
	}
	// An Arrival holds the guest's choices on the consumer site.
	Arrival struct {
		Property  id.Property `json:"propertyId"`
		Stay      DraftStay   `json:"stayWindow"`
		Occupancy Occupancy   `json:"occupancy"`
		Locale    locale.Tag  `json:"locale"`
	}
	// An Occupancy is the number of guests over all rooms.
	Occupancy struct {
		Adults   int `json:"adults"`
		Children int `json:"children"`
		Rooms    int `json:"rooms"`
	}
	// An Availability is the result of a search.
	Availability struct {
		Stale bool            `json:"stale"`
		Rooms []AvailableRoom `json:"rooms"`
	}
	// An AvailableRoom is a room type with its rates.
	AvailableRoom struct {
		RoomType     id.RoomType     `json:"roomTypeId"`
		Name         string          `json:"name"`
		Description  string          `json:"description"`
		Photos       []ShownPhoto    `json:"photos"`
		MaxOccupancy int             `json:"maxOccupancy"`
		UnitsLeft    *int            `json:"unitsLeft"`
		Rates        []AvailableRate `json:"rates"`
	}
	// A ShownPhoto is a photo in the guest's language.
	ShownPhoto struct {
		URL string `json:"url"`
		Alt string `json:"alt"`
	}
	// An AvailableRate is the price of a room at one rate.
	AvailableRate struct {
		RatePlan id.RatePlan  `json:"ratePlanId"`
		Name     string       `json:"name"`
		MealPlan string       `json:"mealPlan"`
		Policy   *Policy      `json:"cancellationPolicy"`
		Nightly  *money.Minor `json:"nightly"`
		Total    *money.Minor `json:"total"`
	}
	// A Quoted identifies a new price and its draft.
	Quoted struct {
		Draft id.Draft `json:"draftId"`
		Quote id.Quote `json:"quoteId"`
	}
	// A Draft is a booking that is not completed yet.
	Draft struct {
		ID         id.Draft      `json:"draftId"`
		State      string        `json:"flowState"`
		Version    int           `json:"version"`
		Quote      DraftQuote    `json:"quote"`
		Hold       *DraftHold    `json:"hold"`
		Guest      *Guest        `json:"guest"`
		Payment    *DraftPayment `json:"payment"`
		ServerTime time.Time     `json:"serverTime"`
		Outcome    Outcome       `json:"-"` // of a pending payment, from a separate call
	}
	// A DraftQuote is a draft's price.
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
	// A DraftStay is the dates of a stay.
	DraftStay struct {
		CheckIn  stay.Date `json:"checkIn"`
		CheckOut stay.Date `json:"checkOut"`
		Nights   int       `json:"nights"`
	}
	// A DraftLine is one line of a price.
	DraftLine struct {
		Kind        string      `json:"kind"`
		Description string      `json:"description"`
		Amount      money.Minor `json:"amount"`
	}
	// A DraftHold represents the held rooms.
	DraftHold struct {
		Reservation id.Reservation `json:"reservationId"`
		ExpiresAt   time.Time      `json:"holdExpiresAt"`
	}
	// A DraftPayment is the payment of a draft.
	DraftPayment struct {
		Intent id.Intent `json:"intentId"`
		Method Method    `json:"method"`
	}
	// A Guest holds the details of the guest.
	Guest struct {
		FirstName string     `json:"firstName"`
		LastName  string     `json:"lastName"`
		Email     string     `json:"email"`
		Phone     string     `json:"phone"`
		Locale    locale.Tag `json:"locale,omitzero"`
		Requests  string     `json:"specialRequests,omitzero"`
	}
	// A Policy is a cancellation policy.
	Policy struct {
		FreeUntilHoursBefore int `json:"freeUntilHoursBefore"`
		PenaltyPercent       int `json:"penaltyPercent"`
		PenaltyNights        int `json:"penaltyNights"` // instead of the percentage
	}
	// A PaymentPage holds the URL of a payment page.
	PaymentPage struct {
		RedirectURL string `json:"redirectUrl"`
	}
	// An Outcome is the result of a payment.
	Outcome struct {
		State       string         `json:"flowState"`
		Reservation id.Reservation `json:"reservationId"` // zero if the guest is known by a return link only
		ViewToken   string         `json:"viewToken"`
		Payment     string         `json:"paymentStatus"` // while the payment is pending, for the session that booked
		Secret      string         `json:"clientSecret"`  // while the guest must approve on the site's page
	}
	// A Confirmation is a confirmed booking.
	Confirmation struct {
		Reservation id.Reservation    `json:"reservationId"`
		Code        string            `json:"reservationCode"`
		State       string            `json:"state"`
		Version     int64             `json:"version"` // grows with each change
		Property    id.Property       `json:"propertyId"`
		Stay        DraftStay         `json:"stayWindow"`
		Rooms       []ConfirmedRoom   `json:"rooms"`
		Total       money.Minor       `json:"total"`
		Due         *money.Minor      `json:"due"` // nil if nothing is due
		Pending     *PendingChange    `json:"pendingChange"`
		Payment     *ConfirmedPayment `json:"payment"`  // nil if the guest has paid by several methods
		Paid        *money.Minor      `json:"paid"`     // nil if nothing is paid
		Refunded    *money.Minor      `json:"refunded"` // of Paid; nil if nothing is refunded
		RefundedAt  *time.Time        `json:"refundedAt"`
		Policy      Policy            `json:"cancellationPolicy"`
		FreeUntil   *time.Time        `json:"freeCancellationUntil"` // nil after check-in and after the end of the booking
		Cancelled   *Cancellation     `json:"cancellation"`          // nil unless the booking is cancelled
		ConfirmedAt time.Time         `json:"confirmedAt"`
		ViewToken   string            `json:"viewToken"`
	}
	// A PendingChange holds the dates that take effect when the guest has paid what is due.
	PendingChange struct {
		Stay     DraftStay `json:"stayWindow"`
		PayUntil time.Time `json:"payUntil"`
	}
	// A ConfirmedRoom is one room of a confirmed booking.
	ConfirmedRoom struct {
		RoomType id.RoomType `json:"roomTypeId"`
		RatePlan id.RatePlan `json:"ratePlanId"`
		Adults   int         `json:"adults"`
		Children int         `json:"children"`
	}
	// A ConfirmedPayment is the payment of a confirmed booking.
	ConfirmedPayment struct {
		Method Method `json:"method"`
		Status string `json:"status"`
	}
)

// Ended reports whether the reservation was cancelled, expired or not used.
func (c Confirmation) Ended() bool {
	return c.State == "cancelled" || c.State == "no_show" || c.State == "expired_hold"
}

// RefundArrives reports whether a part of the refund of a cancellation has not been made yet.
func (c Confirmation) RefundArrives() bool {
	return c.Refunded == nil || c.Paid != nil && c.Paid.Amount-c.Refunded.Amount > c.Cancelled.Penalty.Amount
}

// Prepaid reports whether the guest has paid on the site. More expensive dates then take effect with their payment.
func (c Confirmation) Prepaid() bool {
	return c.Payment == nil || c.Payment.Status == "captured" && c.Payment.Method != cashOnArrival
}

// ShowsPayment reports whether the page says how the booking is paid. For a booking that has ended, it shows received payments only.
func (c Confirmation) ShowsPayment() bool {
	if c.Ended() && c.Payment != nil && c.Payment.Status != "captured" {
		return c.Paid != nil
	}
	return c.Payment != nil || c.Paid != nil
}

// Terms returns the quote's cancellation policy, for the pages.
func (q DraftQuote) Terms() *Policy { return &q.Policy }

// Terms returns the reservation's cancellation policy.
func (c Confirmation) Terms() *Policy { return &c.Policy }
