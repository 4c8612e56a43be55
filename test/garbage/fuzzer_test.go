package garbage

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/test/seedrand"
)

// rounds is how many requests each route gets: some in an ordinary run, a million for all routes in a full one.
func rounds(t *testing.T) int { return seedrand.Iterations(t, 100, 8000) }

// A fuzzer sends malformed requests to an address, with the credentials that the routes require.
type fuzzer struct {
	address string                        // host and port
	token   string                        // of a neighbour
	tenant  string                        // a real one
	cookie  func(*target) (string, error) // of a session that the route knows; "" where it wants none
	methods map[string][]string           // by path, those that have a function
	slowest time.Duration                 // that an answer may be
	ended   func()                        // called after each route
}

func newFuzzer(address string, functions []fn.Function) *fuzzer {
	f := &fuzzer{address: address, slowest: time.Second, ended: func() {}, methods: map[string][]string{}, cookie: func(*target) (string, error) { return "", nil }}
	for _, one := range functions {
		if method, path, ok := strings.Cut(one.Spec.Route, " "); ok {
			f.methods[shape(path)] = append(f.methods[shape(path)], method)
		}
	}
	return f
}

// shape is a route's path without the names of its wildcards.
func shape(path string) string {
	parts := strings.Split(path, "/")
	for i, part := range parts {
		if wildcard.MatchString(part) {
			parts[i] = "{}"
		}
	}
	return strings.Join(parts, "/")
}

// newAttempt returns a valid request of a target.
func (f *fuzzer) newAttempt(t *target, d *rand.Rand, cookie string) *attempt {
	r := &request{method: t.method, path: t.at(), query: encoded(t.query)}
	host := f.address
	if rest, own := strings.CutPrefix(r.path, "/bff/tenant-booking/v1/"+t.slug); own && d.IntN(5) == 0 { // on the hotel's own host
		_, port, _ := strings.Cut(f.address, ":")
		r.path, host = "/api"+rest, t.slug+".localhost:"+port
	}
	r.add("Host", host)
	r.add("User-Agent", "Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/140.0")
	r.add("Accept-Language", "en")
	r.add("X-Tenant-Id", f.tenant)
	if t.writes() {
		r.add("Idempotency-Key", strconv.FormatUint(d.Uint64(), 36))
	}
	if t.guarded() {
		r.add("Authorization", "Bearer "+f.token)
	}
	if cookie != "" {
		r.add("Cookie", cookie)
	}
	s := &attempt{target: t, request: r, random: d, marker: letters(d, inValues), named: letters(d, inNames)}
	switch {
	case t.form != nil:
		r.body = []byte(encoded(t.form))
		r.add("Content-Type", "application/x-www-form-urlencoded")
	case t.example != nil:
		s.tree = t.example.clone()
		r.body = []byte(s.tree.String())
		r.add("Content-Type", "application/json")
	case t.takesBody():
		r.add("Content-Type", "application/json")
	}
	return s
}

// A tally is what became of the requests to one route.
type tally struct {
	thrown, refused, understood, wire int
	codes                             map[int]int
	slow                              []*attempt // answered late
}

// runRound sends one malformed request and returns the faults of the answer. Three of five are fatal.
func (f *fuzzer) runRound(ctx context.Context, t *target, cookie string, d *rand.Rand, n *tally) (wrong []string) {
	s := f.newAttempt(t, d, cookie)
	lethal := d.IntN(5) > 1
	from := doubtful
	if lethal {
		from = fatal
	}
	m := one(d, slices.DeleteFunc(slices.Clone(from), func(m mutation) bool { return !m.fits(s) }))
	if lethal && d.IntN(2) == 0 {
		addNoise(s)
	}
	m.spoil(s)
	a, wrong := f.sendAndCheck(ctx, s, lethal)
	if a.took > f.slowest || late(a) {
		n.slow = append(n.slow, s)
	}
	n.thrown++
	n.codes[a.status]++
	switch {
	case wired(s.request, a):
		n.wire++
	case a.status >= 400:
		n.refused++
	default:
		n.understood++
	}
	for i, w := range wrong {
		wrong[i] = fmt.Sprintf("%s %s: %s\n%s", t.function.Spec.Name, m.name, w, s.request)
	}
	return wrong
}

// sendAndCheck sends a request and checks the answer.
func (f *fuzzer) sendAndCheck(ctx context.Context, s *attempt, lethal bool) (answer, []string) {
	a, err := send(ctx, f.address, s.request)
	if err != nil && s.broken {
		a.status = http.StatusBadRequest // the server hung up on what is no HTTP
		return a, nil
	}
	if err != nil {
		return a, []string{"was not answered: " + err.Error()}
	}
	return a, faultsOf(s, a, lethal)
}

const (
	again   = 5  // how often a request that was answered late is sent once more, with nothing else going on
	maxSlow = 10 // how many of one route
)

// settle sends again what was answered late: the machine may have been busy, the function may not be slow.
func (f *fuzzer) settle(ctx context.Context, results []*result) error {
	for _, r := range results {
		for _, s := range r.slow[:min(len(r.slow), maxSlow)] {
			best := answer{took: timeout}
			for range again {
				a, err := send(ctx, f.address, s.request)
				if err != nil {
					return err
				}
				if !late(a) && a.took < best.took {
					best = a
				}
				if best.took <= f.slowest {
					break
				}
			}
			if best.took > f.slowest {
				r.wrong = append(r.wrong, fmt.Sprintf("%s took %s, status %d\n%s", r.target.function.Spec.Name, best.took, best.status, s.request))
			}
		}
	}
	return nil
}
