package contracts

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/openapitest"
	"melmastoon.ghasi.io/test/system"
)

// TestOpenAPIExamples_areAnswersOfTheSystem calls the operations whose examples were recorded, and compares the shape of each
// answer with that of its example. WRITE_EXAMPLES=1 writes the answers into the documents in place of the examples.
func TestOpenAPIExamples_areAnswersOfTheSystem(t *testing.T) {
	t.Parallel()
	var c struct {
		Write bool `env:"WRITE_EXAMPLES"`
	}
	check.Must(t, env.System().Load(&c))
	r := newRecorder(t, c.Write)
	r.consumer()
	r.hotelSite()
	r.reservations()
	r.frontDesk()
	if c.Write {
		r.write()
	}
}

// A recorder calls operations as a browser and as a service.
type recorder struct {
	t         *testing.T
	system    *system.System
	browser   *http.Client
	writing   bool
	documents map[string]document
	answers   []recorded
}

// recorded is an answer that is an example.
type recorded struct {
	service, route, status string
	body                   []byte
}

func newRecorder(t *testing.T, writing bool) *recorder {
	jar := check.Got(cookiejar.New(nil)).Must(t)
	return &recorder{
		t: t, system: system.Open(t), writing: writing, documents: map[string]document{},
		browser: &http.Client{Jar: jar, Timeout: 30 * time.Second},
	}
}

type members map[string]any

// call sends a request of a browser, or of a service if headers are given, and returns the answer's members. The route is empty if
// the answer is no example.
func (r *recorder) call(service, route, method, path string, body any, headers ...string) members {
	r.t.Helper()
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			r.t.Fatal(err)
		}
	}
	request := check.Got(http.NewRequestWithContext(r.t.Context(), method, r.system.Cloud.URL()+path, bytes.NewReader(text))).Must(r.t)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Idempotency-Key", system.Key())
	request.Header.Set("Accept-Language", "en")
	request.Header.Set("User-Agent", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0")
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response := check.Got(r.browser.Do(request)).Must(r.t)
	defer response.Body.Close()
	answer := check.Got(io.ReadAll(response.Body)).Must(r.t)
	if response.StatusCode >= 300 {
		r.t.Fatalf("%s %s: %d %s", method, path, response.StatusCode, answer)
	}
	if route != "" {
		r.note(service, route, openapitest.Answer{Status: response.StatusCode, Header: response.Header, Body: answer})
	}
	var out members
	if err := json.Unmarshal(answer, &out); err != nil && len(answer) > 0 {
		r.t.Fatal(err)
	}
	return out
}

// note validates an answer, with closed schemas, and compares it with its example.
func (r *recorder) note(service, route string, a openapitest.Answer) {
	r.t.Helper()
	check.NoError(r.t, openapitest.Check(service, route, a), "%s", route)
	status := fmt.Sprint(a.Status)
	r.answers = append(r.answers, recorded{service, route, status, a.Body})
	if r.writing {
		return
	}
	d, ok := r.documents[service]
	if !ok {
		d = load(r.t, service)
		r.documents[service] = d
	}
	example, _ := d.At(openapitest.Operation(route), "responses", status, "content", "application/json", "example")
	var answer any
	check.Must(r.t, json.Unmarshal(a.Body, &answer))
	if want, got := shape(answer), shape(example); !slices.Equal(want, got) {
		r.t.Errorf("%s %s: the example has the members\n%v\nthe answer has\n%v\nWRITE_EXAMPLES=1 go test ./test/contracts -run areAnswersOfTheSystem", route, status, got, want)
	}
}

// shape returns the pointers of all members of a value; elements of a list share one.
func shape(value any) []string {
	found := map[string]bool{}
	var see func(pointer string, value any)
	see = func(pointer string, value any) {
		switch v := value.(type) {
		case map[string]any:
			for key, child := range v {
				found[pointer+"/"+key] = true
				see(pointer+"/"+key, child)
			}
		case []any:
			if len(v) > 0 {
				see(pointer+"/*", v[0])
			}
		}
	}
	see("", value)
	return slices.Sorted(maps.Keys(found))
}

// The dates of the recorded stay, and of the day to which it is extended.
var arrival, departure, later = in(100), in(102), in(103)

// in returns the date in so many days.
func in(days int) string { return time.Now().UTC().AddDate(0, 0, days).Format(time.DateOnly) }

