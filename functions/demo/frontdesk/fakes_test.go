package frontdesk_test

import (
	"encoding/base64"
	"errors"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/functions/demo/frontdesk/bookwalkin"
	"melmastoon.ghasi.io/functions/demo/frontdesk/changestay"
	"melmastoon.ghasi.io/functions/demo/frontdesk/checkin"
	"melmastoon.ghasi.io/functions/demo/frontdesk/checkout"
	"melmastoon.ghasi.io/functions/demo/frontdesk/endbooking"
	"melmastoon.ghasi.io/functions/demo/frontdesk/login"
	"melmastoon.ghasi.io/functions/demo/frontdesk/showrack"
	"melmastoon.ghasi.io/functions/demo/frontdesk/showreceipt"
	"melmastoon.ghasi.io/functions/demo/frontdesk/showreservation"
	"melmastoon.ghasi.io/functions/demo/frontdesk/showtoday"
	"melmastoon.ghasi.io/functions/demo/frontdesk/showwalkin"
	"melmastoon.ghasi.io/functions/demo/frontdesk/takecash"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/upstream"
	"melmastoon.ghasi.io/shared/testkit/fntest"
)

// body is a JSON object.
type body = map[string]any

var (
	tenant   = id.New[id.Tenant]()
	property = id.New[id.Property]()
	double   = id.New[id.RoomType]()
	flexible = id.New[id.RatePlan]()
	room     = id.New[id.Room]()
	broken   = id.New[id.Room]()
	item     = id.New[id.Item]()
	stayed   = id.New[id.Reservation]()
)

var kabul = time.FixedZone("Asia/Kabul", (4*60+30)*60)

// fakeServices are fakes of the services behind the desk, with one reservation. They answer according to their APIs and record requests.
type fakeServices struct {
	mu      sync.Mutex
	now     func() time.Time
	state   string
	guest   string
	due     string
	intents []body
	rival   []body            // what another desk has collected by the time at which this one opens an intent
	party   int               // booked rooms, if more than one
	arrived int               // booked rooms whose guests have come, if the reservation is in house
	early   bool              // the first room is assigned before its guests come
	keys    int               // issued keys
	step    string            // what the reservation waits for
	paid    string            // captured, in micro units
	back    string            // refunded of it
	free    int               // rooms that inventory sells each night
	refuses map[string]string // by "METHOD last-part-of-the-path": a status, a code and members
	asked   []string
	tokens  map[string]bool
	bodies  map[string]body
}

func newFakeServices(e env.Env) *fakeServices {
	return &fakeServices{now: e.Now, state: "confirmed", guest: "Zarghona", arrived: 1, due: "5000000000", paid: "0", back: "0", refuses: map[string]string{}, tokens: map[string]bool{}, bodies: map[string]body{}}
}

// RoundTrip sends requests to the fakes. The site can reach nothing else.
func (d *fakeServices) RoundTrip(r *http.Request) (*http.Response, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	text, _ := io.ReadAll(r.Body)
	act := r.Method + " " + r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
	act = strings.NewReplacer(stayed.String(), "reservation", property.String(), "property", tenant.String(), "tenant").Replace(act)
	d.asked = append(d.asked, act)
	d.tokens[r.Header.Get("Authorization")] = true
	var sent body
	_ = json.Unmarshal(text, &sent)
	d.bodies[act] = sent
	w := httptest.NewRecorder()
	refusal, ok := d.refuses[act]
	if match := r.Header.Get("If-Match"); match != "" && match != `"4"` {
		refusal, ok = `412 {"code":"MELMASTOON.GENERAL.VERSION_CONFLICT"}`, true
	}
	if ok {
		status, problem, _ := strings.Cut(refusal, " ")
		if problem == "" {
			return nil, errors.New("timeout")
		}
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(map[string]int{"400": 400, "401": 401, "403": 403, "404": 404, "409": 409, "412": 412, "422": 422, "429": 429, "503": 503}[status])
		_, _ = io.WriteString(w, problem)
		return w.Result(), nil
	}
	w.Header().Set("Content-Type", "application/json")
	out := d.answer(act, r)
	if out == nil {
		w.WriteHeader(http.StatusNotFound)
		out = body{"code": "MELMASTOON.GENERAL.RESOURCE_NOT_FOUND"}
	}
	_ = json.MarshalWrite(w, out)
	return w.Result(), nil
}

