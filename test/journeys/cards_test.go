package journeys

import (
	"net/http"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
	"melmastoon.ghasi.io/test/system"
)

// A shownCard is a card as front ends read it.
type shownCard struct {
	PropertyID string
	City       string
	BrandPeek  struct{ PrimaryColor string }
	Rate       *struct{ CurrencyDisplayPolicy string } `json:"rateSnapshot"`
}

// TestCards_wholeSystem reads the cards and the popularity of hotels from the real services, after clicks and a booking.
func TestCards_wholeSystem(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	s := system.Within(t, db, unsampled(t, db.Env()))
	if err := demo.Furnish(t.Context(), s.Env(), 10); err != nil { // with the other hotels of Kabul
		t.Fatal(err)
	}
	hotel := demo.KabulGrand
	v := travel(t, s, "4bf92f3577b34da6a3ce929d0e0e4737")
	v.book(hotel, v.choose(hotel.Slug)).pay()
	for range 3 {
		b := s.Browser().AtAll()
		b.Must(http.StatusOK, http.MethodGet, "/session", nil)
		b.Must(http.StatusAccepted, http.MethodPost, "/telemetry/click", map[string]any{"kind": "listing-card", "tenantId": hotel.Tenant, "propertyId": hotel.Property})
	}
	s.Settle()
	db.Advance(time.Minute) // the traveller has seen the popularity from before the clicks
	var booked int
	check.Must(t, db.Owner(t).QueryRow(t.Context(), `SELECT count(*) FROM sandbox.recent_bookings WHERE confirmed_at IS NOT NULL`).Scan(&booked))
	if booked != 1 {
		t.Errorf("the search service knows of %d bookings, want 1", booked)
	}

	guest := s.Browser()
	guest.Languages = "fa-IR"
	reader := guest.AtAll()
	var detail struct {
		SimilarProperties []shownCard
		PopularitySignals map[string]int
		Amenities         []struct{ Code, Label string }
		Degraded          []string
	}
	reader.Must(http.StatusOK, http.MethodGet, "/hotels/"+hotel.Property.String(), nil).Into(t, &detail)
	check.MustEqual(t, len(detail.PopularitySignals), 1)
	check.Equal(t, detail.PopularitySignals["viewedLast1h"], 3)
	if len(detail.SimilarProperties) != 4 || detail.Degraded != nil {
		t.Errorf("%d similar hotels, degraded %q; want 4", len(detail.SimilarProperties), detail.Degraded)
	}
	for _, card := range detail.SimilarProperties {
		if card.City != hotel.City || card.PropertyID == hotel.Property.String() {
			t.Errorf("a similar hotel is %+v, want another one in %s", card, hotel.City)
		}
		if card.Rate == nil {
			t.Errorf("a similar hotel is %+v, want a price", card)
		}
	}
	for _, a := range detail.Amenities {
		if a.Label == "" || a.Label == a.Code {
			t.Errorf("the amenity %q has the label %q, want one in Persian", a.Code, a.Label)
		}
	}
	if t.Failed() {
		return
	}
	wished := detail.SimilarProperties[0].PropertyID
	reader.Must(http.StatusCreated, http.MethodPost, "/wishlist", map[string]any{"propertyId": wished, "source": "detail"})
	var list struct {
		Wishlist []struct{ Card *shownCard }
		Degraded []string
	}
	reader.Must(http.StatusOK, http.MethodGet, "/wishlist?expand=card", nil).Into(t, &list)
	if len(list.Wishlist) != 1 || list.Degraded != nil {
		t.Fatalf("%d wishes, degraded %q; want 1", len(list.Wishlist), list.Degraded)
	}
	card := list.Wishlist[0].Card
	if card == nil || card.PropertyID != wished {
		t.Fatalf("its card is %+v, want that of %s", card, wished)
	}
	if card.Rate == nil || card.BrandPeek.PrimaryColor == "" {
		t.Errorf("its card is %+v, want a price and a colour", card)
	}
	var remembered struct {
		RecentlyViewed []struct{ Card *shownCard }
		Wishlist       []struct{ Card *shownCard }
	}
	reader.Must(http.StatusOK, http.MethodGet, "/session?expand=card", nil).Into(t, &remembered)
	check.MustEqual(t, len(remembered.RecentlyViewed), 1, "viewed hotels")
	if card := remembered.RecentlyViewed[0].Card; card == nil || card.PropertyID != hotel.Property.String() {
		t.Errorf("recently viewed %+v, want the card of %s", card, hotel.Slug)
	}
}
