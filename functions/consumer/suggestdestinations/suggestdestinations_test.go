package suggestdestinations

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/consumer/consumertest"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
	"melmastoon.ghasi.io/shared/testkit/upstreamtest"
)

func suggest(t *testing.T, v *consumertest.Traveller, text string) (got Response, a fntest.Answer) {
	t.Helper()
	a = v.Must(200, "GET", "/destinations?q="+url.QueryEscape(text), nil)
	a.Into(t, &got)
	return got, a
}

func TestSuggestDestinations(t *testing.T) {
	t.Parallel()
	system := consumertest.OpenSystem(t, 3, Function)
	v := system.Traveller("Accept-Language", "ps")
	got, _ := suggest(t, v, "Kab")
	check.MustEqual(t, len(got.Destinations), 1)
	d := got.Destinations[0]
	check.Equal(t, d.City, "Kabul")
	check.Equal(t, d.Country, "AF")
	check.Equal(t, d.Name.Display, "کابل")
	check.Equal(t, d.Hotels, 3)
	english, a := suggest(t, system.Traveller("Accept-Language", "en"), "  kab ")
	check.Equal(t, english.Destinations[0].Name.Display, "Kabul")
	check.Equal(t, a.Header.Get("X-Cache"), "HIT")
	check.Equal(t, system.Calls("destinations"), 1)
	if none, _ := suggest(t, v, "Paris"); none.Destinations == nil || len(none.Destinations) != 0 {
		t.Errorf("none.Destinations = %+v, want an empty list", none.Destinations)
	}
}

func TestSuggestDestinations_invalid(t *testing.T) {
	t.Parallel()
	system := consumertest.OpenSystem(t, 1, Function)
	v := system.Traveller()
	for _, query := range []string{"", "?q=", "?q=%20", "?q=" + strings.Repeat("k", 81), "?q=a%00b", "?q=a&q=b"} {
		t.Run(fmt.Sprintf("%q", query), func(t *testing.T) {
			a := v.Must(400, "GET", "/destinations"+query, nil)
			if wrong := a.Problem().Violations; len(wrong) != 1 || wrong[0].Pointer != "/q" {
				t.Errorf("%q: violations %+v, want one of /q", query, wrong)
			}
		})
	}
	check.Equal(t, system.Calls("destinations"), 0, "calls of the search service")
}

func TestSuggestDestinations_searchServiceDown(t *testing.T) {
	t.Parallel()
	system := consumertest.OpenSystem(t, 1, Function)
	v := system.Traveller()
	suggest(t, v, "kab")
	for name, behavior := range map[string]upstreamtest.Behavior{"failing": upstreamtest.Failing, "garbled": upstreamtest.Garbled, "garbage": upstreamtest.Garbage} {
		t.Run(name, func(t *testing.T) {
			system.SetBehavior("destinations", behavior)
			check.Equal(t, v.Must(503, "GET", "/destinations?q="+name, nil).Code(), "BFF.UPSTREAM_UNAVAILABLE")
		})
	}
	system.DB.Advance(6 * time.Minute)
	if got, a := suggest(t, v, "kab"); len(got.Destinations) != 1 || a.Header.Get("X-Cache") != "STALE" {
		t.Errorf("later: %d suggestions, X-Cache %s; want the old one, STALE", len(got.Destinations), a.Header.Get("X-Cache"))
	}
	system.SetBehavior("destinations", upstreamtest.Hanging)
	var status int
	took, stalled := fntest.Timed(func() { status = v.Send("GET", "/destinations?q=hanging", nil).Status })
	if status != 503 && status != 504 {
		t.Errorf("hanging: status = %d, want 503 or 504", status)
	}
	if limit := system.Env.Timeout(Function.Spec.Timeout); took > limit {
		t.Errorf("hanging: took %v of %v, and the machine %v more", took, limit, stalled)
	}
}
