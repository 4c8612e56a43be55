package canaries

import (
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/test/system"
)

const site = "/site/{slug}"

// dates are the date fields of the sites, with those of the solar calendar.
var dates = []string{"checkIn", "checkInDay", "checkInMonth", "checkInYear", "checkOut", "checkOutDay", "checkOutMonth", "checkOutYear"}

// version is what the form of a booking says that its guest has seen.
var version = regexp.MustCompile(`name="version" value="(\d+)"`)

// hotelSiteJourney books on the pages of a hotel's site, with nothing but forms.
func hotelSiteJourney(t *testing.T, s *system.System, a *canarySet, w *scanner, all map[string]bool) {
	t.Helper()
	p := &visitor{Visitor: s.Browser().At(demo.HeratGarden), t: t, canaries: a, scanner: w, typed: all}
	p.Base = s.Cloud.URL() + "/site/" + demo.HeratGarden.Slug
	key := func(route string) string { return system.Key() + a.letters(route+" form once") }
	asked := url.Values{}
	for _, name := range append([]string{"propertyId", "adults", "children", "rooms", "problem", "notice", "h", "utm_source", "utm_medium", "utm_campaign"}, dates...) {
		asked.Set(name, p.text("GET "+site+" query "+name))
	}
	p.send("GET", site, "?"+asked.Encode(), nil)
	p.must(http.StatusOK, "GET", site, "", nil)
	wish := system.Usual()
	wish.Hotel = demo.HeratGarden
	room, stay := wish.Hotel.Rooms[0], p.QuoteBody(wish)["stayWindow"].(map[string]any)
	choice := url.Values{"propertyId": {wish.Hotel.Property.String()}, "roomTypeId": {room.ID.String()}, "ratePlanId": {room.Flexible.ID.String()},
		"checkIn": {stay["checkIn"].(string)}, "checkOut": {stay["checkOut"].(string)}, "adults": {"2"}, "children": {"0"}, "rooms": {"1"}}
	form := func(v url.Values, name, text string) string {
		v.Set(name, text)
		return v.Encode()
	}
	seen := url.Values{}
	maps.Copy(seen, choice)
	seen.Set("seen", p.text("POST "+site+"/choices form seen"))
	details := "POST " + site + "/choices form "
	for name, text := range map[string]string{"firstName": a.name(details + "firstName"), "lastName": a.name(details + "lastName"), "email": a.email(details + "email"),
		"phone": a.phone(details + "phone"), "specialRequests": p.text(details + "specialRequests")} {
		choice.Set(name, text)
	}
	p.send("POST", site+"/choices", "/choices", form(seen, "once", key("POST "+site+"/choices")))
	chosen := p.must(http.StatusSeeOther, "POST", site+"/choices", "/choices", form(choice, "once", key("POST "+site+"/choices")))
	booking, _, _ := strings.Cut(chosen.Header.Get("Location"), "?")
	draft, found := strings.CutPrefix(booking, "/site/"+demo.HeratGarden.Slug+"/bookings/")
	if !found {
		t.Fatalf("choosing leads to %q", chosen.Header.Get("Location"))
	}
	at := "/bookings/" + draft
	p.send("GET", site+"/bookings/{draftId}", at+"?step="+url.QueryEscape(p.text("step"))+"&problem="+url.QueryEscape(p.text("problem")), nil)
	page := p.must(http.StatusOK, "GET", site+"/bookings/{draftId}", at, nil)
	shown := version.FindSubmatch(page.Body)
	if shown == nil {
		t.Fatalf("the booking's page has no form: %.500s", page.Body)
	}
	guest := func(email, country string, seen ...string) string {
		at := "POST " + site + "/bookings/{draftId}/guest form "
		return url.Values{"seen": seen, "version": {string(shown[1])}, "locale": {"en"}, "once": {key("POST " + site + "/bookings/{draftId}/guest")},
			"firstName": {a.name(at + "firstName")}, "lastName": {a.name(at + "lastName")}, "email": {email}, "phone": {a.phone(at + "phone")},
			"country": {country}, "specialRequests": {p.text(at + "specialRequests")}}.Encode()
	}
	p.send("POST", site+"/bookings/{draftId}/guest", at+"/guest", guest(p.text("a wrong address"), p.text("a wrong country"), p.text("seen")))
	p.must(http.StatusSeeOther, "POST", site+"/bookings/{draftId}/guest", at+"/guest", guest(a.email("POST "+site+"/bookings/{draftId}/guest form email"), "AF"))
	p.send("POST", site+"/bookings/{draftId}/payment", at+"/payment", url.Values{"method": {p.text("method")}, "once": {key("POST " + site + "/bookings/{draftId}/payment")}, "seen": {p.text("seen")}}.Encode())
	p.must(http.StatusSeeOther, "POST", site+"/bookings/{draftId}/payment", at+"/payment", url.Values{"method": {"cash_on_arrival"}, "once": {key("POST " + site + "/bookings/{draftId}/payment")}}.Encode())
	p.send("GET", site+"/return/{draftId}", "/return/"+draft+"?r="+url.QueryEscape(p.text("r")), nil)
	p.send("POST", site+"/return/{draftId}", "/return/"+draft+"?r="+url.QueryEscape(p.text("r")), "cardNumber="+url.QueryEscape(a.card("a posted card's number")))
	p.must(http.StatusSeeOther, "GET", site+"/return/{draftId}", "/return/"+draft, nil)
	p.send("GET", site+"/return/{draftId}", "/return/"+draft+"?problem="+url.QueryEscape(p.text("GET "+site+"/return/{draftId} query problem")), nil)
	p.send("GET", site+"/return/{draftId}", "/return/rsv_01J00000000000000000000000?"+url.Values{"t": {p.text("t")}, "r": {p.text("r")}}.Encode(), nil)
	const booked = "/confirmations/rsv_01J00000000000000000000000"
	p.send("GET", site+"/confirmations/{reservationId}", booked+"?"+url.Values{"t": {p.text("t")}, "notice": {p.text("notice")}, "problem": {p.text("problem")}}.Encode(), nil)
	cancellation := site + "/confirmations/{reservationId}/cancellation"
	p.send("GET", cancellation, booked+"/cancellation?"+url.Values{"t": {p.text("t")}, "problem": {p.text("problem")}}.Encode(), nil)
	p.send("POST", cancellation, booked+"/cancellation", url.Values{"t": {p.text("t")}, "penalty": {"0"}, "currency": {"AFN"}, "once": {key("POST " + cancellation)}}.Encode())
	balance := site + "/confirmations/{reservationId}/payment"
	p.send("POST", balance, booked+"/payment", url.Values{"t": {p.text("t")}, "method": {p.text("POST " + balance + " form method")}, "due": {"0"}, "currency": {"AFN"}, "once": {key("POST " + balance)}}.Encode())
	changes := site + "/confirmations/{reservationId}/changes"
	looked := url.Values{"t": {p.text("t")}, "problem": {p.text("problem")}}
	for _, name := range dates {
		looked.Set(name, p.text("GET "+changes+" query "+name))
	}
	p.send("GET", changes, booked+"/changes?"+looked.Encode(), nil)
	p.send("POST", changes, booked+"/changes", url.Values{"t": {p.text("t")}, "request": {p.text("POST " + changes + " form request")}, "once": {key("POST " + changes)}}.Encode())
	p.send("POST", changes, booked+"/changes", url.Values{"t": {p.text("t")}, "checkIn": {p.text("checkIn")}, "checkOut": {p.text("checkOut")}, "total": {"0"}, "currency": {"AFN"}, "once": {key("POST " + changes)}}.Encode())
	corrected := url.Values{"t": {p.text("t")}, "form": {"guest"}, "once": {key("POST " + changes)}, "locale": {"fa-AF"}, "country": {p.text("POST " + changes + " form country")}, "request": {p.text("request")}}
	for _, name := range []string{"firstName", "lastName", "email", "phone"} {
		corrected.Set(name, p.text("POST "+changes+" form "+name))
	}
	p.send("POST", changes, booked+"/changes", corrected.Encode())
	p.send("POST", changes, booked+"/changes", form(corrected, "form", p.text("POST "+changes+" form form")))
	p.send("POST", site+"/preferences", "/preferences", url.Values{"locale": {p.text("locale")}, "currency": {p.text("currency")}, "back": {p.text("back")}, "once": {key("POST " + site + "/preferences")}}.Encode())
	typed := url.Values{"locale": {"fa-AF"}, "currency": {"AFN"}, "back": {"/" + p.text("back")}, "once": {key("POST " + site + "/preferences")}, "draftId": {draft}}
	for _, name := range []string{"firstName", "lastName", "email", "phone", "specialRequests"} {
		typed.Set(name, p.text("POST "+site+"/preferences form "+name))
	}
	p.send("POST", site+"/preferences", "/preferences", typed.Encode())
	p.send("POST", site+"/bookings/{draftId}/leave", at+"/leave", url.Values{"once": {key("POST " + site + "/bookings/{draftId}/leave")}}.Encode())
}

