package booking

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/reservation"
	"melmastoon.ghasi.io/shared/event/attribution"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/pseudonym"
	"melmastoon.ghasi.io/shared/stay"
)

// A Selection is the guest's choice of room, rate and dates.
type Selection struct {
	Property  id.Property     `json:"propertyId"`
	RoomType  id.RoomType     `json:"roomTypeId"`
	RatePlan  id.RatePlan     `json:"ratePlanId"`
	Stay      hotel.Stay      `json:"stayWindow"`
	Occupancy hotel.Occupancy `json:"occupancy"`
	Promo     string          `json:"promoCode,omitzero"`
}

const maxPromoLength = 40

// Validate returns an error for invalid dates or numbers of guests.
func (w Selection) Validate() error {
	var found []fault.Violation
	if err := w.Stay.Window().Validate(); err != nil {
		found = append(found, fault.Violation{Pointer: "/stayWindow/checkOut", Rule: "range", Message: err.Error()})
	}
	found = append(found, w.Occupancy.Check("/occupancy")...)
	if len(w.Promo) > maxPromoLength || attribution.Plain(w.Promo) != w.Promo {
		found = append(found, fault.Violation{Pointer: "/promoCode", Rule: "form", Message: "is not a promotional code"})
	}
	if found != nil {
		return fault.ErrValidation.With(found...)
	}
	return nil
}

// A QuoteRequest is a request for a quote, for a draft or to begin one.
type QuoteRequest struct {
	Property  id.Property        `json:"propertyId"`
	RoomType  id.RoomType        `json:"roomTypeId"`
	RatePlan  id.RatePlan        `json:"ratePlanId"`
	Stay      hotel.Stay         `json:"stayWindow"`
	Occupancy hotel.Occupancy    `json:"occupancy"`
	Promo     string             `json:"promoCode,omitzero"`
	Draft     fn.Maybe[id.Draft] `json:"draftId,omitzero"`
}

// Selection returns the choice to quote.
func (a QuoteRequest) Selection() Selection {
	return Selection{
		Property:  a.Property,
		RoomType:  a.RoomType,
		RatePlan:  a.RatePlan,
		Stay:      a.Stay,
		Occupancy: a.Occupancy,
		Promo:     a.Promo,
	}
}

// Validate returns an error for an invalid wish.
func (a QuoteRequest) Validate() error { return a.Selection().Validate() }

// A HoldRequest is a request to hold rooms at a quote, optionally with the total that the guest was shown.
type HoldRequest struct {
	Draft id.Draft              `json:"draftId"`
	Quote id.Quote              `json:"quoteId"`
	Total fn.Maybe[money.Minor] `json:"total,omitzero"`
}

// Validate returns an error for an invalid total.
func (a HoldRequest) Validate() error {
	if total, given := a.Total.Get(); given {
		if _, err := total.Micro(); err != nil {
			return fault.ErrValidation.With(fault.Violation{Pointer: "/total", Rule: "form", Message: "must be an amount in a known currency, with its exponent"})
		}
	}
	return nil
}

// A Guest holds the details of the guest. It is sent to the reservation service only, and deleted when the draft ends.
type Guest struct {
	FirstName string     `json:"firstName"`
	LastName  string     `json:"lastName"`
	Email     string     `json:"email"`
	Phone     string     `json:"phone"`
	Locale    locale.Tag `json:"locale,omitzero"`
	Requests  string     `json:"specialRequests,omitzero"`
}

// Normal returns the guest in stored form: texts in NFC without outer spaces, the telephone number in E.164. Invalid
// values stay unchanged.
func (g Guest) Normal() Guest {
	for _, text := range []*string{&g.FirstName, &g.LastName, &g.Email, &g.Requests} {
		*text = strings.TrimSpace(norm.NFC.String(*text))
	}
	if number, err := pseudonym.E164(g.Phone); err == nil {
		g.Phone = number
	}
	return g
}

// Validate returns an error for a guest without a name or with an invalid email address or telephone number. One name is
// enough, because many guests have only one.
func (g Guest) Validate() error {
	var found []fault.Violation
	refuse := func(member string, bad bool, message string) {
		if bad {
			found = append(found, fault.Violation{Pointer: "/guest/" + member, Rule: "form", Message: message})
		}
	}
	_, noEmail := pseudonym.Email(g.Email)
	_, noPhone := pseudonym.Phone(g.Phone)
	_, noFirst := pseudonym.Name(g.FirstName)
	_, noLast := pseudonym.Name(g.LastName)
	refuse("firstName", noFirst != nil || !pseudonym.HasLetter(g.FirstName, g.LastName), "must be a name")
	refuse("lastName", noLast != nil, "must be a name")
	refuse("email", noEmail != nil, "must be an e-mail address")
	refuse("phone", noPhone != nil, "must be a telephone number with its country code")
	refuse("specialRequests", !writable(strings.NewReplacer("\n", " ", "\r", " ", "\t", " ").Replace(g.Requests), stay.MaxDetailsLength), fmt.Sprintf("must be at most %d characters", stay.MaxDetailsLength))
	if found != nil {
		return fault.ErrValidation.With(found...)
	}
	return nil
}

// writable reports whether a text is short enough and has only visible characters. The joiners of Persian and Urdu are
// allowed.
func writable(s string, limit int) bool {
	const joiners = "\u200c\u200d\u200e\u200f"
	return utf8.RuneCountInString(s) <= limit && !strings.ContainsFunc(s, func(r rune) bool {
		return !unicode.IsPrint(r) && !strings.ContainsRune(joiners, r)
	})
}

// A Quote is a price that the reservation service guarantees until it expires.
type Quote struct {
	ID        id.Quote     `json:"quoteId"`
	Selection Selection    `json:"wish"`
	Lines     []Line       `json:"lines"`
	Total     money.Minor  `json:"total"`
	FX        *FX          `json:"fxSnapshot,omitzero"`
	Policy    hotel.Policy `json:"cancellationPolicy"`
	ExpiresAt time.Time    `json:"expiresAt"`
}

// A Line is one line of a quote.
type Line struct {
	Kind        string      `json:"kind"`
	Description string      `json:"description"`
	Amount      money.Minor `json:"amount"`
}

// An FX is the exchange rate of a quote.
type FX = reservation.FX

// A Hold represents rooms held for a guest.
type Hold struct {
	Reservation id.Reservation `json:"reservationId"`
	Code        string         `json:"reservationCode"`
	Quote       id.Quote       `json:"quoteId"`
	ExpiresAt   time.Time      `json:"holdExpiresAt"`
}

// An Intent is a payment intent.
type Intent struct {
	ID          id.Intent    `json:"intentId"`
	Method      hotel.Method `json:"method"`
	Provider    string       `json:"provider"`
	RedirectURL string       `json:"redirectUrl,omitzero"`
	Secret      string       `json:"clientSecret,omitzero"`
	Amount      money.Minor  `json:"amount"`
}

// at returns the time in the precision of responses and events.
