package consumer_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"melmastoon.ghasi.io/functions/consumer/consumertest"
	"melmastoon.ghasi.io/functions/consumer/readavailability"
	"melmastoon.ghasi.io/functions/consumer/readhotel"
	"melmastoon.ghasi.io/functions/consumer/search"
	"melmastoon.ghasi.io/functions/consumer/searchmap"
	"melmastoon.ghasi.io/shared/testkit/openapitest"
	"melmastoon.ghasi.io/shared/testkit/upstreamtest"
)

func TestAnswers_matchOpenAPI(t *testing.T) {
	t.Parallel()
	system := consumertest.OpenSystem(t, 3, search.Function, searchmap.Function, readhotel.Function, readavailability.Function)
	v, hotel := system.Traveller("Accept-Language", "fa-AF", "X-Currency", "USD"), "/hotels/"+system.Hotels[0].Property.String()
	checkIn, checkOut := system.Dates(3, 2)
	const box = `{"mode":"bounding-box","boundingBox":{"swLat":34,"swLng":69,"neLat":35,"neLng":70}}`
	ask := func() map[string][]byte {
		return map[string][]byte{
			"SearchResults": v.Must(http.StatusOK, "POST", "/search", system.SearchBody()).Body,
			"MapResults":    v.Must(http.StatusOK, "POST", "/search/map", system.SearchBodyIn(box)).Body,
			"HotelDetail":   v.Must(http.StatusOK, "GET", hotel, nil).Body,
			"Vacancy":       v.Must(http.StatusOK, "GET", hotel+"/availability?adults=2&checkIn="+checkIn+"&checkOut="+checkOut, nil).Body,
		}
	}
	whole := ask()
	for _, route := range []string{"previews", "brands", "calendar", "cheapest", "policies"} {
		system.SetBehavior(route, upstreamtest.Failing)
	}
	v.Headers = append(v.Headers, "X-Currency", "EUR") // of which nothing is known yet
	system.DB.Advance(3600e9)
	lacking := ask()
	published, err := openapitest.Open("consumer", true)
	if err != nil {
		t.Fatal(err)
	}
	for component, body := range whole {
		schema := "/components/schemas/" + component
		for _, text := range [][]byte{body, lacking[component]} {
			if err := published.ValidateText(schema, text); err != nil {
				t.Errorf("%s: %v\n%s", component, err, text)
			}
		}
		if strings.Contains(string(body), "degraded") {
			t.Errorf("%s: string(body) = %q, want it without %q", component, string(body), "degraded")
		}
		if !strings.Contains(string(lacking[component]), "degraded") {
			t.Errorf("%s: string(lacking[component]) = %q, want it to contain %q", component, string(lacking[component]), "degraded")
		}
		more := bytes.Replace(body, []byte(`{`), []byte(`{"more":1,`), 1)
		if published.ValidateText(schema, more) == nil {
			t.Errorf("%s has a member that is not described", component)
		}
	}
}