func (d *fakeServices) answer(act string, r *http.Request) any {
	hotel := body{"propertyId": property, "tenantId": tenant, "name": body{"default": "Kabul Grand Hotel"}, "city": "Kabul", "timeZone": "Asia/Kabul",
		"address": "Shahr-e Naw", "country": "AF", "roomTypes": []body{{"roomTypeId": double, "name": "Double", "maxOccupancy": 2}},
		"ratePlans": []body{{"ratePlanId": flexible, "roomTypeId": double, "name": "flexible", "mealPlan": "breakfast"}}}
	switch act {
	case "POST searches":
		return body{"listings": []body{hotel}}
	case "GET property":
		return hotel
	case "GET tenant":
		return body{"currency": "AFN"}
	case "POST staff-tokens":
		return body{"token": d.token()}
	case "GET rooms":
		today := d.now().In(kabul).Format(time.DateOnly)
		return body{"rooms": []body{{"roomId": room, "roomTypeId": double, "number": "101"},
			{"roomId": broken, "roomTypeId": double, "number": "102", "outOfOrder": body{"from": today, "until": "2099-01-01"}}}}
	case "GET reservations":
		return body{"reservations": []any{d.reservation()}, "attention": []body{{"reservationId": stayed, "reason": "unpaid_balance"}}}
	case "GET availability":
		return body{"roomTypes": []body{{"roomTypeId": double, "unitsLeft": d.free}}}
	case "GET intents":
		return body{"intents": d.intents}
	case "POST intents":
		d.intents = append(d.intents, d.rival...)
		return body{"paymentIntentId": id.New[id.Intent](), "status": "pending_cash", "amountMicro": "1", "capturedMicro": "0"}
	case "GET reservation", "POST walk-ins", "POST check-in", "POST check-out", "POST cancel", "POST no-show", "POST dates", "POST collect", "PATCH reservation":
		return d.reservation()
	}
	return nil
}

func (d *fakeServices) reservation() body {
	day := d.now().In(kabul)
	r := body{"reservationId": stayed, "reservationCode": "GM-7K2QX9", "state": d.state, "version": 4, "items": []body{{"itemId": item, "roomTypeId": double,
		"ratePlanId": flexible, "occupants": body{"adults": 2, "children": 0}, "totalMicro": "5000000000"}}, "rooms": []body{},
		"stayWindow": body{"start": day.Format(time.DateOnly), "end": day.AddDate(0, 0, 2).Format(time.DateOnly)}, "keyCredentialIds": slices.Repeat([]string{"key"}, d.keys),
		"balance": body{"capturedMicro": d.paid, "refundedMicro": d.back, "dueMicro": d.due, "currency": "AFN"}, "totals": body{"grandTotalMicro": "5000000000"},
		"guest": body{"firstName": d.guest, "lastName": "Ahmadzai", "email": "zarghona@example.com", "phone": "+93700123456"}, "policyApplied": body{"penaltyMicro": "2500000000"},
		"paymentRefundsRequested": []body{{"amountMicro": "100000000"}}, "modification": body{"priceDeltaMicro": "-1000000000"}}
	for n := 1; n < d.party; n++ {
		r["items"] = append(r["items"].([]body), body{"itemId": id.New[id.Item](), "roomTypeId": double, "ratePlanId": flexible,
			"occupants": body{"adults": 1, "children": 0}, "totalMicro": "0"})
	}
	if d.step != "" {
		r["pendingSagaStep"] = d.step
	}
	if inHouse := d.state == "checked_in" || d.state == "check_in_started"; inHouse || d.early {
		r["rooms"] = []body{{"itemId": item, "roomId": room}}
		for n, item := range r["items"].([]body) {
			if inHouse && n < d.arrived {
				item["arrivedAt"] = day.Format(time.RFC3339)
			}
		}
	}
	return r
}

