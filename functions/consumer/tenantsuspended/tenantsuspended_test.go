package tenantsuspended

import (
	"context"
	"errors"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
)

type stands struct {
	tenant    id.Tenant
	suspended bool
	since     time.Time
}

type fake struct {
	heard []stands
	err   error
}

func (f *fake) ApplyStatus(_ context.Context, t id.Tenant, suspended bool, since time.Time) error {
	f.heard = append(f.heard, stands{t, suspended, since})
	return f.err
}

func TestTheCompanyStandsSoSinceItHappened(t *testing.T) {
	t.Parallel()
	want := stands{id.New[id.Tenant](), true, time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)}
	e := event.Event[Suspended]{Envelope: event.Envelope{OccurredAt: want.since}, Payload: Suspended{want.tenant}}
	for _, err := range []error{nil, errors.New("away")} { // what cannot be noted is delivered again
		f := &fake{err: err}
		if got := (&handler{f}).handle(t.Context(), e); !errors.Is(got, err) || len(f.heard) != 1 || f.heard[0] != want {
			t.Errorf("got %v, heard %+v; want %v, %+v", got, f.heard, err, want)
		}
	}
}
