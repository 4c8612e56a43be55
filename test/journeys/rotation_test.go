package journeys

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"melmastoon.ghasi.io"
	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/jobs/keys"
	"melmastoon.ghasi.io/jobs/keys/folder"
	"melmastoon.ghasi.io/scripts/serve/cloud"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
	"melmastoon.ghasi.io/test/system"
)

// A rollout runs the functions of a system with keyrings that change, as a deployment does: one function after the other, and for a
// while with instances of the old and the new version of each.
type rollout struct {
	t        *testing.T
	s        *system.System
	services map[string]*service
	rings    map[string]string // deployed
	dir      string            // of the secrets
	deployed map[string]string // as in KEYRINGS

	clock    sync.RWMutex  // guests read the clock
	journeys chan struct{} // gets a value after each journey
	mu       sync.Mutex
	lost     map[string]string // what guests have lost: a kind and an example
}

// A service is one function. Its calls go to its instances in turn.
type service struct {
	open      sync.Once
	instances atomic.Pointer[[]http.Handler]
	calls     atomic.Int64
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	instances := *s.instances.Load()
	instances[int(s.calls.Add(1))%len(instances)].ServeHTTP(w, r)
}

// newRollout starts a system whose keyrings have one key each, deployed as version 1.
func newRollout(t *testing.T) *rollout {
	t.Helper()
	r := &rollout{t: t, services: map[string]*service{}, rings: map[string]string{}, dir: t.TempDir(), deployed: map[string]string{},
		journeys: make(chan struct{}), lost: map[string]string{}}
	db := pgtest.New(t)
	r.s = system.As(t, db, cloud.Config{Env: db.Env().With("RATE_LIMIT_SESSION", "off"), Mount: func(f fn.Function) (http.Handler, error) {
		s := &service{}
		r.services[f.Spec.Name] = s
		return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			s.open.Do(func() { r.replace(f) }) // the first call comes after the start of the system
			s.ServeHTTP(w, req)
		}), nil
	}})
	local := cloud.Variables(system.Secret, r.s.Issuer, r.s.Cloud.URL())
	for _, ring := range keys.Rings {
		r.rings[ring.Variable] = local[ring.Variable]
		r.put(ring, local[ring.Variable])
	}
	return r
}

func (r *rollout) store() folder.Folder { return folder.Open(r.dir, r.s.Env().Now) }

// put adds the first version of a keyring.
func (r *rollout) put(ring keys.Ring, text string) {
	r.t.Helper()
	check.Got(r.store().Add(r.t.Context(), ring.Secret(), 0, []byte(text))).Must(r.t)
	r.deployed[ring.Variable] = "1@" + r.s.Env().Now().UTC().Format(time.RFC3339)
}

// instance starts an instance of a function with the deployed keyrings.
func (r *rollout) instance(f fn.Function) http.Handler {
	e := r.s.Env()
	for variable, text := range r.rings {
		e = e.With(variable, text)
	}
	h, err := f.Handler(e)
	if err != nil {
		r.t.Errorf("%s does not start: %v", f.Spec.Name, err)
		return http.NotFoundHandler()
	}
	return h
}

// replace makes the given handlers and a new instance the instances of a function.
func (r *rollout) replace(f fn.Function, beside ...http.Handler) {
	instances := append(beside, r.instance(f))
	r.services[f.Spec.Name].instances.Store(&instances)
}

// deploy rolls out keyrings while guests travel, and returns when no instance of the version before is left.
func (r *rollout) deploy(rings map[string]string) {
	r.t.Helper()
	for _, f := range melmastoon.Functions {
		r.services[f.Spec.Name].open.Do(func() { r.replace(f) })
	}
	r.rings = rings
	for i, f := range melmastoon.Functions {
		r.replace(f, (*r.services[f.Spec.Name].instances.Load())[0])
		if i%(len(melmastoon.Functions)/3) == 0 {
			r.await(2)
		}
	}
	r.await(4)
	for _, f := range melmastoon.Functions {
		instances := (*r.services[f.Spec.Name].instances.Load())[1:]
		r.services[f.Spec.Name].instances.Store(&instances)
	}
	r.await(4)
}

// await waits for so many journeys.
func (r *rollout) await(journeys int) {
	r.t.Helper()
	for range journeys {
		select {
		case <-r.journeys:
		case <-time.After(time.Minute):
			r.t.Fatal("no guest has ended a journey within a minute")
		}
	}
}

