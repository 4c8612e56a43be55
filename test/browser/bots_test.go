package browser

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
)

// visitScript is a visit of the consumer site by a page's script: a list, a map, all hotels of the list at once, wishes, telemetry and
// a handoff. It returns the statuses of all answers.
const visitScript = `(async () => {
	const statuses = []
	const call = async (method, path, body) => {
		const answer = await fetch("/bff/consumer/v1" + path, {method, body: body && JSON.stringify(body),
			headers: method === "GET" ? {} : {"Content-Type": "application/json", "Idempotency-Key": crypto.randomUUID()}})
		const text = await answer.text()
		statuses.push(method + " " + path.split("/")[1] + " " + answer.status)
		return text.startsWith("{") ? JSON.parse(text) : {}
	}
	const stay = {dates: {checkIn: %[1]q, checkOut: %[2]q}, occupancy: {adults: 2, children: 0, rooms: 1}}
	const hotel = %[3]q, tenant = %[4]q
	await call("GET", "/session")
	await call("POST", "/telemetry/page-view", {path: "/"})
	const list = await call("POST", "/search", {geo: {mode: "region", region: "Afghanistan"}, ...stay})
	await call("POST", "/search/map", {geo: {mode: "bounding-box", boundingBox: {swLat: 34, swLng: 68, neLat: 36, neLng: 70}}, ...stay})
	await Promise.all((list.results ?? []).slice(0, 6).map(found => call("GET", "/hotels/" + found.propertyId)))
	await call("GET", "/hotels/" + hotel + "?source=search-list")
	await call("GET", "/hotels/" + hotel + "/availability?adults=2&checkIn=" + stay.dates.checkIn + "&checkOut=" + stay.dates.checkOut)
	await call("PATCH", "/session", {currency: "USD"})
	await call("POST", "/wishlist", {propertyId: hotel, source: "detail"})
	await call("GET", "/wishlist")
	await call("DELETE", "/wishlist/" + hotel)
	await call("POST", "/handoff/" + tenant + "/" + hotel, stay)
	return statuses
})()`

// TestBots_chromium visits the consumer site with Chromium. With its ordinary user agent it is human in the whole visit; the user
// agent of a headless one makes it a suspect, which is answered too.
func TestBots_chromium(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it starts a browser")
	}
	for _, test := range []struct {
		name, agent string
		suspects    bool
	}{
		{"ordinary", "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/148.0.0.0 Safari/537.36", false},
		{"headless", "", true},
	} {
		t.Run(test.name, func(t *testing.T) { // one after the other: a browser takes all of a small machine
			var options []chromedp.ExecAllocatorOption
			if test.agent != "" {
				options = append(options, chromedp.UserAgent(test.agent))
			}
			g := openEdge(t, options...)
			g.system.SetBotRules(`{}`) // those of production
			g.do("open the site", chromedp.Navigate("https://"+sharedHost+"/"))
			if agent := ask(g, chromedp.Evaluate[string]("navigator.userAgent")); strings.Contains(agent, "Headless") != test.suspects {
				t.Fatalf("the browser's user agent is %q", agent)
			}
			day := func(from int) string { return g.system.Env().Now().AddDate(0, 0, from).Format(time.DateOnly) }
			visit := fmt.Sprintf(visitScript, day(14), day(16), demo.KabulGrand.Property.String(), demo.KabulGrand.Tenant.String())
			statuses := ask(g, chromedp.Evaluate[[]string](visit, chromedp.EvalAwaitPromise))
			if len(statuses) < 12 {
				t.Errorf("answers = %v, want at least 12", statuses)
			}
			for _, status := range statuses {
				if !strings.Contains(status, " 2") {
					t.Errorf("%s, want a success", status)
				}
			}
			rows, err := g.system.DB.Owner(t).Query(t.Context(), `SELECT verdict || ' ' || signals::text FROM bff_consumer.bot_scores`)
			if err != nil {
				t.Fatal(err)
			}
			scores, err := pgx.CollectRows(rows, pgx.RowTo[string])
			if err != nil {
				t.Fatal(err)
			}
			if (len(scores) > 0) != test.suspects {
				t.Errorf("scores = %v, want some: %t", scores, test.suspects)
			}
			for _, score := range scores {
				if !strings.HasPrefix(score, "suspect ") || !strings.Contains(score, "headless browser") {
					t.Errorf("score = %s, want a suspect because of its user agent", score)
				}
			}
			g.system.Settle()
		})
	}
}
