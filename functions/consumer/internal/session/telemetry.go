package session

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"melmastoon.ghasi.io/functions/consumer/internal/search"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/pseudonym"
)

// About holds the subject of a page view or a funnel step. If a page reported it, the hotel is not verified, and a search session
// that is not the visitor's or has expired is omitted.
type About struct {
	Tenant   *id.Tenant        `json:"tenantId,omitzero"`
	Property *id.Property      `json:"propertyId,omitzero"`
	Search   *id.SearchSession `json:"searchSessionId,omitzero"`
}

// Telemetry publishes page views and funnel steps of guests.
type Telemetry struct {
	publisher *Publisher
	searches  SearchSessions
}

// OpenTelemetry opens the publisher and the search sessions.
func OpenTelemetry(e env.Env) Telemetry {
	return Telemetry{publisher: OpenPublisher(e), searches: OpenSearchSessions(e)}
}

// A PageView is one view of a page.
type PageView struct {
	About
	Path     string    `json:"path"`             // a [RedactAddress]
	Referer  string    `json:"referer,omitzero"` // a [RedactAddress]
	ViewedAt time.Time `json:"viewedAt"`
}

type pageViewed struct {
	ID      id.PageView     `json:"pageViewId"`
	Session id.GuestSession `json:"guestSessionId"`
	PageView
	Agent       pseudonym.Hash `json:"userAgentHash"`
	Fingerprint pseudonym.Hash `json:"fingerprintHash"`
}

// RecordPageView publishes a page view, unless the session has no consent to telemetry or has ended.
func (t Telemetry) RecordPageView(ctx context.Context, v Visitor, p PageView) error {
	if !v.Session.isTracked() {
		return nil
	}
	p.Search = t.searches.Interact(ctx, v, p.Search, p.ViewedAt)
	return t.publisher.Publish(ctx, v.Session, v.Event(PageViewedV1, pageViewed{
		ID:          id.New[id.PageView](),
		Session:     v.Session.ID,
		PageView:    p,
		Agent:       v.Agent,
		Fingerprint: v.Fingerprint,
	}))
}

// maxCount is the maximum of numbers that a page reports.
const maxCount = 1_000_000_000

// outOfRange returns a violation for each number that is not from 0 to limit. The map's keys are their pointers.
func outOfRange(numbers map[string]*int, limit int) (wrong []fault.Violation) {
	for _, at := range slices.Sorted(maps.Keys(numbers)) {
		if n := numbers[at]; n != nil && (*n < 0 || *n > limit) {
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
	Step       FunnelStep `json:"step"`
	OccurredAt time.Time  `json:"occurredAt"`
	Metadata   *Metadata  `json:"metadata,omitzero"`
}

type stepReached struct {
	ID      id.FunnelEvent  `json:"funnelEventId"`
	Session id.GuestSession `json:"guestSessionId"`
	Step
}

// serverSteps are the steps that the server publishes itself. Each except [StepDetailViewed] has its own event and no
// [FunnelStepReachedV1]: [SessionStartedV1], [SearchExecutedV1], [WishlistAddedV1] and [HandoffInitiatedV1].
var serverSteps = []FunnelStep{StepSessionStarted, StepSearchExecuted, StepDetailViewed, StepWishlistAdded, StepHandoffInitiated}

// RecordStep publishes a step that a page reported, unless the session has no consent to telemetry or has ended. It ignores
// serverSteps.
func (t Telemetry) RecordStep(ctx context.Context, v Visitor, s Step) error {
	if !v.Session.isTracked() || slices.Contains(serverSteps, s.Step) {
		return nil
	}
	s.Search = t.searches.Interact(ctx, v, s.Search, s.OccurredAt)
	return t.publisher.Publish(ctx, v.Session, v.reached(s))
}

func (v Visitor) reached(step Step) event.Draft {
	return v.Event(FunnelStepReachedV1, stepReached{ID: id.New[id.FunnelEvent](), Session: v.Session.ID, Step: step})
}
