package booking

import (
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/reservation/internal/quotestest"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/stay"
)

func TestReserve_expiry(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		asOf time.Duration // before the quote's end
		want error
	}{
		{"in time", time.Millisecond, nil},
		{"at the very end", 0, ErrQuoteExpired},
		{"late", -time.Second, ErrQuoteExpired},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			q := quotestest.Quote(t, id.New[id.Tenant]())
			q.AsOf = q.ValidUntil.Add(-test.asOf)
			if _, err := Reserve(q, Details{Act: id.New[id.Request](), TTL: stay.DefaultHold}); err != test.want {
				t.Errorf("got %v, want %v", err, test.want)
			}
		})
	}
}

func TestReserve_idempotentIDs(t *testing.T) {
	t.Parallel()
	q, act := quotestest.Quote(t, id.New[id.Tenant]()), id.New[id.Request]()
	one, err := Reserve(q, Details{Act: act, TTL: stay.DefaultHold})
	if err != nil {
		t.Fatal(err)
	}
	again, err := Reserve(q, Details{Act: act, TTL: stay.DefaultHold})
	if err != nil {
		t.Fatal(err)
	}
	other, err := Reserve(q, Details{Act: id.New[id.Request](), TTL: stay.DefaultHold})
	if err != nil {
		t.Fatal(err)
	}
	if one.ID != again.ID {
		t.Errorf("repeated: one.ID = %v, want %v", one.ID, again.ID)
	}
	if one.Hold.Allocations[1] != again.Hold.Allocations[1] {
		t.Errorf("repeated: one.Hold.Allocations[1] = %v, want %v", one.Hold.Allocations[1], again.Hold.Allocations[1])
	}
	if one.Items[1].ID != again.Items[1].ID {
		t.Errorf("repeated: one.Items[1].ID = %v, want %v", one.Items[1].ID, again.Items[1].ID)
	}
	if one.ID == other.ID {
		t.Errorf("two acts, or two rooms, have the same ids: one.ID = %v, want a different value", one.ID)
	}
	if one.Hold.Allocations[0] == other.Hold.Allocations[0] {
		t.Errorf("two acts, or two rooms, have the same ids: one.Hold.Allocations[0] = %v, want a different value", one.Hold.Allocations[0])
	}
	if one.Hold.Allocations[0] == one.Hold.Allocations[1] {
		t.Errorf("two acts, or two rooms, have the same ids: one.Hold.Allocations[0] = %v, want a different value", one.Hold.Allocations[0])
	}
}

func TestNewCode(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 2000 {
		code := newCode()
		if len(code) != len("GM-")+codeLength {
			t.Fatalf("len(code) = %v, want %v", len(code), len("GM-")+codeLength)
		}
		if strings.Trim(code[3:], letters) != "" {
			t.Fatalf(`strings.Trim(code[3:], letters) = %q, want ""`, strings.Trim(code[3:], letters))
		}
		if !strings.HasPrefix(code, "GM-") {
			t.Fatalf("code = %q, want %q at its start", code, "GM-")
		}
		seen[code] = true
	}
	if len(seen) < 1990 { // of 244 million
		t.Errorf("2000 draws gave %d codes", len(seen))
	}
}
