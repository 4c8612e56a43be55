package faults

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"melmastoon.ghasi.io"
	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/functions/tenantbooking"
	"melmastoon.ghasi.io/shared/handoff"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/secrets"
	"melmastoon.ghasi.io/shared/stay"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/test/system"
)

// Names are what a request to a site can name. Those of a victim exist; those of unknownNames have the same form and do not.
type names struct {
	Property, Room, Rate, Draft, Quote, Reservation, Token, View, Key string
}

// unknownNames returns well-formed names of things that do not exist.
func unknownNames(token string) names {
	return names{
		id.New[id.Property]().String(), id.New[id.RoomType]().String(), id.New[id.RatePlan]().String(), id.New[id.Draft]().String(),
		id.New[id.Quote]().String(), id.New[id.Reservation]().String(), forged(token), "local.AAAAAAAAAAAAAAAAAAAAAA", system.Key(),
	}
}

// forged returns a token with an invalid signature.
func forged(token string) string {
	version, rest, _ := strings.Cut(token, ".")
	body, _, _ := strings.Cut(rest, ".")
	return version + "." + body + "." + strings.Repeat("A", 43)
}

// hide replaces what the request has named by what it is, so that answers about different names can be compared.
func (n names) hide(text string) string {
	return strings.NewReplacer(n.Property, "PROPERTY", n.Room, "ROOM", n.Rate, "RATE", n.Draft, "DRAFT", n.Quote, "QUOTE",
		n.Reservation, "RESERVATION", n.Token, "TOKEN", n.View, "VIEW").Replace(text)
}

// attempts are requests for each route of a site that name something: the route as the catalogue has it, and how to ask.
func attempts(own *system.Visitor) map[string][]func(names) system.Request {
	get := func(path string) system.Request { return system.Request{Method: http.MethodGet, Path: path} }
	send := func(method, path string, body any) system.Request {
		return system.Request{Method: method, Path: path, Body: body}
	}
	wish := func(property, room, rate string, draft string) map[string]any {
		w := own.QuoteBody(system.Usual())
		w["propertyId"], w["roomTypeId"], w["ratePlanId"] = property, room, rate
		if draft != "" {
			w["draftId"] = draft
		}
		return w
	}
	h := own.Hotel
	return map[string][]func(names) system.Request{
		"GET /bootstrap": {func(n names) system.Request { return get("/bootstrap?h=" + n.Token) }},
		"POST /handoff/consume": {func(n names) system.Request {
			return send("POST", "/handoff/consume", map[string]any{"token": n.Token})
		}},
		"GET /availability": {func(n names) system.Request {
			w := own.QuoteBody(system.Usual())["stayWindow"].(map[string]any)
			return get(fmt.Sprintf("/availability?propertyId=%s&checkIn=%s&checkOut=%s&adults=2", n.Property, w["checkIn"], w["checkOut"]))
		}},
		"GET /policies":   {func(n names) system.Request { return get("/policies") }},
		"GET /properties": {func(n names) system.Request { return get("/properties") }},
		"POST /quote": {
			func(n names) system.Request { return send("POST", "/quote", wish(n.Property, n.Room, n.Rate, "")) },
			func(n names) system.Request {
				return send("POST", "/quote", wish(h.Property.String(), h.Rooms[0].ID.String(), h.Rooms[0].Flexible.ID.String(), n.Draft))
			},
			func(n names) system.Request {
				return send("POST", "/quote", wish(h.Property.String(), n.Room, n.Rate, ""))
			},
		},
		"POST /hold": {
			func(n names) system.Request {
				return send("POST", "/hold", map[string]any{"draftId": n.Draft, "quoteId": n.Quote})
			},
			func(n names) system.Request {
				return send("POST", "/hold", map[string]any{"draftId": own.DraftID, "quoteId": n.Quote})
			},
		},
		"GET /draft/{draftId}":    {func(n names) system.Request { return get("/draft/" + n.Draft) }},
		"PATCH /draft/{draftId}":  {func(n names) system.Request { return send("PATCH", "/draft/"+n.Draft, system.GuestDetails()) }},
		"DELETE /draft/{draftId}": {func(n names) system.Request { return send("DELETE", "/draft/"+n.Draft, nil) }},
		"POST /draft/{draftId}/payment-intent": {func(n names) system.Request {
			return send("POST", "/draft/"+n.Draft+"/payment-intent", map[string]any{"method": "card"})
		}},
		"POST /draft/{draftId}/return":  {func(n names) system.Request { return send("POST", "/draft/"+n.Draft+"/return", nil) }},
		"POST /draft/{draftId}/confirm": {func(n names) system.Request { return send("POST", "/draft/"+n.Draft+"/confirm", nil) }},
		"GET /confirmation/{reservationId}": {
			func(n names) system.Request { return get("/confirmation/" + n.Reservation) },
			func(n names) system.Request { return get("/confirmation/" + n.Reservation + "?t=" + n.View) },
		},
		"POST /confirmation/{reservationId}/cancel": {
			func(n names) system.Request {
				return send("POST", "/confirmation/"+n.Reservation+"/cancel", map[string]any{})
			},
			func(n names) system.Request {
				return send("POST", "/confirmation/"+n.Reservation+"/cancel?t="+n.View, map[string]any{"dryRun": true})
			},
		},
		"POST /confirmation/{reservationId}/payment": {
			func(n names) system.Request {
				return send("POST", "/confirmation/"+n.Reservation+"/payment", map[string]any{})
			},
			func(n names) system.Request {
				return send("POST", "/confirmation/"+n.Reservation+"/payment?t="+n.View, map[string]any{"method": "card", "due": map[string]any{"amountMinor": 100, "currency": "AFN", "exponent": 2}})
			},
		},
		"PATCH /confirmation/{reservationId}": {
			func(n names) system.Request {
				return send("PATCH", "/confirmation/"+n.Reservation, map[string]any{"specialRequest": map[string]any{"tags": []string{"cot"}}})
			},
			func(n names) system.Request {
				return send("PATCH", "/confirmation/"+n.Reservation+"?t="+n.View, map[string]any{"specialRequest": map[string]any{"tags": []string{"cot"}}})
			},
		},
		"PATCH /session": {func(n names) system.Request { return send("PATCH", "/session", map[string]any{"currency": "USD"}) }},
	}
}