// step makes a step of the rotation of a keyring with the job, and returns the error of the job.
func (r *rollout) step(step keys.Step, ring keys.Ring) error {
	var deployed []string
	for variable, version := range r.deployed {
		deployed = append(deployed, variable+"="+version)
	}
	e := keys.StoreKey.With(r.s.Env().With("KEYRINGS", strings.Join(deployed, ",")), keys.Store(r.store()))
	var out bytes.Buffer
	return keys.Run(r.t.Context(), e, []string{"-step=" + string(step), "-unlink", "-go", "-by=test", "-why=rotation", ring.Variable}, &out)
}

// apply rolls out the newest version of each keyring.
func (r *rollout) apply() {
	r.t.Helper()
	rings, numbers := map[string]string{}, map[string]int{}
	for _, ring := range keys.Rings {
		versions := check.Got(r.store().Versions(r.t.Context(), ring.Secret())).Must(r.t)
		numbers[ring.Variable] = versions[len(versions)-1].Number
		text := check.Got(r.store().Read(r.t.Context(), ring.Secret(), numbers[ring.Variable])).Must(r.t)
		rings[ring.Variable] = string(text)
	}
	r.deploy(rings)
	for variable, number := range numbers {
		r.deployed[variable] = fmt.Sprintf("%d@%s", number, r.s.Env().Now().UTC().Format(time.RFC3339))
	}
}

// advance moves the clock while no guest is in the middle of a journey, and waits until all have been seen again.
func (r *rollout) advance(d time.Duration) {
	r.t.Helper()
	r.clock.Lock()
	r.s.Advance(d)
	r.clock.Unlock()
	r.await(6)
}

// losef records what a guest has lost. The end of the test interrupts requests, which loses nothing.
func (r *rollout) losef(ctx context.Context, kind, format string, args ...any) {
	if ctx.Err() != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.lost[kind] == "" {
		r.lost[kind] = fmt.Sprintf(format, args...)
	}
}

// hasLost reports whether a guest has lost something of that kind.
func (r *rollout) hasLost(kind string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lost[kind] != ""
}

// A guest returns again and again to the site of all hotels and to a hotel's site, in one browser.
type guest struct {
	r                 *rollout
	everywhere, hotel *system.Visitor
	sessions          [2]string

	token  string // of a handoff that was not used yet
	quote  system.Request
	answer system.Answer
	at     time.Time // of both
}

// travel makes journeys until the context ends.
func (r *rollout) travel(ctx context.Context, b *system.Browser) {
	g := &guest{r: r, everywhere: b.AtAll(), hotel: b.At(demo.KabulGrand)}
	for ctx.Err() == nil {
		r.clock.RLock()
		g.journey(ctx)
		r.clock.RUnlock()
		select {
		case r.journeys <- struct{}{}:
		case <-ctx.Done():
		}
	}
}

// journey uses what the journey before has left, and leaves a handoff and an answer for the next one.
func (g *guest) journey(ctx context.Context) {
	now := g.r.s.Env().Now()
	wish := map[string]any{
		"dates":     map[string]any{"checkIn": now.AddDate(0, 0, 7).Format(time.DateOnly), "checkOut": now.AddDate(0, 0, 9).Format(time.DateOnly)},
		"occupancy": map[string]any{"adults": 2, "children": 0, "rooms": 1},
	}
	if g.token != "" && now.Sub(g.at) < 20*time.Minute {
		if a := g.send(ctx, g.hotel, system.Request{Method: http.MethodGet, Path: "/bootstrap?h=" + url.QueryEscape(g.token)}); a.Status != http.StatusOK {
			g.r.losef(ctx, "handoff", "the handoff is answered with %d %s", a.Status, a.Body)
		}
		if a := g.send(ctx, g.hotel, g.quote); a.Header.Get("Idempotent-Replayed") != "true" || !bytes.Equal(a.Body, g.answer.Body) {
			g.r.losef(ctx, "replay", "the repeated quote is answered with %d %s, before %s", a.Status, a.Body, g.answer.Body)
		}
	}
	g.token = ""
	g.send(ctx, g.hotel, system.Request{Method: http.MethodGet, Path: "/bootstrap"})
	minted := g.send(ctx, g.everywhere, system.Request{Method: http.MethodPost, Key: system.Key(), Body: wish,
		Path: "/handoff/" + demo.KabulGrand.Tenant.String() + "/" + demo.KabulGrand.Property.String()})
	for i, v := range []*system.Visitor{g.everywhere, g.hotel} {
		if now := v.Session(); now != g.sessions[i] {
			if g.sessions[i] != "" {
				g.r.losef(ctx, "session", "session %s continues as %s", g.sessions[i], now)
			}
			g.sessions[i] = now
		}
	}
	g.quote = system.Request{Method: http.MethodPost, Path: "/quote", Key: system.Key(), Body: g.hotel.QuoteBody(usual())}
	g.answer = g.send(ctx, g.hotel, g.quote)
	var link struct{ Token string }
	if minted.Status == http.StatusCreated && g.answer.Status == http.StatusCreated {
		minted.Into(g.r.t, &link)
		g.token, g.at = link.Token, now
	} else {
		g.r.losef(ctx, "journey", "handoff %d %s, quote %d %s", minted.Status, minted.Body, g.answer.Status, g.answer.Body)
	}
}

