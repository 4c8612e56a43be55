package storefront

import (
	"cmp"
	"embed"
	"fmt"
	"html/template"
	"slices"
	"strings"
	"time"

	"melmastoon.ghasi.io/functions/demo/internal/page"
	"melmastoon.ghasi.io/functions/demo/storefront/internal/marketplace"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/stay"
)

//go:embed pages/*.html
var files embed.FS

// parsePages parses the templates.
func parsePages() (*template.Template, error) {
	pages, err := page.Templates(files)
	if err != nil {
		return nil, fmt.Errorf("storefront: pages: %w", err)
	}
	return pages, nil
}

// A View is the data of one page. Show fills in the members that all pages share.
type View struct {
	Step    string // the page: rooms, price, details, payment, waiting, confirmation, cancellation, changes, ended, over, expired, away, down or unknown
	Answer  fn.Answer
	Title   string
	Problem string // the code of an earlier error, if any
	Notice  string // a success message, if any
	Back    string // the address of this page, for the language form

	Search       Search
	Available    *Availability
	Draft        *Draft
	Again        string      // the URL at which a waiting guest looks again
	Elsewhere    bool        // the browser cannot open the booking
	Shown        money.Minor // the price that the guest was shown
	Guest        Guest
	Wrong        map[string]bool // invalid fields of the guest's details
	Confirmation *Confirmation
	Cancellation *Cancellation // the terms that the guest is asked to accept
	Offer        *Offer        // the terms of changed dates

	*Visitor
	Key    string // the idempotency key of the page's forms
	Style  template.CSS
	Policy string
}

// Show returns the page with the given data.
func (v *Visitor) Show(view View) fn.Page {
	view.Visitor, view.Key = v, id.New[id.Request]().String()
	var tokens *page.Tokens
	if v.Bootstrap.Theme != nil {
		tokens = &v.Bootstrap.Theme.Tokens
	}
	view.Style, view.Policy = page.Style(tokens, "")
	return fn.Page{
		Reply:       v.browser.Cookies(view.Answer.Reply().Language(string(v.Localizer.Tag)).Varies("Cookie")),
		Template:    v.site.pages,
		Data:        view,
		FormTargets: []string{v.site.public}, // the payment form leads there
	}
}

// T returns a text in the visitor's language.
func (v View) T(about string, args ...any) string { return v.Localizer.T(about, args...) }

// AllHotels returns the address of the site of all hotels, which may be on another host than the hotel's own, or "" if that host is unknown.
func (v View) AllHotels() string {
	if v.site.public == "" {
		return ""
	}
	return v.site.public + marketplace.Home
}

// Steps returns the steps of a booking in order.
func (View) Steps() []string { return []string{"rooms", "details", "payment", "confirmation"} }

// IsBookingStep reports whether the page is one of the steps.
func (v View) IsBookingStep() bool { return slices.Contains(v.Steps(), v.Step) }

// ProblemText returns the message for the page's problem.
func (v View) ProblemText() string {
	if about := "problem." + v.Problem; v.Localizer.HasText(about) {
		return v.T(about, v.Bootstrap.Flow.MaxNights)
	}
	return v.T("problem.other")
}

// Terms returns the text of a cancellation policy in the guest's language. The policy's hours count back from midnight
// at the start of the arrival day, in the hotel's time zone.
func (v View) Terms(p *Policy, arrival stay.Date) string {
	if p == nil {
		return ""
	}
	return v.termsUntil(p, v.deadline(p, arrival), v.At)
}

// flexible is the name of the rates that a guest can cancel until shortly before the arrival.
const flexible = "flexible"

// RateName returns the name of a rate in the guest's language. A flexible rate without free cancellation any more is the standard rate.
func (v View) RateName(r AvailableRate, arrival stay.Date) string {
	return v.rateName(r.Name, r.Policy != nil && !v.IsFree(r.Policy, arrival))
}

func (v View) rateName(name string, late bool) string {
	if name == flexible && late {
		return v.T("rate.standard")
	}
	return v.Localizer.TextOr("rate."+name, name)
}

