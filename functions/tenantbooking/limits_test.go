package tenantbooking_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
	"melmastoon.ghasi.io/shared/stay"
)

// wantLimit sends the largest body that a limit allows and then the smallest that it rejects.
func wantLimit(t *testing.T, g *tenantbookingtest.Guest, status int, method, path, largest, tooLarge string) {
	t.Helper()
	g.Send(method, path, largest).Want(t, status)
	g.Send(method, path, tooLarge).WantProblem(t, http.StatusBadRequest, "GENERAL.VALIDATION_FAILED")
}

func TestQuote_limits(t *testing.T) {
	t.Parallel()
	g := tenantbookingtest.Build(t, funnel()...).Guest(0)
	body := func(rooms, nights, promo int) string {
		day := g.Env.Now().AddDate(0, 0, 2).Format(time.DateOnly)
		return strings.NewReplacer(
			`"adults":2,"children":0,"rooms":1`, fmt.Sprintf(`"adults":%d,"children":0,"rooms":%d`, rooms, rooms),
			`"checkOut":"`+day, `"checkOut":"`+g.Env.Now().AddDate(0, 0, nights).Format(time.DateOnly),
		).Replace(g.QuoteBody(fmt.Sprintf(`,"promoCode":%q`, strings.Repeat("N", promo))))
	}
	for name, test := range map[string][2]string{
		"rooms":                 {body(stay.MaxSiteRooms, 2, 1), body(stay.MaxSiteRooms+1, 2, 1)},
		"nights":                {body(1, stay.MaxSiteNights, 1), body(1, stay.MaxSiteNights+1, 1)},
		"room nights":           {body(5, 12, 1), body(5, 13, 1)},
		"promo code characters": {body(1, 2, 40), body(1, 2, 41)},
	} {
		t.Run(name, func(t *testing.T) { wantLimit(t, g, http.StatusCreated, "POST", "/quote", test[0], test[1]) })
	}
}

func TestSetGuest_limits(t *testing.T) {
	t.Parallel()
	g := tenantbookingtest.Build(t, funnel()...).Guest(0).RequestQuote().Hold()
	body := func(characters int) string {
		return strings.Replace(tenantbookingtest.Zarghona, `"phone"`, `"specialRequests":"`+strings.Repeat("ښ", characters)+`","phone"`, 1)
	}
	wantLimit(t, g, http.StatusOK, "PATCH", "/draft/"+g.Draft.String(), body(stay.MaxDetailsLength), body(stay.MaxDetailsLength+1))
}

func TestChange_requestLimits(t *testing.T) {
	t.Parallel()
	g, path, _ := bookByCard(t, tenantbookingtest.Build(t, funnel()...))
	tags := []string{"early_check_in", "late_check_out", "high_floor", "ground_floor", "accessible", "cot", "extra_bed", "prayer_mat",
		"halal_meal", "vegetarian", "allergy"}
	body := func(number, characters int) string {
		return fmt.Sprintf(`{"specialRequest":{"tags":["%s"],"freeText":%q}}`, strings.Join(tags[:number], `","`), strings.Repeat("ښ", characters))
	}
	for name, test := range map[string][2]string{
		"tags":       {body(stay.MaxRequestTags, 1), body(stay.MaxRequestTags+1, 1)},
		"characters": {body(1, stay.MaxRequestLength), body(1, stay.MaxRequestLength+1)},
	} {
		t.Run(name, func(t *testing.T) { wantLimit(t, g, http.StatusOK, "PATCH", path, test[0], test[1]) })
	}
}

// TestViewToken_limits reads a confirmation with its token until 30 days after the day of departure begins.
func TestViewToken_limits(t *testing.T) {
	t.Parallel()
	s := tenantbookingtest.Build(t, funnel()...)
	g, path, token := bookByCard(t, s)
	end := g.Platform.Stays()[0].Quote.Stay.End.AddDays(30).Time()
	for _, test := range []struct {
		name   string
		at     time.Time
		status int
	}{
		{"the last minute", end.Add(-time.Minute), http.StatusOK},
		{"the next minute", end.Add(time.Second), http.StatusNotFound},
	} {
		t.Run(test.name, func(t *testing.T) {
			s.DB.Advance(test.at.Sub(s.Env.Now()))
			g.Front.As("").Send("GET", g.Path(path+"?t="+token), nil).Want(t, test.status)
		})
	}
}

// TestDraft_idleLimit reads a draft until half an hour after its last use.
func TestDraft_idleLimit(t *testing.T) {
	t.Parallel()
	g := tenantbookingtest.Build(t, funnel()...).Guest(0).RequestQuote()
	g.DB.Advance(29 * time.Minute)
	sweep(t, g)
	if _, final := g.State(); final != "" {
		t.Errorf("after 29 minutes the draft has ended as %s", final)
	}
	g.DB.Advance(time.Minute)
	sweep(t, g)
	if _, final := g.State(); final != "abandoned" {
		t.Errorf("after 30 minutes the draft has the final state %q, want abandoned", final)
	}
}