func (r *recorder) consumer() {
	const base = "/bff/consumer/v1"
	hotel := demo.KabulGrand
	stay := "checkIn=" + arrival + "&checkOut=" + departure + "&adults=2"
	r.call("consumer", "", "GET", base+"/session", nil)
	r.call("consumer", "PATCH /bff/consumer/v1/session", "PATCH", base+"/session", members{"locale": "prs", "currency": "AFN"})
	r.call("consumer", "", "PATCH", base+"/session", members{"locale": "en"})
	r.call("consumer", "POST /bff/consumer/v1/search/map", "POST", base+"/search/map", members{
		"geo":   members{"mode": "bounding-box", "boundingBox": members{"swLat": 34.4, "swLng": 69, "neLat": 34.7, "neLng": 69.4}},
		"dates": members{"checkIn": arrival, "checkOut": departure}, "occupancy": members{"adults": 2, "children": 0, "rooms": 1},
	})
	r.call("consumer", "GET /bff/consumer/v1/hotels/{propertyId}", "GET", base+"/hotels/"+hotel.Property.String()+"?"+stay, nil)
	r.call("consumer", "GET /bff/consumer/v1/hotels/{propertyId}/availability", "GET", base+"/hotels/"+hotel.Property.String()+"/availability?"+stay, nil)
	wish := members{"propertyId": hotel.Property.String(), "source": "detail", "note": "With the garden"}
	r.call("consumer", "POST /bff/consumer/v1/wishlist", "POST", base+"/wishlist", wish) // 201
	r.call("consumer", "POST /bff/consumer/v1/wishlist", "POST", base+"/wishlist", wish) // 200
	r.call("consumer", "GET /bff/consumer/v1/wishlist", "GET", base+"/wishlist", nil)
}

func (r *recorder) hotelSite() {
	const path = "/bff/tenant-booking/v1/{tenantSlug}"
	hotel := demo.KabulGrand
	base := "/bff/tenant-booking/v1/" + hotel.Slug
	handoff := r.call("consumer", "", "POST", "/bff/consumer/v1/handoff/"+hotel.Tenant.String()+"/"+hotel.Property.String(), members{
		"dates": members{"checkIn": arrival, "checkOut": departure}, "occupancy": members{"adults": 2, "children": 0, "rooms": 1},
		"currency": "AFN", "locale": "ps-AF",
	})
	r.call("tenantbooking", "POST "+path+"/handoff/consume", "POST", base+"/handoff/consume", members{"token": handoff["token"]})
	r.call("tenantbooking", "GET "+path+"/bootstrap", "GET", base+"/bootstrap", nil)
	r.call("tenantbooking", "GET "+path+"/policies", "GET", base+"/policies", nil)
	r.call("tenantbooking", "GET "+path+"/availability", "GET", base+"/availability?propertyId="+hotel.Property.String()+"&checkIn="+arrival+"&checkOut="+departure+"&adults=2", nil)
	quote := r.call("tenantbooking", "", "POST", base+"/quote", members{
		"propertyId": hotel.Property.String(), "roomTypeId": hotel.Rooms[0].ID.String(), "ratePlanId": hotel.Rooms[0].Flexible.ID.String(),
		"stayWindow": members{"checkIn": arrival, "checkOut": departure}, "occupancy": members{"adults": 2, "children": 0, "rooms": 1},
	})
	hold := r.call("tenantbooking", "", "POST", base+"/hold", members{"draftId": quote["draftId"], "quoteId": quote["quoteId"]})
	draft := fmt.Sprint(base, "/draft/", quote["draftId"])
	r.call("tenantbooking", "PATCH "+path+"/draft/{draftId}", "PATCH", draft, members{
		"guest": members{"firstName": "Zarghona", "lastName": "Ahmadzai", "email": "z.ahmadzai@example.com", "phone": "+93700123456"},
	})
	r.call("tenantbooking", "GET "+path+"/draft/{draftId}", "GET", draft, nil)
	r.call("tenantbooking", "", "POST", draft+"/payment-intent", members{"method": "cash_on_arrival"})
	r.call("tenantbooking", "", "POST", draft+"/confirm", nil)
	r.call("tenantbooking", "GET "+path+"/confirmation/{reservationId}", "GET", fmt.Sprint(base, "/confirmation/", hold["reservationId"]), nil)
	r.call("tenantbooking", "PATCH "+path+"/confirmation/{reservationId}", "PATCH", fmt.Sprint(base, "/confirmation/", hold["reservationId"]),
		members{"stayWindow": members{"checkIn": arrival, "checkOut": later}, "dryRun": true})
	r.call("tenantbooking", "POST "+path+"/confirmation/{reservationId}/cancel", "POST", fmt.Sprint(base, "/confirmation/", hold["reservationId"], "/cancel"), members{"dryRun": true})
	r.call("tenantbooking", "POST "+path+"/confirmation/{reservationId}/payment", "POST", fmt.Sprint(base, "/confirmation/", hold["reservationId"], "/payment"), members{}) // 200
	link := fmt.Sprint("/internal/tenant-booking/v1/tenants/", hotel.Tenant, "/confirmations/", hold["reservationId"], "/link")
	r.call("tenantbooking", "GET /internal/tenant-booking/v1/tenants/{tenantId}/confirmations/{reservationId}/link", "GET", link, nil, r.service()...)
}

