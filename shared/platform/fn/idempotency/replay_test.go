package idempotency_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/fn/idempotency"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
)

// kept are the headers that belong to an answer and not to one telling of it.
func kept(a fntest.Answer) map[string][]string {
	h := maps.Clone(a.Header)
	delete(h, "X-Request-Id")
	delete(h, "Idempotent-Replayed")
	return h
}

func expectReplay(t *testing.T, first, again fntest.Answer) {
	t.Helper()
	if again.Status != first.Status || !bytes.Equal(again.Body, first.Body) {
		t.Errorf("first %d %s\nagain %d %s", first.Status, first.Body, again.Status, again.Body)
	}
	if fmt.Sprint(kept(again)) != fmt.Sprint(kept(first)) {
		t.Errorf("first %v\nagain %v", kept(first), kept(again))
	}
	check.Equal(t, first.Header.Get("Idempotent-Replayed"), "", "replayed")
	check.Equal(t, again.Header.Get("Idempotent-Replayed"), "true", "replayed")
}

func TestReplay_sameRequest(t *testing.T) {
	t.Parallel()
	r := open(t)
	first := r.order("k-1", `{"rooms":1}`)
	if first.Status != 201 || first.Header.Get("Location") == "" {
		t.Fatalf("got %d %s", first.Status, first.Body)
	}
	r.db.Advance(time.Hour)
	again := r.order(`"k-1"`, `{"rooms":1}`, "X-Request-Id", "second")
	expectReplay(t, first, again)
	check.Equal(t, again.Header.Get("X-Request-Id"), "second", "request id of the replay")
	check.Equal(t, len(r.ran()), 1, "runs")
}

// A client may encode the same JSON in another form, but other numbers are another request.
func TestReplay_otherEncoding(t *testing.T) {
	t.Parallel()
	r := open(t)
	first := r.order("k-1", `{"rooms":9007199254740993,"note":"سلام"}`)
	for name, body := range map[string]string{
		"order":  `{"note":"سلام","rooms":9007199254740993}`,
		"space":  "{\n  \"rooms\": 9007199254740993,\n  \"note\": \"سلام\"\n}",
		"escape": `{"rooms":9007199254740993,"note":"\u0633\u0644\u0627\u0645"}`,
	} {
		t.Run(name, func(t *testing.T) { expectReplay(t, first, r.order("k-1", body)) })
	}
	for name, body := range map[string]string{
		"number": `{"rooms":9007199254740992,"note":"سلام"}`,
		"text":   `{"rooms":9007199254740993,"note":"سلامت"}`,
		"member": `{"rooms":9007199254740993}`,
	} {
		t.Run("other "+name, func(t *testing.T) {
			r.order("k-1", body).WantProblem(t, 422, fault.ErrIdempotencyKeyReused.Code)
		})
	}
}

// A request of the release that hashed bodies as they were can be repeated.
func TestReplay_formerHash(t *testing.T) {
	t.Parallel()
	r := open(t)
	const body = `{"rooms": 1}`
	first := r.order("k-1", body)
	var parts [][]byte
	for _, part := range []string{"POST", "/orders", "", "", body} {
		parts = append(parts, []byte(part))
	}
	r.exec(t, `UPDATE reservation.idempotency SET request_hash = @hash`, pgx.StrictNamedArgs{"hash": idempotency.Hash(parts...)})
	expectReplay(t, first, r.order("k-1", body))
	r.order("k-1", `{"rooms": 2}`).Want(t, 422)
}

func TestReplay_finalRefusal(t *testing.T) {
	t.Parallel()
	r := open(t)
	r.answer = func(_ context.Context, c confirmation) (confirmation, error) {
		return c, fault.New(fault.Conflict, "RESERVATION.OVERBOOKING_BLOCKED", "Taken.")
	}
	first := r.order("k-1", `{"rooms":1}`)
	again := r.order("k-1", `{"rooms":1}`)
	check.Equal(t, first.Status, 409, "%s", first.Body)
	expectReplay(t, first, again)
}

