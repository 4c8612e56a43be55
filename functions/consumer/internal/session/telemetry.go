package session

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/consumer/internal/search"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// Telemetry stores page views and funnel steps of guests. It stores nothing for sessions without consent to telemetry.
type Telemetry struct {
	db       *postgres.DB
	searches SearchSessions
}

// OpenTelemetry opens the stores.
func OpenTelemetry(e env.Env) Telemetry {
	return Telemetry{db: postgres.Open(e, Schema), searches: OpenSearchSessions(e)}
}

// About holds the subject of a telemetry record. If a page reported it, the hotel is not verified, and a search session that is
// not the visitor's or has expired is omitted.
type About struct {
	Tenant   *id.Tenant
	Property *id.Property
	Search   *id.SearchSession
}

// A PageView is one view of a page.
type PageView struct {
	About
	Path     string // a [RedactAddress]
	Referer  string // a [RedactAddress]
	ViewedAt time.Time
}

// RecordPageView stores a page view, unless the session has no consent to telemetry or has ended.
func (t Telemetry) RecordPageView(ctx context.Context, v Visitor, p PageView) error {
	if !v.Session.isTracked() {
		return nil
	}
	p.Search = t.searches.Interact(ctx, v, p.Search, p.ViewedAt)
	err := t.db.InTx(ctx, func(tx postgres.Tx) error {
		_, err := tx.Last().Exec(ctx, `
			INSERT INTO bff_consumer.page_views (page_view_id, guest_session_id, search_session_id, path, tenant_id, property_id,
				viewed_at, referer, user_agent_hash, fingerprint_hash)
			SELECT @view, guest_session_id, @search, @path, @tenant, @property, @viewed, nullif(@referer, ''), @agent, @fingerprint
			FROM bff_consumer.guest_sessions
			WHERE guest_session_id = @session AND ended_at IS NULL AND consent_telemetry
			FOR KEY SHARE`,
			pgx.StrictNamedArgs{"view": id.New[id.PageView](), "session": v.Session.ID, "search": p.Search, "path": p.Path,
				"tenant": p.Tenant, "property": p.Property, "viewed": p.ViewedAt, "referer": p.Referer,
				"agent": v.Agent, "fingerprint": v.Fingerprint})
		return err
	})
	if err != nil {
		return fmt.Errorf("telemetry: page view of %s: %w", v.Session.ID, err)
	}
	return nil
}

// maxCount is the maximum of numbers that a page reports.
const maxCount = 1_000_000_000

// outOfRange returns a violation for each number that is not from 0 to most. The map's keys are their pointers.
func outOfRange(numbers map[string]*int, most int) (wrong []fault.Violation) {
	for _, at := range slices.Sorted(maps.Keys(numbers)) {
		if n := numbers[at]; n != nil && (*n < 0 || *n > most) {
			wrong = append(wrong, fault.Violation{Pointer: at, Rule: "range", Message: "Must be within the range of positions."})
		}
	}
	return wrong
}

// A FunnelStep is a step on the way to a booking.
type FunnelStep string

// The steps.
const (
	StepSessionStarted   FunnelStep = "session.started"
	StepSearchExecuted   FunnelStep = "search.executed"
	StepScrolledHalf     FunnelStep = "list.scrolled-50pct"
	StepScrolledMost     FunnelStep = "list.scrolled-90pct"
	StepMapOpened        FunnelStep = "map.opened"
	StepDetailViewed     FunnelStep = "detail.viewed"
	StepWishlistAdded    FunnelStep = "wishlist.added"
	StepHandoffInitiated FunnelStep = "handoff.initiated"
)

// UnmarshalText rejects unknown steps.
func (s *FunnelStep) UnmarshalText(text []byte) error {
	switch read := FunnelStep(text); read {
	case StepSessionStarted, StepSearchExecuted, StepScrolledHalf, StepScrolledMost, StepMapOpened, StepDetailViewed,
		StepWishlistAdded, StepHandoffInitiated:
		*s = read
		return nil
	}
	return errors.New("is not a funnel step")
}

// Metadata holds further data of a step: numbers, booleans and enumerated words. It cannot contain text of a guest.
type Metadata struct {
	Position    *int           `json:"position,omitzero"`
	Page        *int           `json:"page,omitzero"`
	ResultCount *int           `json:"resultCount,omitzero"`
	ScrollPct   *int           `json:"scrollPct,omitzero"`
	DurationMs  *int           `json:"durationMs,omitzero"`
	FromCache   *bool          `json:"fromCache,omitzero"`
	SortKey     search.SortKey `json:"sortKey,omitzero"`
	Source      ViewSource     `json:"source,omitzero"`
}

// Check returns the violations of the metadata, with pointers below at.
func (m *Metadata) Check(at string) []fault.Violation {
	if m == nil {
		return nil
	}
	return outOfRange(map[string]*int{at + "/position": m.Position, at + "/page": m.Page, at + "/resultCount": m.ResultCount,
		at + "/scrollPct": m.ScrollPct, at + "/durationMs": m.DurationMs}, maxCount)
}

// A Step is a step that a guest has taken.
type Step struct {
	About
	Step       FunnelStep
	OccurredAt time.Time
	Metadata   *Metadata
}

// serverSteps are the steps that the server records itself, as part of the act.
var serverSteps = []FunnelStep{StepSessionStarted, StepSearchExecuted, StepDetailViewed, StepWishlistAdded, StepHandoffInitiated}

// RecordStep stores a step that a page reported, unless the session has no consent to telemetry or has ended. It ignores
// serverSteps.
func (t Telemetry) RecordStep(ctx context.Context, v Visitor, s Step) error {
	if !v.Session.isTracked() || slices.Contains(serverSteps, s.Step) {
		return nil
	}
	s.Search = t.searches.Interact(ctx, v, s.Search, s.OccurredAt)
	err := t.db.InTx(ctx, func(tx postgres.Tx) error {
		_, err := tx.Last().Exec(ctx, insertStep, s.arguments(v.Session))
		return err
	})
	if err != nil {
		return fmt.Errorf("telemetry: step of %s: %w", v.Session.ID, err)
	}
	return nil
}

// QueueStep stores a step of the server in the transaction of its act, without a round trip of its own. It stores nothing for
// a session that has ended, has no consent to telemetry, or is not stored.
func QueueStep(tx postgres.Tx, session Session, s Step) {
	if session.isTracked() {
		tx.Queue(insertStep, s.arguments(session))
	}
}

// insertStep inserts a step if its session is active and consents to telemetry. The lock orders it before or after the end of
// the session.
const insertStep = `
	INSERT INTO bff_consumer.funnel_events (funnel_event_id, guest_session_id, step, occurred_at, tenant_id, property_id,
		search_session_id, metadata)
	SELECT @event, guest_session_id, @step, @occurred, @tenant, @property, @search, @metadata
	FROM bff_consumer.guest_sessions
	WHERE guest_session_id = @session AND ended_at IS NULL AND consent_telemetry
	FOR KEY SHARE`

func (s Step) arguments(session Session) pgx.StrictNamedArgs {
	return pgx.StrictNamedArgs{"event": id.New[id.FunnelEvent](), "session": session.ID, "step": s.Step, "occurred": s.OccurredAt,
		"tenant": s.Tenant, "property": s.Property, "search": s.Search, "metadata": s.Metadata}
}