// MealName returns the name of a board in the guest's language.
func (v View) MealName(plan string) string { return v.Localizer.TextOr("meal."+plan, plan) }

// QuotedRate returns the rate and the board of a price, or "" if the rate is unknown.
func (v View) QuotedRate(q DraftQuote) string {
	return v.rateAndBoard(q.Property, q.RatePlan, !v.At.Before(v.deadline(&q.Policy, q.Stay.CheckIn)))
}

// BookedRate returns the rate and the board of a room of a booking, or "" if the rate is unknown.
func (v View) BookedRate(c *Confirmation, r ConfirmedRoom) string {
	return v.rateAndBoard(c.Property, r.RatePlan, !c.ConfirmedAt.Before(v.deadline(&c.Policy, c.Stay.CheckIn)))
}

func (v View) rateAndBoard(p id.Property, rate id.RatePlan, late bool) string {
	if property := v.Property(p); property != nil {
		for _, r := range property.RatePlans {
			if r.ID == rate {
				return v.rateName(r.Name, late) + " · " + v.MealName(r.MealPlan)
			}
		}
	}
	return ""
}

// deadline returns the end of free cancellation of a policy.
func (v View) deadline(p *Policy, arrival stay.Date) time.Time {
	y, m, d := arrival.Time().Date()
	return time.Date(y, m, d, 0, 0, 0, 0, v.Localizer.Zone).Add(-time.Duration(p.FreeUntilHoursBefore) * time.Hour)
}

// IsFree reports whether a rate can still be cancelled free of charge.
func (v View) IsFree(p *Policy, arrival stay.Date) bool {
	return p != nil && v.At.Before(v.deadline(p, arrival))
}

// ConfirmedTerms returns the text of the cancellation policy of a booking. It prefers the deadline in the response to one computed from
// the dates, because moving the stay to later dates does not move the deadline.
func (v View) ConfirmedTerms(c *Confirmation) string {
	until := v.deadline(&c.Policy, c.Stay.CheckIn)
	if c.FreeUntil != nil {
		until = *c.FreeUntil
	}
	return v.termsUntil(&c.Policy, until, c.ConfirmedAt)
}

// termsUntil returns the text of a policy with its deadline, for a booking made at the given time.
func (v View) termsUntil(p *Policy, until, booked time.Time) string {
	penalty := v.T("policy.percent", p.PenaltyPercent)
	if p.PenaltyNights > 0 {
		penalty = v.T("policy.nights", p.PenaltyNights)
	}
	switch {
	case !booked.Before(until):
		return v.T("policy.never", penalty)
	case !v.At.Before(until):
		return v.T("policy.over", penalty)
	}
	return v.T("policy.until", v.Until(until), penalty)
}

// Reason returns why the booking has ended, according to its state.
func (v View) Reason() string {
	switch d := v.Draft; {
	case d.State == failed:
		return v.T("ended.failed")
	case d.Hold != nil && !d.ServerTime.Before(d.Hold.ExpiresAt):
		return v.T("ended.lapsed", v.Localizer.Clock(d.Hold.ExpiresAt))
	}
	return v.T("ended.left")
}

// Line returns the description of a price line. The hotel's own description is in the hotel's language.
func (v View) Line(l DraftLine) string {
	if v.Localizer.Tag.Language() == "en" || !v.Localizer.HasText("line."+l.Kind) {
		return l.Description
	}
	return v.T("line." + l.Kind)
}

// RoomName returns the name of a room type in the guest's language, or a general name if it is unknown.
func (v View) RoomName(p id.Property, r id.RoomType) string {
	for _, property := range v.Bootstrap.Properties {
		for _, room := range property.RoomTypes {
			if property.ID == p && room.ID == r {
				return room.Name
			}
		}
	}
	return v.T("line.room")
}

