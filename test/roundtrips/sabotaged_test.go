package roundtrips

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/consumer"
	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/platform/upstream"
)

// A wastefulHandler wraps the list of wishes and makes an additional request for each wish.
type wastefulHandler struct {
	t   *testing.T
	env func() env.Env
	ask func(ctx context.Context, e env.Env, property string) error // nil makes no request
}

func (c *wastefulHandler) before(next http.Handler) http.Handler {
	return http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		answer := httptest.NewRecorder()
		next.ServeHTTP(answer, r)
		var wished struct{ Wishlist []struct{ PropertyID string } }
		if err := json.Unmarshal(answer.Body.Bytes(), &wished); err != nil {
			c.t.Error(err)
		}
		for _, wish := range wished.Wishlist {
			if c.ask == nil {
				break
			}
			if err := c.ask(r.Context(), c.env(), wish.PropertyID); err != nil {
				c.t.Error(err)
			}
		}
		maps.Copy(out.Header(), answer.Header())
		out.WriteHeader(answer.Code)
		_, _ = out.Write(answer.Body.Bytes()) // an error means that the client has disconnected
	})
}

// wishing measures the list of a guest with as many wishes as the fixture has hotels, behind the wasteful handler.
func wishing(t *testing.T, rows int) (*walk, guest, *wastefulHandler) {
	t.Helper()
	c := &wastefulHandler{t: t}
	w := open(t, rows, map[string]func(http.Handler) http.Handler{"consumer-listwishes": c.before})
	c.env = w.Env
	k := &walk{fixture: w, t: t, cold: true, day: firstDay, figures: map[string]trips{}, sizes: map[string]int{}}
	g := k.newcomer()
	g.must(http.StatusOK, http.MethodGet, "/session", nil)
	k.gather(g)
	k.wishFor(g, demo.KabulGrand)
	if k.sizes["wishes"] != len(w.city) {
		t.Errorf("%d wishes, want %d", k.sizes["wishes"], len(w.city))
	}
	return k, g, c
}

// TestRoundTrips_sabotagedPerRow makes a request per row, in each possible way, in a small and in a large fixture. The comparison
// must report it.
func TestRoundTrips_sabotagedPerRow(t *testing.T) {
	t.Parallel()
	few, guestOfFew, before := wishing(t, 1)
	many, guestOfMany, beforeMany := wishing(t, 10)
	for name, ask := range map[string]func(context.Context, env.Env, string) error{
		"SQL": func(ctx context.Context, e env.Env, _ string) error {
			return postgres.Open(e, consumer.Schema).InTx(ctx, func(tx postgres.Tx) error {
				_, err := tx.Now(ctx)
				return err
			})
		},
		"documents": func(ctx context.Context, e env.Env, property string) error {
			_, _, err := document.Open[string](e, "careless").Get(ctx, document.KeyOf(property))
			return err
		},
		"another service": func(ctx context.Context, e env.Env, property string) error {
			return upstream.Open(e, "property", upstream.Policy{Timeout: 10 * time.Second}).Get(ctx, "/properties/"+property, nil, nil)
		},
		"no request": nil,
	} {
		t.Run(name, func(t *testing.T) {
			before.ask, beforeMany.ask = ask, ask
			few.count("consumer-listwishes", func() { guestOfFew.must(http.StatusOK, http.MethodGet, "/wishlist", nil) })
			many.count("consumer-listwishes", func() { guestOfMany.must(http.StatusOK, http.MethodGet, "/wishlist", nil) })
			grown := differences(many.figures, few.figures, "with ten rows")
			if ask == nil && len(grown) > 0 {
				t.Errorf("got %q, want no difference", grown)
			}
			if ask != nil {
				if len(grown) != 1 {
					t.Fatalf("len(grown) = %v, want 1", len(grown))
				}
				if !strings.HasPrefix(grown[0], "consumer-listwishes") {
					t.Errorf("grown[0] = %q, want %q at its start", grown[0], "consumer-listwishes")
				}
				if !strings.Contains(grown[0], "more than") {
					t.Errorf("grown[0] = %q, want %q in it", grown[0], "more than")
				}
			}
		})
	}
}

func TestRoundTrips_sabotagedBudget(t *testing.T) {
	t.Parallel()
	usual := trips{SQL: 3, Tx: 1, Doc: 2, Up: 1}
	for _, test := range []struct {
		name string
		got  map[string]trips
		want string // part of the only difference; "" if there is none
	}{
		{"nothing where all is as committed", map[string]trips{"a": usual}, ""},
		{"more SQL", map[string]trips{"a": {4, 1, 2, 1}}, "more than"},
		{"more transactions", map[string]trips{"a": {3, 2, 2, 1}}, "more than"},
		{"more documents", map[string]trips{"a": {3, 1, 3, 1}}, "more than"},
		{"more calls, though less SQL", map[string]trips{"a": {1, 1, 2, 2}}, "more than"},
		{"less", map[string]trips{"a": {3, 1, 2, 0}}, "less than"},
		{"a call that is not known", map[string]trips{"a": usual, "b": usual}, "not in the file"},
		{"a line that is not called", nil, "was not called"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			found := differences(test.got, map[string]trips{"a": usual}, "warm")
			if test.want == "" && len(found) == 0 || test.want != "" && len(found) == 1 && strings.Contains(found[0], test.want) {
				return
			}
			t.Errorf("got differences %q, want one about %q", found, test.want)
		})
	}
}