const market = "/hotels"

// allHotelsSiteJourney searches a hotel on the pages of the site of all hotels, with nothing but forms.
func allHotelsSiteJourney(t *testing.T, s *system.System, a *canarySet, w *scanner, all map[string]bool) {
	t.Helper()
	p := &visitor{Visitor: s.Browser().AtAll(), t: t, canaries: a, scanner: w, typed: all}
	p.Base = s.Cloud.URL() + market
	asked := url.Values{}
	for _, name := range append([]string{"place", "city", "adults", "children", "rooms", "stars", "rating", "type", "price", "priceIn", "free", "wifi", "breakfast",
		"parking", "halal", "prayer", "generator", "sort", "view", "problem", "notice"}, dates...) {
		asked.Set(name, p.text("GET "+market+" query "+name))
	}
	p.must(http.StatusOK, "GET", market, "", nil)
	p.send("GET", market, "?"+asked.Encode(), nil)
	p.send("GET", market, "?response="+url.QueryEscape(p.text("GET "+market+" query response")), nil)
	p.send("GET", market, "?place="+url.QueryEscape(a.name("GET "+market+" query place")), nil)
	hotel := demo.HeratGarden
	asked = url.Values{}
	for _, name := range append([]string{"adults", "children", "rooms", "from", "problem", "notice"}, dates...) {
		asked.Set(name, p.text("GET "+market+"/{propertyId} query "+name))
	}
	p.send("GET", market+"/{propertyId}", "/"+hotel.Property.String()+"?"+asked.Encode(), nil)
	p.send("GET", market+"/{propertyId}", "/"+hotel.Property.String()+"?response="+url.QueryEscape(p.text("GET "+market+"/{propertyId} query response")), nil)
	p.must(http.StatusOK, "GET", market+"/{propertyId}", "/"+hotel.Property.String(), nil)
	form := url.Values{"tenantId": {hotel.Tenant.String()}}
	for _, name := range []string{"checkIn", "checkOut", "adults", "children", "rooms", "once", "response"} {
		form.Set(name, p.text("POST "+market+"/{propertyId}/handoff form "+name))
	}
	p.send("POST", market+"/{propertyId}/handoff", "/"+hotel.Property.String()+"/handoff", form.Encode())
	form = url.Values{"locale": {"fa-AF"}}
	saved := url.Values{}
	for _, name := range []string{"saved", "back", "once", "response"} {
		saved.Set(name, p.text("POST "+market+"/{propertyId}/saved form "+name))
	}
	p.send("POST", market+"/{propertyId}/saved", "/"+hotel.Property.String()+"/saved", saved.Encode())
	for _, name := range []string{"currency", "consents", "telemetry", "marketing", "back", "once", "response"} {
		form.Set(name, p.text("POST "+market+"/preferences form "+name))
	}
	p.send("POST", market+"/preferences", "/preferences", form.Encode())
	form.Set("clear", p.text("POST "+market+"/preferences form clear"))
	p.send("POST", market+"/preferences", "/preferences", form.Encode())
	p.Base = s.Cloud.URL()
	for _, name := range []string{"page", "file"} {
		p.send("GET", "/docs", "/docs?"+name+"="+url.QueryEscape(p.text("GET /docs query "+name)), nil)
	}
}

