package journeys

import (
	"fmt"
	"net/http"
	"testing"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/test/system"
)

// TestSitePrice_unchanged books at the total that the rooms were shown with, in every currency of the hotel. When pricing raises it meanwhile,
// nothing is held until the guest names the new one.
func TestSitePrice_unchanged(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	for _, currency := range []string{"AFN", "USD"} {
		t.Run(currency, func(t *testing.T) {
			v := s.Visit(demo.KabulGrand)
			v.Headers = map[string]string{"X-Currency": currency}
			holding := func(total any) map[string]any {
				body := v.HoldBody()
				body["total"] = total
				return body
			}
			shown := shownTotal(t, v)
			v.RequestQuote(usual())
			v.Must(http.StatusCreated, http.MethodPost, "/hold", holding(shown))

			v = s.Visit(demo.KabulGrand)
			v.Headers = map[string]string{"X-Currency": currency, "X-Sandbox-Scenario": "price_changed"}
			v.RequestQuote(usual())
			v.Refused(http.StatusConflict, "BFF.TENANT.PRICE_CHANGED", http.MethodPost, "/hold", holding(shown))
			check.Equal(t, v.State(), "quoting", "flow state %s", v.FlowState)
			var draft struct {
				Quote struct{ Total map[string]any }
			}
			v.Must(http.StatusOK, http.MethodGet, v.Draft(""), nil).Into(t, &draft)
			v.Must(http.StatusCreated, http.MethodPost, "/hold", holding(draft.Quote.Total))
		})
	}
}

// shownTotal is what the hotel's site shows that the usual wish costs.
func shownTotal(t *testing.T, v *system.Visitor) any {
	t.Helper()
	wish := v.QuoteBody(usual())
	days := wish["stayWindow"].(map[string]any)
	who := wish["occupancy"].(map[string]any)
	var found struct {
		Rooms []struct {
			RoomTypeID string
			Rates      []struct {
				RatePlanID string
				Total      map[string]any
			}
		}
	}
	v.Must(http.StatusOK, http.MethodGet, fmt.Sprintf("/availability?propertyId=%s&checkIn=%s&checkOut=%s&adults=%v&children=%v&rooms=%v",
		wish["propertyId"], days["checkIn"], days["checkOut"], who["adults"], who["children"], who["rooms"]), nil).Into(t, &found)
	for _, room := range found.Rooms {
		for _, rate := range room.Rates {
			if room.RoomTypeID == fmt.Sprint(wish["roomTypeId"]) && rate.RatePlanID == fmt.Sprint(wish["ratePlanId"]) {
				return rate.Total
			}
		}
	}
	t.Fatalf("the wish is not shown in %+v", found)
	return nil
}
