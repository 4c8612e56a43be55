package outbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/consumer"
	"melmastoon.ghasi.io/functions/reservation"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// instanceName matches the name of an instance of the project.
var instanceName = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,97}$`)

// margin covers transactions that began before the moment and were committed after it.
const margin = time.Minute

// A comparison finds the changes that the copy of the last state has and the restored database has not: the events that only the copy's
// outbox has. Every change of a booking commits with its event, so the comparison finds published and unpublished changes.
type comparison struct {
	after, now *pgx.Conn // the copy and the database
	options    options
	out        io.Writer

	order    []key            // of the changed reservations, by their first lost event
	subjects map[key][]string // their lost events
	failed   error            // of the output
}

// A key identifies a reservation by its ids, in the form that payloads have.
type key struct {
	Tenant      id.Tenant
	Reservation string
}

// printLost prints the changes of all schemas that the database has lost, and what a person must repeat. It prints ids and states,
// never data of a guest.
func printLost(ctx context.Context, e env.Env, o options, out io.Writer) error {
	elsewhere, err := copyOf(e, o.lost)
	if err != nil {
		return err
	}
	c := comparison{options: o, out: out, subjects: map[key][]string{}}
	for _, database := range []struct {
		conn **pgx.Conn
		env  env.Env
	}{{&c.after, elsewhere}, {&c.now, e}} {
		if *database.conn, err = postgres.Connect(ctx, database.env); err != nil {
			return fmt.Errorf("outbox: %w", err)
		}
		defer (*database.conn).Close(context.WithoutCancel(ctx))
	}
	for _, schema := range o.schemas {
		if err := c.schema(ctx, schema); err != nil {
			return fmt.Errorf("outbox: lost changes of %s: %w", schema, err)
		}
	}
	return c.printReservations(ctx)
}

// copyOf returns the environment of the copy: another instance of the same project and region, or another database if the database
// has a URL.
func copyOf(e env.Env, name string) (env.Env, error) {
	var c struct {
		URL      string `env:"DATABASE_URL"`
		Instance string `env:"CLOUDSQL_INSTANCE"`
	}
	if err := e.Load(&c); err != nil {
		return e, err
	}
	variable, place := "CLOUDSQL_INSTANCE", c.Instance[:strings.LastIndex(c.Instance, ":")+1]+name
	same := place == c.Instance
	if c.URL != "" {
		u, err := url.Parse(c.URL)
		if err != nil {
			return e, errors.New("outbox: DATABASE_URL is not a URL") // the error would contain the password
		}
		same = u.Path == "/"+name
		u.Path = "/" + name
		variable, place = "DATABASE_URL", u.String()
	}
	if same {
		return e, fmt.Errorf("outbox: %s is the database itself, not a copy of its last state", name)
	}
	return e.With(variable, place), nil
}

// as runs f in a read-only transaction with a role of a schema, inside a tenant if one is given.
func as(ctx context.Context, conn *pgx.Conn, role string, tenant *id.Tenant, f func(pgx.Tx) error) error {
	return pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `SELECT set_config('role', @role, true), set_config('app.tenant_id', coalesce(@tenant::uuid::text, ''), true)`,
			pgx.StrictNamedArgs{"role": role, "tenant": tenant})
		if err != nil {
			return err
		}
		return f(tx)
	})
}

// A lostEvent is an event of the copy. Members that its payload does not have are empty.
type lostEvent struct {
	ID                                  [16]byte
	Subject                             string
	Tenant                              *id.Tenant
	OccurredAt                          time.Time
	Reservation, Draft, Handoff, Intent string
}

// schema prints the number of lost events by subject, the lost handoffs and payment intents, and the erasures to repeat. It collects
// the changed reservations.
func (c *comparison) schema(ctx context.Context, schema string) error {
	var events []lostEvent
	err := as(ctx, c.after, schema+"_maintenance", nil, func(tx pgx.Tx) (err error) {
		rows, _ := tx.Query(ctx, `
			SELECT id, subject, tenant_id, occurred_at, coalesce(payload ->> 'reservationId', ''), coalesce(payload ->> 'draftId', ''),
				coalesce(payload ->> 'handoffId', ''), coalesce(payload ->> 'intentId', '')
			FROM `+schema+`.outbox
			WHERE enqueued_at >= @since
			ORDER BY seq`, pgx.StrictNamedArgs{"since": c.options.since.Add(-margin)})
		events, err = pgx.CollectRows(rows, pgx.RowToStructByPos[lostEvent])
		return err
	})
	if err != nil {
		return fmt.Errorf("in the copy: %w", err)
	}
	here, err := c.here(ctx, schema, events)
	if err != nil {
		return err
	}
	lost := slices.DeleteFunc(slices.Clone(events), func(e lostEvent) bool { return here[e.ID] })
	c.sayf("%s: %d of %d events since %s are lost", schema, len(lost), len(events), instant(c.options.since.Add(-margin)))
	counts := map[string]int{}
	for _, e := range lost {
		counts[e.Subject]++
	}
	for _, subject := range slices.Sorted(maps.Keys(counts)) {
		c.sayf("%s: %d of %s", schema, counts[subject], subject)
	}
	for _, e := range lost {
		c.note(e)
	}
	return c.printErasures(ctx, schema)
}

// atOnce is the number of events that one statement looks up.
const atOnce = 1000

// here returns the ids of those events that the database has too.
func (c *comparison) here(ctx context.Context, schema string, events []lostEvent) (map[[16]byte]bool, error) {
	found := map[[16]byte]bool{}
	err := as(ctx, c.now, schema+"_maintenance", nil, func(tx pgx.Tx) error {
		for some := range slices.Chunk(events, atOnce) {
			ids := make([][16]byte, len(some))
			for i, e := range some {
				ids[i] = e.ID
			}
			rows, _ := tx.Query(ctx, `SELECT id FROM `+schema+`.outbox WHERE id = ANY(@ids::uuid[])`, pgx.StrictNamedArgs{"ids": ids})
			known, err := pgx.CollectRows(rows, pgx.RowTo[[16]byte])
			if err != nil {
				return err
			}
			for _, event := range known {
				found[event] = true
			}
		}
		return nil
	})
	return found, err
}

// note prints what concerns another service, and remembers the reservation of the event.
func (c *comparison) note(e lostEvent) {
	switch {
	case e.Subject == "melmastoon.bff.tenant.handoff.consumed.v1":
		c.sayf("handoff %s of tenant %s was used at %s", e.Handoff, e.Tenant, instant(e.OccurredAt))
	case e.Intent != "":
		c.sayf("payment intent %s of draft %s of tenant %s was opened at %s", e.Intent, e.Draft, e.Tenant, instant(e.OccurredAt))
	case strings.HasPrefix(e.Subject, "melmastoon.reservation.") && e.Tenant != nil && e.Reservation != "":
		k := key{*e.Tenant, e.Reservation}
		if c.subjects[k] == nil {
			c.order = append(c.order, k)
		}
		c.subjects[k] = append(c.subjects[k], strings.TrimSuffix(strings.TrimPrefix(e.Subject, "melmastoon.reservation."), ".v1"))
	}
}

// An erasure is the request of a guest to delete the data of a reservation or of a session.
type erasure struct {
	Tenant      *id.Tenant
	Reservation *id.Reservation
	Session     *id.GuestSession
}

func (e erasure) String() string {
	if e.Session != nil {
		return "session " + e.Session.String()
	}
	return fmt.Sprintf("reservation %s of tenant %s", e.Reservation, e.Tenant)
}

// erasures selects the erasures that were requested since the moment, by schema.
var erasures = map[string]string{
	reservation.Schema: `
		SELECT tenant_id, reservation_id, NULL::uuid FROM reservation.erasures WHERE requested_at >= @since ORDER BY requested_at, 2`,
	consumer.Schema: `
		SELECT NULL::uuid, NULL::uuid, guest_session_id FROM bff_consumer.erasure_requests WHERE requested_at >= @since
		UNION
		SELECT NULL::uuid, NULL::uuid, guest_session_id FROM bff_consumer.erasure_receipts WHERE requested_at >= @since`,
}

// printErasures prints the erasures that the database no longer knows: data of these guests is back.
func (c *comparison) printErasures(ctx context.Context, schema string) error {
	if erasures[schema] == "" {
		return nil
	}
	var found [2][]string
	for i, conn := range []*pgx.Conn{c.after, c.now} {
		err := as(ctx, conn, schema+"_maintenance", nil, func(tx pgx.Tx) error {
			rows, _ := tx.Query(ctx, erasures[schema], pgx.StrictNamedArgs{"since": c.options.since.Add(-margin)})
			requested, err := pgx.CollectRows(rows, pgx.RowToStructByPos[erasure])
			for _, e := range requested {
				found[i] = append(found[i], e.String())
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	for _, guest := range found[0] {
		if !slices.Contains(found[1], guest) {
			c.sayf("erase %s again", guest)
		}
	}
	return nil
}

// A booked is what a database knows of a reservation. A hold past its expiry is expired, whatever the row says.
type booked struct {
	State       string
	Version     int
	Code        string
	Property    id.Property
	From, To    string
	Currency    string
	Captured    int64
	Named       bool // whether the guest's details are known
	Intents     []string
	Allocations []id.Allocation
}

// known returns what a database knows of a reservation, or nil.
func known(ctx context.Context, conn *pgx.Conn, k key) (s *booked, err error) {
	of, err := id.Parse[id.Reservation](k.Reservation)
	if err != nil {
		return nil, err
	}
	err = as(ctx, conn, reservation.Schema+"_app", &k.Tenant, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, `
			SELECT CASE WHEN r.state = 'held' AND h.expires_at <= platform.now() THEN 'expired_hold' ELSE r.state END, r.version, r.code,
				r.property_id, r.stay_start::text, r.stay_end::text, r.currency, r.captured_micro,
				EXISTS (SELECT FROM reservation.guests AS g WHERE g.tenant_id = r.tenant_id AND g.reservation_id = r.reservation_id),
				ARRAY(SELECT p.entry ->> 'paymentIntentId'
					FROM jsonb_array_elements(CASE jsonb_typeof(r.payments) WHEN 'array' THEN r.payments ELSE '[]' END) AS p (entry)),
				h.allocation_ids
			FROM reservation.reservations AS r
			JOIN reservation.holds AS h USING (tenant_id, hold_id)
			WHERE r.tenant_id = @tenant AND r.reservation_id = @reservation`, pgx.StrictNamedArgs{"tenant": k.Tenant, "reservation": of})
		s, err = pgx.CollectExactlyOneRow(rows, pgx.RowToAddrOfStructByPos[booked])
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	return s, err
}

// printReservations prints what each changed reservation was, and what it is now. After the events have been delivered again, a
// reservation may be what it was.
func (c *comparison) printReservations(ctx context.Context) error {
	for i, k := range c.order {
		if i == c.options.limit {
			c.sayf("and %d more reservations: use a later -since or a higher -limit", len(c.order)-i)
			break
		}
		was, err := known(ctx, c.after, k)
		if err != nil {
			return fmt.Errorf("outbox: %s in the copy: %w", k.Reservation, err)
		}
		is, err := known(ctx, c.now, k)
		if err != nil {
			return fmt.Errorf("outbox: %s: %w", k.Reservation, err)
		}
		c.sayf("reservation %s of tenant %s: was %s; is %s; lost events: %s", k.Reservation, k.Tenant, was, is, strings.Join(c.subjects[k], ", "))
	}
	if len(c.order) == 0 {
		c.sayf("no reservation has lost a change")
	}
	return c.failed
}

// String describes the state for a person who calls the hotel.
func (s *booked) String() string {
	if s == nil {
		return "unknown"
	}
	guest := "guest named"
	if !s.Named {
		guest = "no guest"
	}
	text := fmt.Sprintf("%s (%s, version %d, code %s, property %s, %s to %s, captured %d micro %s", s.State, guest, s.Version, s.Code, s.Property, s.From, s.To,
		s.Captured, s.Currency)
	if len(s.Intents) > 0 {
		text += " by " + strings.Join(s.Intents, " ")
	}
	return text + fmt.Sprintf(", allocations %s)", strings.Trim(fmt.Sprint(s.Allocations), "[]"))
}

// sayf prints a line. It keeps the first error.
func (c *comparison) sayf(format string, args ...any) {
	if _, err := fmt.Fprintf(c.out, format+"\n", args...); c.failed == nil {
		c.failed = err
	}
}
