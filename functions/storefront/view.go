package storefront

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/stay"
)

//go:embed pages/*.html pages/page.css
var files embed.FS

// parsePages reads the templates. "page" is around each of the others.
func parsePages() (*template.Template, error) {
	pages, err := template.New("page.html").ParseFS(files, "pages/*.html")
	if err != nil {
		return nil, fmt.Errorf("storefront: pages: %w", err)
	}
	return pages, nil
}

// A View is one page: what is the same on all pages is filled in by Show.
type View struct {
	Step    string // which page: rooms, price, details, payment, waiting, confirmation, ended, away, down or unknown
	Answer  fn.Answer
	Title   string
	Problem string // the code of what went wrong before, if anything did
	Notice  string // what went well before, if it is worth a word
	Back    string // where to go on after the language was changed

	Search       Search
	Available    *Available
	Draft        *Draft
	Again        string      // the URL at which a waiting guest looks again
	Shown        money.Minor // the price that the guest was shown before
	Guest        Guest
	Wrong        map[string]bool // fields of the guest
	Confirmation *Confirmation

	*Visit
	Key    string // names what a form does, so that doing it twice is doing it once
	Style  template.CSS
	Policy string
}

// Show renders a page of the visit.
func (v *Visit) Show(view View) fn.Page {
	view.Visit, view.Key = v, id.New[id.Request]().String()
	style := v.style()
	sum := sha256.Sum256([]byte(style))
	view.Style = template.CSS(style) // our own, and tokens that are known to be safe
	// The page may look as its one style sheet says, known by its hash, show pictures that are in it, and do nothing else.
	view.Policy = "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; img-src data:; base-uri 'none'"
	return fn.Page{Reply: v.kept(view.Answer.Reply().Language(string(v.Words.Tag)).Varies("Cookie")), Template: v.site.pages, Data: view}
}

// T says something in the visit's language.
func (v View) T(about string, args ...any) string { return v.Words.T(about, args...) }

// Steps are the way through a booking.
func (View) Steps() []string { return []string{"rooms", "details", "payment", "confirmation"} }

// Inside reports whether the page is on that way.
func (v View) Inside() bool { return slices.Contains(v.Steps(), v.Step) }

// ProblemText is what a guest reads of a problem.
func (v View) ProblemText() string { return v.Words.Or("problem."+v.Problem, v.T("problem.other")) }

// Terms returns what a cancellation costs and until when it is free, in the guest's language whatever the hotel's is. The hours
// of a policy count to midnight at the beginning of the arrival day, at the hotel.
func (v View) Terms(p *Policy, arrival stay.Date) string {
	if p == nil {
		return ""
	}
	y, m, d := arrival.Time().Date()
	until := time.Date(y, m, d, 0, 0, 0, 0, v.Words.zone).Add(-time.Duration(p.FreeUntilHoursBefore) * time.Hour)
	penalty := v.T("policy.percent", p.PenaltyPercent)
	if p.PenaltyNights > 0 {
		penalty = v.T("policy.nights", p.PenaltyNights)
	}
	if !v.At.Before(until) {
		return v.T("policy.over", penalty)
	}
	return v.T("policy.until", v.Words.Date(stay.DateOf(until)), v.Words.Clock(until), penalty)
}

// Reason returns why a booking has ended, as far as its state tells.
func (v View) Reason() string {
	switch d := v.Draft; {
	case d.State == failedEnd:
		return v.T("ended.failed")
	case d.Hold != nil && !d.ServerTime.Before(d.Hold.ExpiresAt):
		return v.T("ended.lapsed", v.Words.Clock(d.Hold.ExpiresAt))
	}
	return v.T("ended.left")
}

// Line is what a line of the bill is for. The hotel's own words are in the hotel's language.
func (v View) Line(l DraftLine) string {
	if v.Words.Tag.Language() == "en" || !v.Words.Says("line."+l.Kind) {
		return l.Description
	}
	return v.T("line." + l.Kind)
}

// Room is what a room is called in the guest's language: just a room where nobody can tell.
func (v View) Room(p id.Property, r id.RoomType) string {
	for _, house := range v.Front.Houses {
		for _, room := range house.RoomTypes {
			if house.ID == p && room.ID == r {
				return room.Name
			}
		}
	}
	return v.T("line.room")
}

// Brand is what the hotel is called in the guest's language: where it is one house, as that is. Nobody translates a company.
func (v View) Brand() string {
	if len(v.Front.Houses) == 1 {
		return v.Front.Houses[0].Name
	}
	return v.Front.BrandName
}

// Tagline is what the hotel says of itself, where the guest can read its script: nobody translates it.
func (v View) Tagline() string {
	arabic := strings.ContainsFunc(v.Front.Tagline, func(r rune) bool { return unicode.Is(unicode.Arabic, r) })
	if arabic != (v.Words.Tag.Direction() == locale.RightToLeft) {
		return ""
	}
	return v.Front.Tagline
}

// House is what a hotel is called in the guest's language.
func (v View) House(p id.Property) string {
	for _, house := range v.Front.Houses {
		if house.ID == p {
			return house.Name
		}
	}
	return v.Front.BrandName
}

// Languages are those of the hotel that the site is written in, and the session's own: the list shows what is chosen.
func (v View) Languages() []locale.Conventions {
	return slices.DeleteFunc(slices.Clone(v.Front.Locales), func(c locale.Conventions) bool {
		return v.site.dictionary[c.Tag.Language()] == nil && c.Tag != v.Front.Locale
	})
}

// Foreign marks the hotel's own texts where they are in another language than the page (WCAG 3.1.2), so that they are read
// aloud and laid out as what they are.
func (v View) Foreign() template.HTMLAttr {
	if v.Front.Locale == "" || v.Front.Locale.Language() == v.Words.Tag.Language() {
		return `dir="auto"`
	}
	return template.HTMLAttr(`dir="auto" lang="` + template.HTMLEscapeString(string(v.Front.Locale)) + `"`)
}

// Picture lets through pictures that are in the page already. What else a hotel names is not loaded.
func (View) Picture(address string) template.URL {
	if strings.HasPrefix(address, "data:image/svg+xml;base64,") {
		return template.URL(address)
	}
	return ""
}

// Redirects reports whether one pays on somebody else's page.
func (View) Redirects(m Method) bool { return m != cashOnArrival }

// Link opens the confirmation on another device.
func (v View) Link(c *Confirmation) string {
	return v.Home() + "/confirmations/" + c.Reservation.String() + "?" + url.Values{"t": {c.ViewToken}}.Encode()
}

// Booking is the address of a booking in the making.
func (v View) Booking() string { return v.Home() + "/bookings/" + v.Draft.ID.String() }