func (g *guest) send(ctx context.Context, v *system.Visitor, r system.Request) system.Answer {
	a, err := v.Go(ctx, r)
	if err != nil && ctx.Err() == nil {
		g.r.t.Error(err)
	}
	return a
}

// whileGuestsTravel runs f and returns the kinds of what guests have lost meanwhile.
func (r *rollout) whileGuestsTravel(f func()) (kinds []string) {
	r.t.Helper()
	ctx, cancel := context.WithCancel(r.t.Context())
	var all sync.WaitGroup
	defer all.Wait()
	defer cancel()
	for range 3 {
		b := r.s.Browser()
		all.Go(func() { r.travel(ctx, b) })
	}
	r.await(6)
	f()
	cancel()
	all.Wait()
	for kind, example := range r.lost {
		kinds = append(kinds, kind)
		r.t.Logf("lost a %s: %s", kind, example)
	}
	slices.Sort(kinds)
	return kinds
}

// TestRotation_threeSteps rotates all keyrings with the job while guests travel. They keep their sessions, handoffs and stored answers.
func TestRotation_threeSteps(t *testing.T) {
	t.Parallel()
	r := newRollout(t)
	lost := r.whileGuestsTravel(func() {
		for _, part := range []struct {
			step keys.Step
			wait []time.Duration // after the rollout
		}{
			{keys.Add, []time.Duration{16 * time.Minute}},
			{keys.Promote, slices.Repeat([]time.Duration{10 * 24 * time.Hour}, 4)}, // guests return meanwhile
			{keys.Remove, []time.Duration{time.Minute}},
		} {
			for _, ring := range keys.Rings {
				kept := part.step == keys.Remove && ring.Variable == "VIEW_TOKEN_KEYS" // for 13 months
				if err := r.step(part.step, ring); (err != nil) != kept {
					t.Errorf("%s of %s: %v", part.step, ring.Variable, err)
				}
			}
			r.apply()
			for _, d := range part.wait {
				r.advance(d)
			}
		}
	})
	if len(lost) > 0 {
		t.Errorf("guests have lost %q, want nothing", lost)
	}
	for variable, text := range r.rings {
		check.Equal(t, strings.Contains(text, "local:"), variable == "VIEW_TOKEN_KEYS", "the old key of %s is still deployed", variable)
	}
}

// TestRotation_oneStep replaces all keys at once, without the job. It shows that the test of three steps can fail.
func TestRotation_oneStep(t *testing.T) {
	t.Parallel()
	r := newRollout(t)
	kinds := []string{"handoff", "replay", "session"}
	lost := r.whileGuestsTravel(func() {
		for range 3 { // during one rollout perhaps no guest has a handoff or a stored answer
			if !slices.ContainsFunc(kinds, func(kind string) bool { return !r.hasLost(kind) }) {
				return
			}
			secret := make([]byte, 32)
			_, _ = rand.Read(secret) // never fails
			rings := map[string]string{}
			for _, ring := range keys.Rings {
				rings[ring.Variable] = "k2:" + base64.StdEncoding.EncodeToString(secret)
			}
			r.deploy(rings)
		}
	})
	for _, want := range kinds {
		t.Run(want, func(t *testing.T) {
			if !slices.Contains(lost, want) {
				t.Errorf("guests have lost %q, want also a %s", lost, want)
			}
		})
	}
}
