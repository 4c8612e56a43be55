package canaries

import (
	"encoding"
	"reflect"
	"slices"
	"strings"
	"testing"

	"melmastoon.ghasi.io"
	"melmastoon.ghasi.io/shared/freetext"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// unscrubbed lists the inputs that accept free text and do not scrub it, each with the reason. A star stands for any beginning or end.
// An input is scrubbed if its type removes contact data while it is decoded.
var unscrubbed = map[string]string{
	"PUT /api/v1/reservations/{id}/guest json firstName":                                 guestRecord,
	"PUT /api/v1/reservations/{id}/guest json lastName":                                  guestRecord,
	"PUT /api/v1/reservations/{id}/guest json email":                                     guestRecord,
	"PUT /api/v1/reservations/{id}/guest json phone":                                     guestRecord,
	"POST /api/v1/reservations/walk-ins json guest firstName":                            guestRecord,
	"POST /api/v1/reservations/walk-ins json guest lastName":                             guestRecord,
	"POST /api/v1/reservations/walk-ins json guest email":                                guestRecord,
	"POST /api/v1/reservations/walk-ins json guest phone":                                guestRecord,
	"POST /api/v1/reservations/quotes json promoCode":                                    promoCode,
	"POST /api/v1/reservations/holds json quota address":                                 "a pseudonym: only digits, small letters and colons are accepted",
	"GET /api/v1/reservations query code":                                                compared,
	"GET /api/v1/reservations query q":                                                   compared,
	"PATCH /api/v1/reservations/{id} json type":                                          listed,
	"PATCH /api/v1/reservations/{id} json state":                                         listed,
	"PATCH " + tenantSite + "/draft/{draftId} json guest *":                              redisplayed,
	"POST " + tenantSite + "/quote json promoCode":                                       promoCode,
	"POST " + tenantSite + "/draft/{draftId}/return query r":                             compared,
	"POST " + tenantSite + "/confirmation/{reservationId}/cancel query t":                compared,
	"POST " + tenantSite + "/confirmation/{reservationId}/payment query *":               compared,
	"GET " + tenantSite + "/confirmation/{reservationId} query t":                        compared,
	"PATCH " + tenantSite + "/confirmation/{reservationId} query t":                      compared,
	"PATCH " + tenantSite + "/confirmation/{reservationId} json guest *":                 guestRecord,
	"PATCH " + tenantSite + "/confirmation/{reservationId} json specialRequest tags":     listed,
	"PATCH " + tenantSite + "/confirmation/{reservationId} json specialRequest freeText": "relayed to the reservation service, which scrubs it",
	"POST " + consumerSite + "/wishlist json note":                                       "the visitor's own words beside a wish are shown to that visitor only",
	"POST " + consumerSite + "/telemetry/page-view json path":                            redacted,
	"POST " + consumerSite + "/telemetry/page-view json referer":                         redacted,
	"POST " + consumerSite + "/search json geo *":                                        placeName,
	"POST " + consumerSite + "/search json filters *":                                    listed,
	"POST " + consumerSite + "/search/map json geo *":                                    placeName,
	"POST " + consumerSite + "/search/map json filters *":                                listed,
	"GET " + consumerSite + "/destinations query q":                                      placeName,
	"event melmastoon.iam.session.revoked.v1 json sessionId":                             compared,
	"event melmastoon.bff.tenant.flow.error_encountered.v1 json *":                       compared,
	"event melmastoon.search_aggregation.listing.indexed.v1 json geoCell":                "the index of a map cell, of which the consumer makes the name of an epoch",
	"event melmastoon.reservation.modified.v1 json refundOrChargeRequest *":              compared,
	"GET /site*":        relayed,
	"POST /site*":       relayed,
	"GET /hotels*":      relayed,
	"POST /hotels*":     relayed,
	"GET /desk*":        relayed,
	"POST /desk*":       relayed,
	"GET /docs query *": "the name of a page of the documentation; an unknown one is not found",
	"GET /sandbox/tenant/v1/tenants/{ref} path ref":              compared,
	"PATCH /sandbox/tenant/v1/tenants/{tenantId}/config json *":  hotelName,
	"GET /sandbox/pricing/v1/cheapest query promoCode":           compared,
	"POST /sandbox/pricing/v1/quotes json promoCode":             compared,
	"GET /sandbox/search/v1/destinations query q":                compared,
	"POST /sandbox/search/v1/searches json *":                    compared,
	"POST /sandbox/search/v1/pins json *":                        compared,
	"POST /sandbox/theme/v1/tenants/{tenantId}/theme/publish *":  listed,
	"POST /sandbox/payment/v1/intents json returnUrl":            "a payment provider sends the guest back to the URL as it was given",
	"POST /sandbox/payment/v1/authentications form clientSecret": compared,
	"POST /sandbox/iam/v1/staff-tokens json subject":             listed,
	"POST /sandbox/challenge/v1/verifications json response":     compared,
}

const (
	promoCode = "rejected if it contains contact data or hidden characters"
	compared  = "compared with known values and not stored"
	listed    = "only listed values or codes are accepted"
	redacted  = "stored without its query and without segments that are neither words nor ids"
	placeName = "compared with names of places; events and caches contain the search service's name only"
	relayed   = "a demo site sends it to the API of a service, which decides"
)

// TestFreeText_decisions requires a decision for each input that accepts free text: it is scrubbed by its type, or it is in the list.
func TestFreeText_decisions(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	known, scrubbed := 0, 0
	for _, f := range melmastoon.Functions {
		for input, in := range texts(newCanarySet(), f) {
			known++
			if scrubs(in) {
				scrubbed++
				continue
			}
			found := false
			for pattern := range unscrubbed {
				if like(pattern, input) {
					found, used[pattern] = true, true
				}
			}
			if !found {
				t.Errorf("%s accepts contact data: use freetext.Text, or give a reason in unscrubbed", input)
			}
		}
	}
	for pattern := range unscrubbed {
		if !used[pattern] {
			t.Errorf("no unscrubbed input is like %s: take it off the list", pattern)
		}
	}
	if known < 100 || scrubbed < 10 {
		t.Errorf("%d inputs, %d of them scrubbed: too few were found", known, scrubbed)
	}
}

// texts returns the inputs of a function that accept free text, with their types.
func texts(a *canarySet, f fn.Function) map[string]reflect.Type {
	found := map[string]reflect.Type{}
	where := f.Spec.Route
	if where == "" {
		if f.Spec.Subject == "" {
			return nil
		}
		where = "event " + f.Spec.Subject
	}
	for field := range f.In.Fields() {
		for _, source := range []string{"query", "form", "header", "path"} {
			if tag, ok := field.Tag.Lookup(source); ok && takesText(a, inner(field.Type)) {
				name, _, _ := strings.Cut(tag, ",")
				found[where+" "+source+" "+name] = inner(field.Type)
			}
		}
	}
	members(a, where+" json", f.In, 0, func(at string, in reflect.Type) { found[at] = in })
	return found
}

// scrubs reports whether decoding a value of the type removes or rejects contact data and hidden characters.
func scrubs(in reflect.Type) bool {
	return !slices.ContainsFunc([]string{"z@example.com", "call +93 70 012 3456", "4111 1111 1111 1111", "a\u202eb"}, func(text string) bool {
		value := reflect.New(in)
		u, reads := reflect.TypeAssert[encoding.TextUnmarshaler](value)
		if !reads {
			return true
		}
		return u.UnmarshalText([]byte(text)) == nil && value.Elem().String() == text
	})
}

func TestScrubs(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		in   reflect.Type
		want bool
	}{
		{"string", reflect.TypeFor[string](), false},
		{"text", reflect.TypeFor[freetext.Text](), true},
		{"careless", reflect.TypeFor[careless](), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			check.Equal(t, scrubs(test.in), test.want, "scrubs(%s)", test.in)
		})
	}
}

// careless is a text that keeps what it decodes.
type careless string

// UnmarshalText implements encoding.TextUnmarshaler.
func (c *careless) UnmarshalText(text []byte) error {
	*c = careless(text)
	return nil
}