func TestReplay_retriableRefusal(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]func(context.Context, confirmation) (confirmation, error){
		"accepted": func(_ context.Context, c confirmation) (confirmation, error) {
			c.Reply = fn.Accepted.Reply()
			return c, nil
		},
		"declined": func(_ context.Context, c confirmation) (confirmation, error) {
			return c, fault.New(fault.PaymentRequired, "PAYMENT.DECLINED", "")
		},
		"too many": func(_ context.Context, c confirmation) (confirmation, error) {
			return c, fault.New(fault.TooMany, "GENERAL.RATE_LIMITED", "")
		},
		"come again later": func(_ context.Context, c confirmation) (confirmation, error) {
			return c, fault.New(fault.Conflict, "PAYMENT.NOT_CAPTURED", "").After(time.Second)
		},
		"internal":    func(_ context.Context, c confirmation) (confirmation, error) { return c, fault.ErrInternal },
		"unavailable": func(_ context.Context, c confirmation) (confirmation, error) { return c, fault.ErrUnavailable },
		"panicking":   func(context.Context, confirmation) (confirmation, error) { panic("on purpose") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := open(t)
			r.answer = answer
			first := r.order("k-1", `{"rooms":1}`)
			if _, status, _, response := r.look(t); status != nil || response != nil {
				t.Errorf("kept %v", *status)
			}
			r.answer = nil
			again := r.order("k-1", `{"rooms":1}`)
			if again.Status != 201 || again.Header.Get("Idempotent-Replayed") != "" {
				t.Errorf("first %d, again %d %s", first.Status, again.Status, again.Body)
			}
			if ran := r.ran(); len(ran) != 2 || ran[0] != ran[1] {
				t.Errorf("ran as %v, want twice as one act", ran)
			}
		})
	}
}

func TestReplay_otherRequest(t *testing.T) {
	t.Parallel()
	r := open(t)
	r.order("k-1", `{"rooms":1}`)
	for name, a := range map[string]fntest.Answer{
		"another body":                     r.order("k-1", `{"rooms":2}`),
		"another header":                   r.order("k-1", `{"rooms":1}`, "X-Range", "9"),
		"another header of the middleware": r.order("k-1", `{"rooms":1}`, "X-Door", "9"),
		"another query":                    r.Post("/orders?a=1", `{"rooms":1}`, "Idempotency-Key", "k-1", "X-Tenant-Id", tenantA, "X-Caller", "desk"),
	} {
		t.Run(name, func(t *testing.T) {
			if a.Status != 422 || a.Code() != fault.ErrIdempotencyKeyReused.Code {
				t.Errorf("%s: got %d %s", name, a.Status, a.Body)
			}
		})
	}
	for name, a := range map[string]fntest.Answer{
		"another key":    r.order("k-2", `{"rooms":2}`),
		"another tenant": r.order("k-1", `{"rooms":2}`, "X-Tenant-Id", tenantB),
		"another caller": r.order("k-1", `{"rooms":2}`, "X-Caller", "somebody else"),
	} {
		t.Run(name, func(t *testing.T) { check.Equal(t, a.Status, 201, "%s: %s", name, a.Body) })
	}
	front, window := r.order("k-3", `{"rooms":1}`, "X-Door", "9"), r.order("k-3", `{"rooms":1}`, "X-Window", "9")
	check.Equal(t, front.Status, 201, "a value in one header of the middleware's")
	check.Equal(t, window.Status, 422, "a value in one header of the middleware's")
	expectReplay(t, front, r.order("k-3", `{"rooms":1}`, "X-Door", "9", "Accept-Language", "fa"))
	check.Equal(t, len(slices.Compact(r.ran())), 5, "acts")
}

func TestReplay_missingKey(t *testing.T) {
	t.Parallel()
	r := open(t)
	a := r.Post("/orders", `{"rooms":1}`, "X-Tenant-Id", tenantA)
	a.WantProblem(t, 400, fault.ErrIdempotencyKeyRequired.Code)
}

func TestReplay_oneDay(t *testing.T) {
	t.Parallel()
	r := open(t)
	r.order("k-1", `{"rooms":1}`)
	r.db.Advance(24*time.Hour + time.Second)
	a := r.order("k-1", `{"rooms":2}`)
	switch ran := r.ran(); {
	case a.Status != 201:
		t.Errorf("a.Status = %v, want 201", a.Status)
	case len(ran) != 2:
		t.Errorf("len(ran) = %v, want 2", len(ran))
	case ran[0] == ran[1]:
		t.Errorf("ran[0] = %v, want other than %v", ran[0], ran[1])
	}
}
