package consumer_test

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"melmastoon.ghasi.io/functions/consumer/consumertest"
	"melmastoon.ghasi.io/functions/consumer/internal/bots"
	"melmastoon.ghasi.io/functions/consumer/readavailability"
	"melmastoon.ghasi.io/functions/consumer/readhotel"
	"melmastoon.ghasi.io/functions/consumer/search"
	"melmastoon.ghasi.io/functions/consumer/searchmap"
	"melmastoon.ghasi.io/shared/testkit/check"
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
	check.Must(t, err)
	for component, body := range whole {
		schema := "/components/schemas/" + component
		for name, text := range map[string][]byte{"all members": body, "required members": lacking[component]} {
			t.Run(component+", "+name, func(t *testing.T) {
				check.NoError(t, published.ValidateText(schema, text))
			})
		}
		check.Lacks(t, string(body), "degraded")
		check.Contains(t, string(lacking[component]), "degraded")
		more := bytes.Replace(body, []byte(`{`), []byte(`{"more":1,`), 1)
		if published.ValidateText(schema, more) == nil {
			t.Errorf("%s has a member that is not described", component)
		}
	}
}

// TestOpenAPI_requestHeaders compares the request headers of each operation with the code: every public function accepts the response
// to a challenge, and the functions that show prices read X-Currency.
func TestOpenAPI_requestHeaders(t *testing.T) {
	t.Parallel()
	published, err := openapitest.Open("consumer", false)
	check.Must(t, err)
	files, err := filepath.Glob("*/*.go")
	check.Must(t, err)
	want, got := map[string][]string{}, map[string][]string{}
	for _, file := range files {
		source, err := os.ReadFile(file)
		check.Must(t, err)
		if strings.HasSuffix(file, "_test.go") || !bytes.Contains(source, []byte("consumer.HTTP(")) {
			continue
		}
		name := "consumer-" + filepath.Base(filepath.Dir(file))
		want[name] = []string{bots.Header}
		if bytes.Contains(source, []byte("c.Currency")) {
			want[name] = append(want[name], "X-Currency")
		}
		if bytes.Contains(source, []byte(".Version(")) { // an ETag
			want[name] = slices.Insert(want[name], 0, "If-None-Match")
		}
	}
	paths, _ := openapitest.Member(published.Root, "paths").(map[string]any)
	for path, item := range paths {
		operations, _ := item.(map[string]any)
		for method := range operations {
			name, _ := openapitest.Member(operations[method], "x-function").(string)
			if name == "" {
				continue // the parameters of the path
			}
			got[name] = requestHeaders(published, "/paths/"+openapitest.Escape(path), method)
		}
	}
	check.Equal(t, got, want, "request headers of the operations (-code +document):\n")
}

// requestHeaders returns the header parameters of an operation in alphabetical order, without Idempotency-Key.
func requestHeaders(d *openapitest.Document, path, method string) (names []string) {
	for _, from := range []string{path, path + "/" + method} {
		list, _ := d.At(from, "parameters")
		all, _ := list.([]any)
		for i := range all {
			p, _ := d.At(from, "parameters", strconv.Itoa(i))
			name, _ := openapitest.Member(p, "name").(string)
			if openapitest.Member(p, "in") == "header" && name != "Idempotency-Key" {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}
