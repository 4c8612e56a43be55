package peers

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"golang.org/x/sync/errgroup"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/test/system"
)

// BenchmarkBootstrap measures the 99th percentile of bootstrap requests that are answered from the cache, at 200 per second, over
// HTTP to another process. Each round has its own sessions.
func BenchmarkBootstrap(b *testing.B) {
	const perSecond, sessions, limit = 200, 50, 10 * time.Millisecond
	address := startServer(b)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: sessions}, Timeout: time.Second}
	read := func(ctx context.Context, cookie string) error {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+bootstrapPath, nil)
		if err != nil {
			return err
		}
		r.Header.Set("Cookie", cookie)
		res, err := client.Do(r)
		if err != nil {
			return err
		}
		defer res.Body.Close()
		if _, err = io.Copy(io.Discard, res.Body); err != nil {
			return err
		}
		if res.StatusCode != http.StatusOK || res.Header.Get("X-Cache") != "HIT" {
			return fmt.Errorf("bootstrap: %d %s, want 200 HIT", res.StatusCode, res.Header.Get("X-Cache"))
		}
		return nil
	}
	var p50, p99 []float64
	for range rounds(5) {
		var visitors []string
		for range sessions {
			visitors = append(visitors, cookie(b, address))
		}
		took := beats(b, perSecond, times(2_000), func(ctx context.Context, i int) error { return read(ctx, visitors[i%sessions]) })
		p50, p99 = append(p50, quantile(took, 0.5).Seconds()), append(p99, quantile(took, 0.99).Seconds())
	}
	addPercentiles("bootstrap, a hit, at 200/s", p50, p99, limit)
}

// BenchmarkHold measures the 99th percentile of holds on a hotel's site at 50 per second, each of a session and a draft of its
// own. The whole system runs in this process: the site's function calls the reservation service, which calls the inventory.
func BenchmarkHold(b *testing.B) {
	const perSecond, days, limit = 50, 300, 80 * time.Millisecond
	s := system.On(b, database(b))
	hotel := demo.KabulGrand
	var p50, p99 []float64
	for round := range rounds(5) + 1 { // the first round opens connections and fills caches
		visitors := make([]*system.Visitor, times(300))
		var preparing errgroup.Group
		preparing.SetLimit(4)
		for i := range visitors {
			preparing.Go(func() (err error) {
				n := round*len(visitors) + i // spread over all rooms and days, so that none is sold out
				wish := system.Wish{Hotel: hotel, Room: n % len(hotel.Rooms), From: 2 + n/len(hotel.Rooms)%days, Nights: 1, Rooms: 1, Currency: "AFN"}
				visitors[i], err = quoted(b.Context(), s, wish)
				return err
			})
		}
		check.Must(b, preparing.Wait())
		s.Quiet()
		took := beats(b, perSecond, len(visitors), func(ctx context.Context, i int) error {
			_, err := expect(ctx, visitors[i], http.StatusCreated, system.Request{Method: http.MethodPost, Path: "/hold", Body: visitors[i].HoldBody()})
			return err
		})
		if round > 0 {
			p50, p99 = append(p50, quantile(took, 0.5).Seconds()), append(p99, quantile(took, 0.99).Seconds())
		}
	}
	addPercentiles("hold on a hotel's site, all services in one process, at 50/s", p50, p99, limit)
}

// quoted returns a visitor with a session and a quote.
func quoted(ctx context.Context, s *system.System, w system.Wish) (*system.Visitor, error) {
	v := s.Browser().At(w.Hotel)
	if _, err := expect(ctx, v, http.StatusOK, system.Request{Method: http.MethodGet, Path: "/bootstrap"}); err != nil {
		return nil, err
	}
	a, err := expect(ctx, v, http.StatusCreated, system.Request{Method: http.MethodPost, Path: "/quote", Body: v.QuoteBody(w)})
	if err != nil {
		return nil, err
	}
	return v, json.Unmarshal(a.Body, &v.Visit)
}

// expect sends a request and fails if the answer has another status.
func expect(ctx context.Context, v *system.Visitor, status int, r system.Request) (system.Answer, error) {
	a, err := v.Go(ctx, r)
	if err == nil && a.Status != status {
		err = fmt.Errorf("%s %s: %d %s, want %d", r.Method, r.Path, a.Status, a.Body, status)
	}
	return a, err
}

// addPercentiles prints the medians over the rounds, and the 99th percentile of each round.
func addPercentiles(what string, p50, p99 []float64, limit time.Duration) {
	var each []string
	for _, p := range p99 {
		each = append(each, fmt.Sprintf("%.1f", p*1e3))
	}
	figure := fmt.Sprintf("p50 %.1f ms, p99 %.1f ms (median of %s)", median(p50)*1e3, median(p99)*1e3, strings.Join(each, ", "))
	addRow(what, figure, fmt.Sprintf("p99 ≤ %d ms", limit.Milliseconds()), median(p99) <= limit.Seconds())
}
