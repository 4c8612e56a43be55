package tenantreinstated

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/testkit/check"
)

type status struct {
	tenant    id.Tenant
	suspended bool
	since     time.Time
}

type fake struct {
	calls []status
	err   error
}

func (f *fake) ApplyStatus(_ context.Context, t id.Tenant, suspended bool, since time.Time) error {
	f.calls = append(f.calls, status{t, suspended, since})
	return f.err
}

func TestTenantReinstated_appliesStatus(t *testing.T) {
	t.Parallel()
	want := status{id.New[id.Tenant](), false, time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)}
	e := event.Event[Reinstated]{Envelope: event.Envelope{OccurredAt: want.since}, Payload: Reinstated{want.tenant}}
	for _, err := range []error{nil, errors.New("away")} {
		t.Run(fmt.Sprint(err), func(t *testing.T) { // a failed event is delivered again
			f := &fake{err: err}
			got := (&handler{f}).handle(t.Context(), e)
			check.Error(t, got, err)
			check.MustEqual(t, len(f.calls), 1)
			check.Equal(t, f.calls[0], want)
		})
	}
}