// service returns the headers with which a service of the platform calls for the hotel.
func (r *recorder) service() []string {
	return []string{"Authorization", "Bearer " + check.Got(r.system.Cloud.Token()).Must(r.t), "X-Tenant-Id", demo.KabulGrand.Tenant.String()}
}

func (r *recorder) reservations() {
	const path = "/api/v1/reservations"
	hotel, service := demo.KabulGrand, r.service()
	post := func(route, path string, body any) members {
		r.t.Helper()
		method, _, _ := strings.Cut(route, " ")
		if method == "" {
			method = http.MethodPost
		}
		return r.call("reservation", route, method, path, body, service...)
	}
	booked := func(cash bool) string {
		r.t.Helper()
		quote := post("", path+"/quotes", members{
			"propertyId": hotel.Property.String(), "currency": "AFN", "locale": "ps-AF",
			"items": []members{{
				"roomTypeId": hotel.Rooms[0].ID.String(), "ratePlanId": hotel.Rooms[0].Flexible.ID.String(), "occupants": members{"adults": 2, "children": 0},
			}},
			"stayWindow": members{"start": arrival, "end": departure},
		})
		hold := post("", path+"/holds", members{
			"quoteId": quote["quoteId"], "channel": "direct", "createdBy": members{"type": "guest", "id": "gst_01J00000000000000000000000"},
		})
		at := fmt.Sprint(path, "/", hold["reservationId"])
		if cash {
			post("PUT "+path+"/{id}/guest", at+"/guest", members{
				"firstName": "Zarghona", "lastName": "Ahmadzai", "email": "z.ahmadzai@example.com", "phone": "+93700123456", "locale": "ps-AF",
			})
			post("", at+"/confirm", members{"method": "cash_on_arrival"})
		}
		return at
	}
	at := booked(true)
	post("POST "+path+"/{id}/special-requests", at+"/special-requests", members{
		"tags": []string{"late_check_out", "quiet_room"}, "freeText": "Flight at 21:40.", "locale": "en", "source": "staff",
	})
	post("POST "+path+"/{id}/dates", at+"/dates", members{"stayWindow": members{"start": arrival, "end": later}})
	post("POST "+path+"/{id}/cancel", at+"/cancel", members{"reasonCode": "guest_cancelled", "dryRun": true})
}

// TestOpenAPIDocuments_haveExamples rejects a request or a successful answer without an example.
func TestOpenAPIDocuments_haveExamples(t *testing.T) {
	t.Parallel()
	eachDocument(t, func(t *testing.T, d document) {
		seen := 0
		paths, _ := openapitest.Member(d.Root, "paths").(map[string]any)
		for path, operations := range paths {
			for method := range operations.(map[string]any) {
				operation := openapitest.Operation(strings.ToUpper(method) + " " + path)
				if id, _ := d.At(operation, "operationId"); id == nil {
					continue
				}
				sides := [][]string{{"requestBody"}, {"responses", "200"}, {"responses", "201"}, {"responses", "202"}}
				for _, side := range sides {
					seen += d.exampled(operation, side)
				}
			}
		}
		if seen == 0 {
			t.Error("no example was looked for")
		}
	})
}

func (d document) exampled(operation string, side []string) (seen int) {
	d.t.Helper()
	content, _ := d.At(operation, append(side, "content")...)
	kinds, _ := content.(map[string]any)
	for kind := range kinds {
		media, _ := d.At(operation, append(slices.Clone(side), "content", kind)...)
		where := strings.Join(append([]string{operation}, side...), "/")
		if openapitest.Member(media, "example") == nil && openapitest.Member(media, "examples") == nil {
			d.t.Errorf("%s has no example of %s", where, kind)
		}
		seen++
	}
	return seen
}

// file returns the file of a service's document.
func file(service string) string { return root + "/schemas/http/" + service + ".yaml" }

// write puts the recorded answers into the documents.
func (r *recorder) write() {
	r.t.Helper()
	for _, a := range r.answers {
		text, err := os.ReadFile(file(a.service))
		check.Must(r.t, err)
		text, err = withExample(text, a)
		check.Must(r.t, err, "%s", a.route)
		check.Must(r.t, os.WriteFile(file(a.service), text, 0o644))
	}
}
