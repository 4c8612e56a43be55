package peers

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/uber/h3-go/v4"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/stay"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/test/seedrand"
	"melmastoon.ghasi.io/test/system"
)

// hotelTables lists the tables of the sandbox's hotels, in the order of their references.
var hotelTables = []string{"tenants", "properties", "room_types", "rate_plans", "weekday_rates", "theme_versions", "inventory_nights",
	"listings", "listing_rooms", "listing_rates"}

// copyRows copies the rows of a table. Each copy has ids of its own, stays in its city, and is up to half a degree away.
const copyRows = `
	INSERT INTO sandbox.%[1]s SELECT (jsonb_populate_record(t, (
		SELECT jsonb_object_agg(key, md5(value || n)) FROM jsonb_each_text(to_jsonb(t))
		WHERE key IN ('tenant_id', 'property_id', 'room_type_id', 'rate_plan_id', 'theme_version_id', 'theme_id', 'main_room_type')) || %[2]s)).*
	FROM bare.%[1]s AS t, generate_series(1, %[3]d) AS n`

// hotels fills the sandbox with so many hotels, most of them in the same cities, with rooms and prices on the nights of one stay.
func (h *fixture) hotels(b *testing.B, n int, from, until stay.Date) {
	b.Helper()
	named := check.Got(demo.Named()).Must(b)
	check.Must(b, demo.Furnish(b.Context(), h.env, named))
	h.exec(b, `CREATE SCHEMA bare`, `SET session_replication_role = replica`)
	h.forget(b, `DROP SCHEMA bare CASCADE`)
	for _, table := range hotelTables {
		condition, own := "", "'{}'"
		switch table {
		case "tenants":
			own = `jsonb_build_object('slug', t.slug || '-' || n)`
		case "properties":
			own = `jsonb_build_object('latitude', t.latitude + (n % 50) * 0.01, 'longitude', t.longitude + (n / 50) * 0.01)`
		case "listings":
			own = `jsonb_build_object('place', point(t.place[0] + (n / 50) * 0.01, t.place[1] + (n % 50) * 0.01)::text)`
		case "inventory_nights":
			condition = fmt.Sprintf(" WHERE night >= '%s' AND night < '%s'", from, until)
		}
		h.exec(b, fmt.Sprintf(`CREATE TABLE bare.%s AS SELECT * FROM sandbox.%[1]s`, table)+condition,
			fmt.Sprintf(copyRows, table, own, n/named))
	}
	h.cells(b)
	h.exec(b, `SET session_replication_role = origin`, `VACUUM ANALYZE`, `CHECKPOINT`)
}

// cells stores the H3 cell of each copied hotel's new place, as indexing does.
func (h *fixture) cells(b *testing.B) {
	b.Helper()
	var hotels []id.Property
	var cells []int64
	var hotel id.Property
	var lat, lng float64
	rows, _ := h.owner.Query(b.Context(), `SELECT property_id, place[1], place[0] FROM sandbox.listings`)
	_, err := pgx.ForEachRow(rows, []any{&hotel, &lat, &lng}, func() error {
		hotels, cells = append(hotels, hotel), append(cells, int64(h3.LatLngToCell(h3.NewLatLng(lat, lng), 10)))
		return nil
	})
	check.Must(b, err)
	_, err = h.owner.Exec(b.Context(), `
		UPDATE sandbox.listings AS l SET geo_cell = c.cell
		FROM unnest($1::uuid[], $2::bigint[]) AS c (property_id, cell)
		WHERE l.property_id = c.property_id`, hotels, cells)
	check.Must(b, err)
}

// BenchmarkSearch measures the 95th percentile of searches and maps among 10,000 hotels: of one search that is in the cache except once
// a minute, of searches that are not, and of maps. Each visitor has a session. The whole system runs in this process. A missed limit
// is in the table, and fails a full run.
func BenchmarkSearch(b *testing.B) {
	h := open(b, 16)
	from := stay.DateOf(h.env.Now()).AddDays(20)
	h.hotels(b, times(10_000), from, from.AddDays(3))
	s := system.On(b, h.Database)
	visitors := make([]*system.Visitor, 50)
	for i := range visitors {
		visitors[i] = s.Browser().AtAll()
		check.Got(expect(b.Context(), visitors[i], http.StatusOK, system.Request{Method: http.MethodGet, Path: "/session"})).Must(b)
	}
	var asked atomic.Int64
	ask := func(path string, body func(n int64) map[string]any) func(context.Context, int) error {
		return func(ctx context.Context, i int) error {
			members := body(asked.Add(1))
			members["dates"] = map[string]any{"checkIn": from, "checkOut": from.AddDays(3)}
			members["occupancy"] = map[string]any{"adults": 2, "children": 0, "rooms": 1}
			_, err := expect(ctx, visitors[i%len(visitors)], http.StatusOK, system.Request{Method: http.MethodPost, Path: path, Body: members})
			return err
		}
	}
	kabul := func(int64) map[string]any {
		return map[string]any{"geo": map[string]any{"mode": "city", "city": "Kabul"}}
	}
	cold := func(n int64) map[string]any {
		m := kabul(n)
		m["filters"] = map[string]any{"priceRange": map[string]any{"min": 0, "max": 1_000_000 + n, "currency": "USD"}}
		return m
	}
	box := func(n int64) map[string]any {
		west := 60 + float64(n%7)
		return map[string]any{"geo": map[string]any{"mode": "bounding-box", "boundingBox": map[string]any{"swLat": 25, "swLng": west, "neLat": 40, "neLng": west + 15}}}
	}
	for _, part := range []struct {
		what      string
		perSecond int
		seconds   int
		act       func(context.Context, int) error
		limit     time.Duration
	}{
		{"search in a city, from the cache, at 50/s", 50, 10, ask("/search", kabul), 25 * time.Millisecond},
		{"the same while its cached results expire", 50, 65, ask("/search", kabul), 25 * time.Millisecond},
		{"search in a city, not in the cache, at 5/s", 5, 20, ask("/search", cold), 250 * time.Millisecond},
		{"map of a region, at 5/s", 5, 20, ask("/search/map", box), 60 * time.Millisecond},
	} {
		check.Must(b, part.act(b.Context(), 0)) // fills the cache
		took := beats(b, part.perSecond, times(part.perSecond*part.seconds), part.act)
		p95 := quantile(took, 0.95)
		slowest := slices.Max(took)
		addRow(fmt.Sprintf("%s, among %s hotels", part.what, thousands(float64(times(10_000)))),
			fmt.Sprintf("p50 %.1f ms, p95 %.1f ms, slowest %.0f ms", ms(quantile(took, 0.5)), ms(p95), ms(slowest)),
			fmt.Sprintf("p95 ≤ %d ms", part.limit.Milliseconds()), p95 <= part.limit)
		if p95 > part.limit && seedrand.Full(b) {
			b.Errorf("%s: p95 = %v, want at most %v", part.what, p95, part.limit)
		}
	}
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1e3 }