const consumerSite = "/bff/consumer/v1"

// consumerJourney looks around on the site of all hotels, and is sent on to one of them.
func consumerJourney(t *testing.T, s *system.System, a *canarySet, w *scanner, all map[string]bool) {
	t.Helper()
	p := &visitor{Visitor: s.Browser().AtAll(), t: t, canaries: a, scanner: w, typed: all}
	stay := s.Browser().At(demo.KabulGrand).QuoteBody(system.Usual())["stayWindow"]
	wish := map[string]any{"dates": stay, "occupancy": map[string]any{"adults": 2, "children": 0, "rooms": 1}}
	with := func(members ...any) map[string]any {
		body := map[string]any{"dates": wish["dates"], "occupancy": wish["occupancy"]}
		for i := 0; i < len(members); i += 2 {
			body[members[i].(string)] = members[i+1]
		}
		return body
	}
	p.must(http.StatusOK, "GET", consumerSite+"/session", "/session", nil)
	p.mustReject("PATCH", consumerSite+"/session", "/session", map[string]any{"locale": p.text("locale"), "currency": p.text("currency"), "consentTelemetry": p.text("consent")})
	for _, path := range []string{"/search", "/search/map"} {
		at := "POST " + consumerSite + path + " json "
		filters := map[string]any{"amenities": []string{p.text(at + "amenities")}, "propertyType": []string{p.text(at + "type")}, "neighbourhoods": []string{p.text(at + "neighbourhoods")},
			"cancellationFlexibility": p.text(at + "flexibility"), "priceRange": map[string]any{"min": 1, "max": 2, "currency": p.text(at + "currency")}}
		p.send("POST", consumerSite+path, path, with("geo", map[string]any{"mode": p.text(at + "mode"), "city": p.text(at + "city"), "region": p.text(at + "region")},
			"filters", filters, "sortKey", p.text(at+"sortKey")))
		p.send("POST", consumerSite+path, path, with("geo", map[string]any{"mode": "city", "city": a.name(at + "city")}))
		p.send("POST", consumerSite+path, path, with("geo", map[string]any{"mode": "city", "city": a.email(at + "city")}))
		p.send("POST", consumerSite+path, path, with("geo", map[string]any{"mode": "region", "region": a.name(at + "region")}))
		p.send("POST", consumerSite+path, path, with("geo", map[string]any{"mode": "bounding-box", "boundingBox": map[string]any{
			"swLat": a.degrees(at+"boundingBox", 34), "swLng": a.degrees(at+"boundingBox", 68), "neLat": a.degrees(at+"boundingBox", 35), "neLng": a.degrees(at+"boundingBox", 69)}}))
		for member, text := range map[string]any{"amenities": []string{a.letters(at + "filters amenities")}, "propertyType": []string{a.letters(at + "filters propertyType")}, "neighbourhoods": []string{a.letters(at + "filters neighbourhoods")}} {
			p.send("POST", consumerSite+path, path, with("geo", map[string]any{"mode": "city", "city": "Kabul"}, "filters", map[string]any{member: text}))
		}
	}
	here := "POST " + consumerSite + "/search json geo point"
	p.must(http.StatusOK, "POST", consumerSite+"/search", "/search", with("geo", map[string]any{"mode": "point", "point": map[string]any{
		"lat": a.degrees(here, 34), "lng": a.degrees(here, 69), "radiusKm": 100}}))
	hotel := demo.KabulGrand
	p.send("GET", consumerSite+"/hotels/{propertyId}", "/hotels/"+hotel.Property.String()+"?source="+url.QueryEscape(p.text("source"))+"&searchSessionId="+url.QueryEscape(p.text("search")), nil)
	p.must(http.StatusOK, "GET", consumerSite+"/hotels/{propertyId}", "/hotels/"+hotel.Property.String(), nil)
	p.mustReject("GET", consumerSite+"/hotels/{propertyId}/availability", "/hotels/"+hotel.Property.String()+"/availability?checkIn="+url.QueryEscape(p.text("checkIn")), nil)
	note := "POST " + consumerSite + "/wishlist json note"
	p.must(http.StatusCreated, "POST", consumerSite+"/wishlist", "/wishlist", map[string]any{"propertyId": hotel.Property.String(), "source": "detail", "note": p.text(note)})
	p.mustReject("POST", consumerSite+"/wishlist", "/wishlist", map[string]any{"propertyId": p.text("propertyId"), "source": p.text("source")})
	q := "GET " + consumerSite + "/destinations query q"
	p.must(http.StatusOK, "GET", consumerSite+"/destinations", "/destinations?q="+url.QueryEscape(a.name(q)), nil)
	p.must(http.StatusOK, "GET", consumerSite+"/destinations", "/destinations?q="+url.QueryEscape(a.email(q)), nil)
	p.must(http.StatusNoContent, "DELETE", consumerSite+"/wishlist/{propertyId}", "/wishlist/"+demo.HeratGarden.Property.String(), nil)
	p.mustReject("GET", consumerSite+"/wishlist", "/wishlist?expand="+url.QueryEscape(p.text("expand")), nil)
	p.mustReject("GET", consumerSite+"/session", "/session?expand="+url.QueryEscape(p.text("expand")), nil)
	p.must(http.StatusOK, "GET", consumerSite+"/wishlist", "/wishlist?expand=card", nil)
	p.must(http.StatusOK, "GET", consumerSite+"/session", "/session?expand=card", nil)
	view := "POST " + consumerSite + "/telemetry/page-view json "
	for _, path := range []string{"/hotels?mail=" + a.email(view+"path"), "/" + a.email(view+"path"), "/" + a.name(view+"path") + "/" + url.PathEscape(a.phone(view+"path")), "/x#" + a.card(view+"path")} {
		p.send("POST", consumerSite+"/telemetry/page-view", "/telemetry/page-view", map[string]any{"path": path, "referer": "https://mail.example/inbox/" + a.email(view+"referer") + "?to=" + a.email(view+"referer") + "#" + a.name(view+"referer")})
	}
	p.send("POST", consumerSite+"/telemetry/page-view", "/telemetry/page-view", map[string]any{"path": "/hotels", "referer": p.text(view + "referer")})
	p.send("POST", consumerSite+"/telemetry/click", "/telemetry/click", map[string]any{"kind": p.text("kind"), "tenantId": hotel.Tenant.String(), "propertyId": hotel.Property.String(), "sortKey": p.text("sortKey")})
	p.send("POST", consumerSite+"/telemetry/funnel", "/telemetry/funnel", map[string]any{"step": p.text("step"), "metadata": map[string]any{"sortKey": p.text("sortKey"), "source": p.text("source")}})
	handoff := consumerSite + "/handoff/{tenantId}/{propertyId}"
	path := "/handoff/" + hotel.Tenant.String() + "/" + hotel.Property.String()
	p.mustReject("POST", handoff, path, with("currency", p.text("currency"), "locale", p.text("locale")))
	var minted struct{ Token string }
	p.must(http.StatusCreated, "POST", handoff, path, with()).Into(t, &minted)
	arrived := &visitor{Visitor: p.At(hotel), t: t, canaries: a, scanner: w, typed: all}
	arrived.must(http.StatusOK, "GET", tenantSite+"/bootstrap", "/bootstrap?h="+url.QueryEscape(minted.Token)+"&utm_source="+url.QueryEscape(p.text("utm_source")), nil)
	stranger := &visitor{Visitor: s.Browser().At(hotel), t: t, canaries: a, scanner: w, typed: all}
	stranger.mustReject("GET", tenantSite+"/bootstrap", "/bootstrap?h="+url.QueryEscape(minted.Token), nil)
	other := &visitor{Visitor: s.Browser().AtAll(), t: t, canaries: a, scanner: w, typed: all}
	other.must(http.StatusOK, "GET", consumerSite+"/session", "/session", nil)
	other.must(http.StatusNoContent, "POST", consumerSite+"/session/clear", "/session/clear", nil)
}