// An impersonation is a way to send requests as another guest: the address and the headers.
type impersonation struct {
	base   string
	header map[string]string
	own    bool // knocks at the intruder's own hotel: everything of the victim's must be as if it were not there
}

// impersonations are all the ways in which a guest of one hotel can pretend to be at another.
func impersonations(intruder, atHome, victim *system.Visitor) map[string]impersonation {
	mine := intruder.Cookie()
	_, value, _ := strings.Cut(mine, "=")
	session, tag, _ := strings.Cut(value, ".")
	theirs := victim.Session()
	home := atHome.Base
	foreignHome := strings.Replace(home, intruder.Hotel.Slug, victim.Hotel.Slug, 1)
	shared := strings.TrimSuffix(intruder.Base, intruder.Hotel.Slug)
	host := strings.TrimSuffix(strings.TrimPrefix(home, "http://"), "/api")
	foreignHost := strings.Replace(host, intruder.Hotel.Slug, victim.Hotel.Slug, 1)
	with := func(cookie string, more ...string) map[string]string {
		h := map[string]string{"Cookie": cookie}
		for i := 0; i < len(more); i += 2 {
			h[more[i]] = more[i+1]
		}
		return h
	}
	return map[string]impersonation{
		"own path":                         {intruder.Base, with(mine), true},
		"own host":                         {home, with(atHome.Cookie()), true},
		"own path, tenant header":          {intruder.Base, with(mine, "X-Tenant-Id", victim.Hotel.Tenant.String(), "X-Tenant-Slug", victim.Hotel.Slug), true},
		"own path, on the other's host":    {intruder.Base, with(mine, "Host", foreignHost), true},
		"own path, the other's domain":     {intruder.Base, with(mine, "Host", victim.Hotel.Domain), true},
		"own host, forwarded for other":    {home, with(atHome.Cookie(), "X-Forwarded-Host", foreignHost, "Forwarded", "host="+foreignHost), true},
		"other path, own cookie":           {victim.Base, with(mine), false},
		"other path, own cookie, own host": {victim.Base, with(mine, "Host", host), false},
		"other path, host cookie's name":   {victim.Base, with("__Host-tnt_id=" + value), false},
		"other path, both names":           {victim.Base, with("__Host-tnt_id=" + value + "; tnt_id=" + value), false},
		"other path, their session":        {victim.Base, with("tnt_id=" + theirs + "." + tag), false},
		"other path, their session bare":   {victim.Base, with("tnt_id=" + theirs), false},
		"other path, no tag":               {victim.Base, with("tnt_id=" + theirs + ".local."), false},
		"other path, two cookies":          {victim.Base, with(mine + "; tnt_id=" + theirs + "." + tag), false},
		"other path, quoted":               {victim.Base, with(`tnt_id="` + value + `"`), false},
		"other path, escaped slug":         {shared + strings.Replace(victim.Hotel.Slug, "h", "%68", 1), with(mine), false},
		"other path, through own":          {intruder.Base + "/..%2f" + victim.Hotel.Slug, with(mine), false},
		"other path, no session":           {victim.Base, with("tnt_id=" + session), false},
		"other host, own cookie":           {foreignHome, with(mine), false},
		"other host, own host's cookie":    {foreignHome, with(atHome.Cookie()), false},
		"other domain, own host's cookie":  {home, with(atHome.Cookie(), "Host", victim.Hotel.Domain), false},
		"other host in capitals":           {home, with(atHome.Cookie(), "Host", strings.ToUpper(foreignHost)), false},
		"other tenant's id for a slug":     {shared + victim.Hotel.Tenant.String(), with(mine), false},
		"other domain for a slug":          {shared + victim.Hotel.Domain, with(mine), false},
	}
}