// token returns a token as the identity service signs it, without a valid signature.
func (d *fakeServices) token() string {
	claims, _ := json.Marshal(body{"tenant_id": tenant, "property_ids": []id.Property{property}, "roles": d.bodies["POST staff-tokens"]["roles"],
		"exp": d.now().Add(8 * time.Hour).Unix()})
	return "e30." + base64.RawURLEncoding.EncodeToString(claims) + ".c2ln"
}

// A deskBrowser is the browser of a clerk.
type deskBrowser struct {
	t        *testing.T
	front    *fntest.Front
	cookies  map[string]string
	page, at string
	language string
}

func browse(t *testing.T, e env.Env, d *fakeServices) *deskBrowser {
	t.Helper()
	e = upstream.TransportKey.With(e.With("PUBLIC_URL", "https://melmastoon.example"), d)
	for _, name := range []string{"SEARCH", "PROPERTY", "TENANT", "IAM", "PAYMENT", "INVENTORY"} {
		e = e.With("UPSTREAM_"+name+"_URL", "https://sandbox.example/"+strings.ToLower(name))
	}
	front := fntest.Open(t, e, showtoday.Function, login.Function, showreservation.Function, checkin.Function, takecash.Function, checkout.Function,
		endbooking.Function, changestay.Function, showwalkin.Function, bookwalkin.Function, showreceipt.Function, showrack.Function)
	return &deskBrowser{t: t, front: front.As(""), cookies: map[string]string{}, language: "en"}
}

func (g *deskBrowser) headers() []string {
	var all []string
	for name, value := range g.cookies {
		all = append(all, name+"="+value)
	}
	return []string{"Cookie", strings.Join(all, "; "), "Accept-Language", g.language, "Content-Type", "application/x-www-form-urlencoded"}
}

func (g *deskBrowser) open(path string) *deskBrowser {
	g.t.Helper()
	return g.follow(g.front.Get(path, g.headers()...), path)
}

// post sends a form.
func (g *deskBrowser) post(path string, fields ...string) *deskBrowser {
	g.t.Helper()
	form := url.Values{}
	for i := 0; i+1 < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	return g.follow(g.front.Post(path, form.Encode(), g.headers()...), path)
}

func (g *deskBrowser) follow(a fntest.Answer, path string) *deskBrowser {
	g.t.Helper()
	for _, c := range (&http.Response{Header: a.Header}).Cookies() {
		if !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/desk" {
			g.t.Errorf("the cookie %s is %v", c.Name, c)
		}
		if g.cookies[c.Name] = c.Value; c.MaxAge < 0 {
			delete(g.cookies, c.Name)
		}
	}
	if to := a.Header.Get("Location"); a.Status == http.StatusSeeOther {
		if !strings.HasPrefix(to, "/desk") {
			g.t.Fatalf("redirected to %q", to)
		}
		return g.open(to)
	}
	g.at, g.page = path, html.UnescapeString(string(a.Body))
	return g
}

// logIn logs in with that role.
func (g *deskBrowser) logIn(role string) *deskBrowser {
	g.t.Helper()
	return g.open("/desk").sees("Log in", "Kabul Grand Hotel, Kabul").post("/desk/session", "hotel", property.String(), "role", role)
}

func (g *deskBrowser) sees(parts ...string) *deskBrowser {
	g.t.Helper()
	for _, part := range parts {
		if !strings.Contains(g.page, part) {
			g.t.Errorf("%s does not show %q:\n%s", g.at, part, g.page)
		}
	}
	return g
}

func (g *deskBrowser) lacks(parts ...string) *deskBrowser {
	g.t.Helper()
	for _, part := range parts {
		if strings.Contains(g.page, part) {
			g.t.Errorf("%s shows %q:\n%s", g.at, part, g.page)
		}
	}
	return g
}