// Brand returns the hotel's name: a single property's name in the guest's language, otherwise the company's name, which
// has no translations.
func (v View) Brand() string {
	if len(v.Bootstrap.Properties) == 1 {
		return v.Bootstrap.Properties[0].Name
	}
	return v.Bootstrap.BrandName
}

// Tagline returns the hotel's tagline if it is in the script of the guest's language. Taglines have no translations.
func (v View) Tagline() string {
	arabic := page.IsArabic(v.Bootstrap.Tagline)
	if arabic != (v.Localizer.Tag.Direction() == locale.RightToLeft) {
		return ""
	}
	return v.Bootstrap.Tagline
}

// Property returns a property of the hotel, or nil.
func (v View) Property(p id.Property) *Property {
	for i := range v.Bootstrap.Properties {
		if v.Bootstrap.Properties[i].ID == p {
			return &v.Bootstrap.Properties[i]
		}
	}
	return nil
}

// PropertyName returns the name of a property in the guest's language.
func (v View) PropertyName(p id.Property) string {
	for _, property := range v.Bootstrap.Properties {
		if property.ID == p {
			return property.Name
		}
	}
	return v.Bootstrap.BrandName
}

// Languages returns the hotel's languages that the site supports, and the session's own.
func (v View) Languages() []locale.Conventions {
	return slices.DeleteFunc(slices.Clone(v.Bootstrap.Locales), func(c locale.Conventions) bool {
		return v.site.translations.Of(c.Tag) == nil && c.Tag != v.Bootstrap.Locale
	})
}

// BookedIn returns the currency of the page's booking, which the guest cannot change any more, or "".
func (v View) BookedIn() money.Currency {
	switch {
	case v.Draft != nil:
		return v.Draft.Quote.Total.Currency
	case v.Confirmation != nil:
		return v.Confirmation.Total.Currency
	}
	return ""
}

// CurrencyName returns the name of a currency in the guest's language.
func (v View) CurrencyName(c money.Currency) string {
	return v.Localizer.TextOr("currency."+string(c), string(c))
}

// HotelText returns the attributes of one of the hotel's own texts. It is in the language of the bootstrap, or in one of another script
// that the hotel has instead of a translation.
func (v View) HotelText(text string) template.HTMLAttr {
	var arabic locale.Tag
	for _, c := range slices.Backward(v.Bootstrap.Locales) {
		if c.Direction == locale.RightToLeft {
			arabic = c.Tag
		}
	}
	return v.Localizer.Foreign(text, cmp.Or(v.Bootstrap.Locale, v.Localizer.Tag), arabic)
}

// ImageURL allows images in data URLs only. Other images are not loaded.
func (View) ImageURL(address string) template.URL {
	if strings.HasPrefix(address, "data:image/svg+xml;base64,") {
		return template.URL(address) //nolint:gosec // a data URL
	}
	return ""
}

// MethodHint returns where a guest pays by the method.
func (v View) MethodHint(m Method) string {
	switch m {
	case cashOnArrival:
		return v.T("method.later")
	case mobileMoney:
		return v.T("method.phone")
	}
	return v.T("method.redirect")
}

// OnPhone reports whether the guest approves the payment on the phone.
func (v View) OnPhone() bool {
	return v.Draft.Payment != nil && v.Draft.Payment.Method == mobileMoney && v.Draft.Outcome.Payment != processing
}

// ApprovalURL returns the address of the provider's form target for 3-D Secure.
func (v View) ApprovalURL() string { return v.site.public + "/sandbox/payment/v1/authentications" }

// ProviderURL returns the sandbox's page that plays the guest's phone and the bank of a pending payment.
func (v View) ProviderURL() string {
	return v.site.public + "/sandbox/payment/v1/checkout/" + v.Draft.Payment.Intent.String()
}

// Link returns the URL of the confirmation for another device.
func (v View) Link(c *Confirmation) string {
	return staying(v.Home()+"/confirmations/", c.Reservation, "", c.ViewToken)
}

// Booking returns the URL of the booking's page.
func (v View) Booking() string { return v.Home() + "/bookings/" + v.Draft.ID.String() }