// A reply is what of an answer may be compared.
type reply struct {
	Status int
	Code   string
	Header map[string]string
	Body   string
}

func replyTo(a system.Answer, n names) reply {
	r := reply{a.Status, a.Code(), map[string]string{}, ""}
	for _, name := range []string{"Content-Type", "Cache-Control", "Etag", "Location", "Allow", "Retry-After", "Idempotent-Replayed", "Vary", "Content-Language"} {
		r.Header[name] = a.Header.Get(name)
	}
	var body map[string]any
	if json.Unmarshal(a.Body, &body) != nil {
		r.Body = string(a.Body)
		return r
	}
	for _, fresh := range []string{"requestId", "traceId", "serverTime", "composedAt", "csp"} {
		delete(body, fresh)
	}
	text, _ := json.Marshal(body)
	r.Body = n.hide(string(text))
	return r
}

// TestSiteIsolation_hotels asks every route of a site, in every way, about what exists at another hotel and about what
// exists nowhere. The answers are the same, nothing of the other hotel is in them, and nothing of it has changed.
func TestSiteIsolation_hotels(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	there := system.Usual()
	there.Hotel = demo.HeratGarden
	victims := map[string]*system.Visitor{
		"paying":    s.Visit(demo.HeratGarden).Book(there, "card"),
		"confirmed": s.Visit(demo.HeratGarden).Book(there, "card"),
	}
	done := victims["confirmed"]
	done.Press("pay")
	if a := done.Return(); a.Status != http.StatusOK {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	intruder := s.Visit(demo.KabulGrand).RequestQuote(system.Usual())
	atHome := s.Browser().AtHome(demo.KabulGrand)
	atHome.Must(http.StatusOK, http.MethodGet, "/bootstrap", nil)
	atHome.RequestQuote(system.Usual())
	for _, v := range victims {
		covers(t, attempts(v))
	}
	s.Quiet()
	before := rowsOf(t, s, demo.HeratGarden.Tenant)
	var asked, leaks int
	for state, victim := range victims {
		token := mint(t, s, demo.HeratGarden)
		target := names{
			victim.Hotel.Property.String(), victim.Hotel.Rooms[0].ID.String(), victim.Hotel.Rooms[0].Flexible.ID.String(), victim.DraftID,
			victim.QuoteID, victim.ReservationID, token, or(victim.ViewToken, done.ViewToken), "",
		}
		for name, how := range impersonations(intruder, atHome, victim) {
			n, found := checkImpersonation(t, s, state+"/"+name, how, intruder, atHome, victim, target)
			asked, leaks = asked+n, leaks+found
		}
	}
	s.Quiet()
	t.Logf("asked %d times, %d leaks", asked, leaks)
	if changed := differing(before, rowsOf(t, s, demo.HeratGarden.Tenant)); len(changed) > 0 {
		t.Errorf("changed at the other hotel: %v", changed)
	}
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// covers fails the test unless every route of the service is tried.
func covers(t *testing.T, all map[string][]func(names) system.Request) {
	t.Helper()
	for _, f := range melmastoon.Functions {
		method, path, _ := strings.Cut(f.Spec.Route, " ")
		if rest, ours := strings.CutPrefix(path, tenantbooking.Base); ours && all[method+" "+rest] == nil {
			t.Errorf("nobody tries %s", f.Spec.Route)
		}
	}
}

// checkImpersonation sends every attempt as an impersonation, with the names of the victim and with unknown names, and compares the answers.
func checkImpersonation(t *testing.T, s *system.System, name string, how impersonation, intruder, atHome, victim *system.Visitor, target names) (asked, leaks int) {
	t.Helper()
	who := intruder
	if strings.Contains(how.base, "/api") {
		who = atHome
	}
	outsider := &system.Visitor{Browser: s.Browser().Forgetful(), Hotel: intruder.Hotel, Base: how.base}
	unknown := unknownNames(target.Token)
	secrets := []string{victim.Session(), victim.Code, victim.IntentID, "Zarghona"}
	for _, route := range slices.Sorted(maps.Keys(attempts(who))) {
		for i, try := range attempts(who)[route] {
			if !how.own && (public(route) || strings.Contains(try(target).Path, "?t=")) {
				continue // public, or readable with the link
			}
			existing, missing := sendAs(t, outsider, how, try(target)), sendAs(t, outsider, how, try(unknown))
			asked += 2
			a, b := replyTo(existing, target), replyTo(missing, unknown)
			if fmt.Sprint(a) != fmt.Sprint(b) {
				leaks++
				t.Errorf("%s: %s (%d) tells what exists:\n got %+v\nwant %+v", name, route, i, a, b)
			}
			if existing.Status < 400 && !public(route) && route != "PATCH /session" || existing.Status >= 500 {
				leaks++
				t.Errorf("%s: %s (%d) answered %d %s", name, route, i, existing.Status, existing.Body)
			}
			if all := fmt.Sprint(existing.Header, target.hide(string(existing.Body))); slices.ContainsFunc(secrets, func(s string) bool { return s != "" && strings.Contains(all, s) }) {
				leaks++
				t.Errorf("%s: %s (%d) has a secret in it: %s", name, route, i, all)
			}
		}
	}
	return asked, leaks
}

// public reports whether a route answers all callers alike, or starts a visit.
func public(route string) bool {
	return slices.Contains([]string{"GET /policies", "GET /properties", "GET /bootstrap", "POST /handoff/consume"}, route)
}

func sendAs(t *testing.T, outsider *system.Visitor, how impersonation, r system.Request) system.Answer {
	t.Helper()
	r.Header = how.header
	return check.Got(outsider.Go(t.Context(), r)).Must(t, "%s %s", r.Method, r.Path)
}

// rowsOf are digests of what the database has of a hotel.
func rowsOf(t *testing.T, s *system.System, tenant id.Tenant) map[string]string {
	t.Helper()
	conn, found := s.DB.Owner(t), map[string]string{}
	for _, table := range []string{"bff_tenant_booking.booking_drafts", "bff_tenant_booking.booking_draft_snapshots", "bff_tenant_booking.handoff_arrival_log",
		"bff_tenant_booking.confirmation_views", "reservation.reservations", "reservation.holds", "reservation.guests", "reservation.outbox", "reservation.quotes"} {
		var digest string
		sql := `SELECT coalesce(md5(string_agg(t::text, chr(10) ORDER BY t::text)), '') FROM ` + table + ` AS t WHERE tenant_id = $1`
		if err := conn.QueryRow(t.Context(), sql, tenant).Scan(&digest); err != nil {
			t.Fatal(table, err)
		}
		found[table] = digest
	}
	return found
}

// mint makes a handoff to the hotel.
func mint(t *testing.T, s *system.System, h demo.Hotel) string {
	t.Helper()
	return check.Got(invite(s, h)).Must(t)
}

func invite(s *system.System, h demo.Hotel) (string, error) {
	keys, err := secrets.Handoff(s.Env())
	if err != nil {
		return "", err
	}
	day := stay.DateOf(s.Env().Now()).AddDays(7)
	_, token, err := keys.Mint(handoff.Handoff{
		GuestSession: id.New[id.GuestSession](), Tenant: h.Tenant, Property: h.Property,
		Dates: handoff.Dates{CheckIn: day, CheckOut: day.AddDays(2)}, Occupancy: handoff.Occupancy{Adults: 2, Rooms: 1},
		Currency: money.USD, Locale: locale.Dari,
	}, s.Env().Now())
	return token.Reveal(), err
}
