package consumer_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"melmastoon.ghasi.io/functions/consumer/consumertest"
	"melmastoon.ghasi.io/functions/consumer/internal/session"
	"melmastoon.ghasi.io/functions/consumer/readsession"
	"melmastoon.ghasi.io/functions/consumer/recordclick"
	"melmastoon.ghasi.io/functions/consumer/search"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// visitor returns a traveller with a session.
func visitor(t *testing.T, site *consumertest.Site, headers ...string) *consumertest.Traveller {
	t.Helper()
	v := site.Traveller(headers...)
	v.Must(200, "GET", "/session", nil)
	return v
}

func TestClick_unknownHotel(t *testing.T) {
	t.Parallel()
	db, hotels := pgtest.New(t), consumertest.OpenFakeHotels(t)
	site := consumertest.OpenOn(t, db, hotels.Around(db.Env()), recordclick.Function, readsession.Function)
	v := visitor(t, site)
	on := func(tenant id.Tenant, hotel id.Property) string {
		return `{"kind":"listing-card","tenantId":"` + tenant.String() + `","propertyId":"` + hotel.String() + `"}`
	}
	for name, body := range map[string]string{
		"unknown hotel":           on(hotels.Tenant, hotels.Missing),
		"hotel of another tenant": on(id.New[id.Tenant](), id.New[id.Property]()),
	} {
		t.Run(name, func(t *testing.T) {
			a := v.Send("POST", "/telemetry/click", body)
			a.WantProblem(t, http.StatusNotFound, "GENERAL.RESOURCE_NOT_FOUND")
		})
	}
	site.CheckPublished("click.recorded", 0)
}

// The clicks of one session on a hotel count once in an hour, whatever their kinds.
func TestClick_oncePerSessionAndHotel(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	v, other := visitor(t, site), visitor(t, site)
	one := clickBody(``)
	var group errgroup.Group
	for _, kind := range []string{"listing-card", "map-pin", "similar-property", "wishlist-card", "brand-peek"} {
		for range 4 {
			group.Go(func() error {
				if a := v.Send("POST", "/telemetry/click", strings.Replace(one, "listing-card", kind, 1)); a.Status != http.StatusAccepted {
					return fmt.Errorf("%d %s", a.Status, a.Body)
				}
				return nil
			})
		}
	}
	check.Must(t, group.Wait())
	site.CheckPublished("click.recorded", 1)
	other.Must(202, "POST", "/telemetry/click", one)
	site.CheckPublished("click.recorded", 2)
	v.Must(202, "POST", "/telemetry/click", clickBody(``))
	site.CheckPublished("click.recorded", 3)
	site.DB.Advance(59 * time.Minute)
	v.Must(202, "POST", "/telemetry/click", one)
	site.CheckPublished("click.recorded", 3)
	site.DB.Advance(2 * time.Minute)
	v.Must(202, "POST", "/telemetry/click", one)
	site.CheckPublished("click.recorded", 4)
}

// Clicks of many sessions at one address on one hotel count ten times in an hour.
func TestClick_fewPerAddressAndHotel(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	one, two := clickBody(``), clickBody(``)
	var group errgroup.Group
	group.SetLimit(4)
	for range 15 {
		v := visitor(t, site)
		for _, body := range []string{one, two} {
			group.Go(func() error {
				if a := v.Send("POST", "/telemetry/click", body); a.Status != http.StatusAccepted {
					return fmt.Errorf("%d %s", a.Status, a.Body)
				}
				return nil
			})
		}
	}
	check.Must(t, group.Wait())
	site.CheckPublished("click.recorded", 2*10)
	site.DB.Advance(time.Hour)
	visitor(t, site).Must(202, "POST", "/telemetry/click", one)
	site.CheckPublished("click.recorded", 2*10+1)
}

func TestClick_withoutAVisitor(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	for name, v := range map[string]*consumertest.Traveller{
		"new session":      site.Traveller(),
		"program":          visitor(t, site, "User-Agent", "curl/8"),
		"crawler":          visitor(t, site, "User-Agent", "Mozilla/5.0 (compatible; Googlebot/2.1)"),
		"curl as an app":   visitor(t, site, "User-Agent", "curl/8", "X-Client-Surface", "mobile-consumer"),
		"script as an app": visitor(t, site, "User-Agent", "python-requests/2.32", "X-Client-Surface", "mobile-consumer"),
		"headless browser": visitor(t, site, "User-Agent", "Mozilla/5.0 (X11) HeadlessChrome/140.0"),
	} {
		t.Run(name, func(t *testing.T) {
			v.Must(202, "POST", "/telemetry/click", clickBody(``))
			for _, published := range site.Published() {
				check.MustNotEqual(t, published, "click.recorded", "click counted")
			}
		})
	}
}

func TestClick_searchSession(t *testing.T) {
	t.Parallel()
	m := consumertest.OpenSystem(t, 3, search.Function, recordclick.Function, readsession.Function)
	v, other := visitor(t, m.Site), visitor(t, m.Site)
	found := fntest.Read[search.Response](t, v.Must(200, "POST", "/search", m.SearchBody()))
	hotel := found.Results[0]
	on := func(kind string) string {
		return `{"kind":"` + kind + `","tenantId":"` + hotel.Tenant.String() + `","propertyId":"` + hotel.Property.String() + `","searchSessionId":"` + found.Search.String() + `"}`
	}
	published := func() *id.SearchSession {
		var clicked struct {
			Search *id.SearchSession `json:"searchSessionId"`
		}
		m.Payload("click.recorded", &clicked)
		return clicked.Search
	}
	v.Must(202, "POST", "/telemetry/click", on("listing-card"))
	got := published()
	check.MustNotEqual(t, got, nil)
	check.Equal(t, *got, found.Search)
	other.Must(202, "POST", "/telemetry/click", on("listing-card"))
	check.Equal(t, published(), nil, "sessions in another visitor's click")
	m.DB.Advance(time.Hour + time.Second)
	v.Must(202, "POST", "/telemetry/click", on("map-pin"))
	check.Equal(t, published(), nil, "sessions in a click an hour later")
	m.CheckPublished("click.recorded", 3)
	check.Equal(t, session.Sampling[session.ClickRecordedV1.Name].Always, true, "configuration can leave out clicks")
}
