package system

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/consumer"
	"melmastoon.ghasi.io/functions/tenantbooking"
	"melmastoon.ghasi.io/shared/local/bus"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/flags"
	"melmastoon.ghasi.io/shared/platform/topic"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// Events represents one event in an outbox.
type Events struct {
	Service     string
	Seq         int64
	Subject     string
	OrderingKey string
	Status      string
	Envelope    map[string]any
	Payload     map[string]any
}

// Published returns the events of all services, each in the order of its outbox.
func (s *System) Published(ctx context.Context) []Events {
	s.t.Helper()
	conn := s.DB.Owner(s.t)
	rows, _ := conn.Query(ctx, `
		SELECT 'bff_consumer' AS service, seq, subject, ordering_key, status, envelope, payload FROM bff_consumer.outbox
		UNION ALL
		SELECT 'bff_tenant_booking', seq, subject, ordering_key, status, envelope, payload FROM bff_tenant_booking.outbox
		UNION ALL
		SELECT 'reservation', seq, subject, ordering_key, status, envelope, payload FROM reservation.outbox
		UNION ALL
		SELECT 'sandbox', seq, subject, ordering_key, status, envelope, payload FROM sandbox.outbox
		ORDER BY 1, 2`)
	return check.Got(pgx.CollectRows(rows, pgx.RowToStructByName[Events])).Must(s.t)
}

// Subjects returns the subjects of events about a reservation by service, in order, without the platform's prefix and the
// version.
func (s *System) Subjects(reservation string) []string {
	s.t.Helper()
	var subjects []string
	for _, e := range s.Published(s.t.Context()) {
		if e.Payload["reservationId"] == reservation {
			subjects = append(subjects, strings.TrimSuffix(strings.TrimPrefix(e.Subject, "melmastoon."), ".v1"))
		}
	}
	return subjects
}

// Expect fails the test unless exactly these events were published about the booking.
func (b *Booking) Expect(subjects ...string) {
	b.system.t.Helper()
	check.Equal(b.system.t, b.system.Subjects(b.ReservationID), subjects, "events of %s", b)
}

var errFound = errors.New("found")

// PublishAgain publishes the first message of a topic again: its subscribers receive a late duplicate.
func (s *System) PublishAgain(on string) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), 30*time.Second)
	defer cancel()
	var first bus.Stored
	err := s.Cloud.Messages().Tail(ctx, 0, func(m bus.Stored) error {
		if m.Topic != on {
			return nil
		}
		first = m
		return errFound
	})
	if !errors.Is(err, errFound) {
		s.t.Fatalf("no message on %s: %v", on, err)
	}
	check.Must(s.t, errors.Join(s.Cloud.Messages().Publish(ctx, []topic.Message{first.Message})...))
}

// PublishAllTelemetry disables the sampling of telemetry: an event that is not published costs less, and no test can expect it.
func PublishAllTelemetry(t testing.TB, e env.Env) {
	t.Helper()
	for collection, sampling := range map[string]string{
		consumer.FlagsIn:      `{"melmastoon.bff.consumer.search.executed.v1":1}`,
		tenantbooking.FlagsIn: `{"melmastoon.bff.tenant.flow.step_completed.v1":1}`,
	} {
		current := flags.Document{Sampling: jsontext.Value(sampling)}
		check.Got(document.Open[flags.Document](e, collection).Put(t.Context(), flags.Key, current, 1, e.Now().AddDate(1, 0, 0))).Must(t)
	}
}
