package upstream_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"melmastoon.ghasi.io/shared/platform/upstream"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// once fails the first time and is well after that.
func (f *far) once(r *http.Request) (*http.Response, error) {
	if f.sent == 1 {
		return failing(r)
	}
	return well(r)
}

func TestRetry_onlyIfRepeatable(t *testing.T) {
	t.Parallel()
	one := upstream.Policy{Timeout: time.Second, Retries: 1}
	for _, test := range []struct {
		name string
		call func(*upstream.Client, *testing.T) error
		p    upstream.Policy
		want int
	}{
		{"a read", func(c *upstream.Client, t *testing.T) error { return c.Get(t.Context(), "/a", nil, nil) }, one, 2},
		{"a read whose policy says never", func(c *upstream.Client, t *testing.T) error { return c.Get(t.Context(), "/a", nil, nil) }, upstream.Policy{Timeout: time.Second}, 1},
		{"a write", func(c *upstream.Client, t *testing.T) error { return c.Post(t.Context(), "/a", 1, nil) }, one, 1},
		{"a write with a key", func(c *upstream.Client, t *testing.T) error {
			return c.Post(t.Context(), "/a", 1, nil, upstream.Key("k"))
		}, one, 2},
		{"a write with an empty key", func(c *upstream.Client, t *testing.T) error {
			return c.Post(t.Context(), "/a", 1, nil, upstream.Key(""))
		}, one, 1},
		{"a write that its ids make repeatable", func(c *upstream.Client, t *testing.T) error {
			return c.Post(t.Context(), "/a", 1, nil, upstream.Repeatable())
		}, one, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := &far{}
			f.say = f.once
			err := test.call(f.client(test.p), t)
			if f.sent != test.want || (err == nil) != (test.want == 2) {
				t.Errorf("sent %d, want %d: %v", f.sent, test.want, err)
			}
		})
	}
}

func TestRetry_body(t *testing.T) {
	t.Parallel()
	f := &far{}
	var sizes []int64
	f.say = func(r *http.Request) (*http.Response, error) {
		sizes = append(sizes, r.ContentLength)
		return f.once(r)
	}
	c := f.client(upstream.Policy{Timeout: time.Second, Retries: 1})
	switch err := c.Post(t.Context(), "/a", "body", nil, upstream.Repeatable()); {
	case err != nil:
		t.Errorf("err = %v, want nil", err)
	case len(sizes) != 2:
		t.Errorf("len(sizes) = %v, want 2", len(sizes))
	case sizes[0] != 6:
		t.Errorf("sizes[0] = %v, want 6", sizes[0])
	case sizes[1] != 6:
		t.Errorf("sizes[1] = %v, want 6", sizes[1])
	}
}

func TestRetry_budget(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const calls = 400
		f := &far{}
		f.say = func(r *http.Request) (*http.Response, error) {
			if f.sent%3 == 0 { // every third fails: the breaker stays closed
				return failing(r)
			}
			return well(r)
		}
		c := f.client(upstream.Policy{Timeout: time.Second, Retries: 1})
		for range calls {
			_ = c.Get(t.Context(), "/a", nil, nil)
		}
		check.Equal(t, f.sent-calls, calls/10, "retries of %d calls", calls)
	})
}

func TestRetry_waitWithinBudget(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &far{say: hung}
		c := f.client(upstream.Policy{Timeout: 700 * time.Millisecond, Retries: 1})
		began := time.Now()
		err := c.Get(t.Context(), "/a", nil, nil)
		switch took := time.Since(began); {
		case err == nil:
			t.Errorf("err = nil, want a value")
		case took != 700*time.Millisecond:
			t.Errorf("took = %v, want %v", took, 700*time.Millisecond)
		case f.sent != 1:
			t.Errorf("f.sent = %v, want 1", f.sent)
		}
	})
}
