package canaries

import (
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"melmastoon.ghasi.io"
	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/test/system"
)

// wildcard is a part of a route's path that the caller chooses.
var wildcard = regexp.MustCompile(`\{(\w+)\}`)

// wildcards returns the inputs in the path of a route, as "GET /path path name".
func wildcards(f fn.Function) (found []string) {
	for _, m := range wildcard.FindAllStringSubmatch(f.Spec.Route, -1) {
		found = append(found, f.Spec.Route+" path "+m[1])
	}
	return found
}

// samples are well-formed values of the wildcards.
var samples = map[string]string{
	"tenantSlug": demo.KabulGrand.Slug, "slug": demo.KabulGrand.Slug, "ref": demo.KabulGrand.Slug,
	"tenantId": demo.KabulGrand.Tenant.String(), "propertyId": demo.KabulGrand.Property.String(),
	"id": "rsv_01J00000000000000000000000", "reservationId": "rsv_01J00000000000000000000000", "draftId": "bdr_01J00000000000000000000000",
	"intentId": "pin_01J00000000000000000000000", "ratePlanId": "rpl_01J00000000000000000000000", "roomId": "rom_01J00000000000000000000000",
	"sessionId": "gst_01J00000000000000000000000",
}

// everyRouteJourney types into each wildcard and each documented header of every route, one at a time.
func everyRouteJourney(t *testing.T, s *system.System, a *canarySet, w *scanner, all map[string]bool) {
	t.Helper()
	for _, f := range melmastoon.Functions {
		method, pattern, ok := strings.Cut(f.Spec.Route, " ")
		if !ok {
			continue
		}
		send := func(path string, header map[string]string) {
			r := system.Request{Method: method, Path: path, Header: map[string]string{"X-Tenant-Id": demo.KabulGrand.Tenant.String()}, Key: system.Key()}
			maps.Copy(r.Header, header)
			if method == http.MethodPost || method == http.MethodPut || method == http.MethodPatch {
				r.Body = map[string]any{}
			}
			answer := check.Got(s.Do(t.Context(), r)).Must(t, "%s", f.Spec.Route)
			if answer.Status >= 500 || answer.Status == http.StatusTooManyRequests {
				t.Errorf("%s %s answered %d %.300s", method, path, answer.Status, answer.Body)
			}
			recordInputs(a, f.Spec.Route, r, all)
			w.scanRefusal(f.Spec.Route, answer)
		}
		fill := func(chosen, text string) string {
			return wildcard.ReplaceAllStringFunc(pattern, func(m string) string {
				if name := m[1 : len(m)-1]; name != chosen {
					return samples[name]
				}
				return url.PathEscape(text)
			})
		}
		for _, input := range wildcards(f) {
			name := input[strings.LastIndex(input, " ")+1:]
			if samples[name] == "" {
				t.Errorf("%s has no sample", input)
			}
			for _, text := range []string{a.letters(input), a.everything(input)} {
				send(fill(name, text), nil)
				all[input] = true
			}
		}
		for _, input := range append(headers(t, f), f.Spec.Route+" header Tracestate", f.Spec.Route+" header Baggage", f.Spec.Route+" header X-Request-Id") {
			name := input[strings.LastIndex(input, " ")+1:]
			for _, text := range []string{a.letters(input), a.everything(input)} {
				send(fill("", ""), map[string]string{name: text})
			}
		}
	}
}
