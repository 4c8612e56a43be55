package booking

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/functions/reservation/internal/service"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/stay"
)

// maxSpecialRequests is the number of special requests that a reservation can have.
const maxSpecialRequests = 20

// A SpecialRequest is a wish of a guest beyond the room. Its free text is scrubbed.
type SpecialRequest struct {
	ID         id.SpecialRequest `json:"requestId" db:"special_request_id"`
	Tags       []Tag             `json:"tags"`
	FreeText   Text              `json:"freeText,omitzero"`
	Locale     locale.Tag        `json:"locale"`
	Source     Source            `json:"source"`
	Provenance *Provenance       `json:"aiProvenance,omitzero" db:"ai_provenance"`
	AddedAt    time.Time         `json:"addedAt"`
	AddedBy    access.Actor      `json:"actor"`
}

// A Tag classifies a special request.
type Tag string

// tags are the tags that reservation.yaml lists.
var tags = []Tag{
	"early_check_in", "late_check_out", "high_floor", "ground_floor", "accessible", "cot", "extra_bed", "prayer_mat", "halal_meal",
	"vegetarian", "allergy", "airport_transfer", "quiet_room", "connecting_rooms", "women_only_floor", "other",
}

// UnmarshalText rejects an unknown tag.
func (t *Tag) UnmarshalText(text []byte) error { return service.OneOf(t, text, tags...) }

// A Source says who worded a special request.
type Source string

// The sources.
const (
	FromGuest  Source = "guest"
	FromStaff  Source = "staff"
	FromParser Source = "ai_parser" // extracted from a guest's text
)

// UnmarshalText rejects an unknown source.
func (s *Source) UnmarshalText(text []byte) error {
	return service.OneOf(s, text, FromGuest, FromStaff, FromParser)
}

// A Provenance names the model that extracted a special request, and its confidence from 0 to 1.
type Provenance struct {
	Model      access.Name `json:"model"`
	Version    access.Name `json:"version"`
	Confidence float64     `json:"confidence"`
}

// Validate rejects a wrong number of tags, a long text, and a provenance that does not fit the source.
func (q SpecialRequest) Validate() error {
	var found service.Violations
	found.Refuse("tags", fmt.Sprintf("must be 1 to %d different tags", stay.MaxRequestTags), len(q.Tags) == 0 || len(q.Tags) > stay.MaxRequestTags || len(slices.Compact(slices.Sorted(slices.Values(q.Tags)))) < len(q.Tags))
	found.Refuse("freeText", fmt.Sprintf("must be at most %d characters", stay.MaxRequestLength), !service.Printable(string(q.FreeText), stay.MaxRequestLength))
	found.Refuse("aiProvenance", "must be present exactly if source is ai_parser", (q.Provenance != nil) != (q.Source == FromParser))
	if p := q.Provenance; p != nil {
		found.Refuse("aiProvenance/confidence", "must be a number from 0 to 1", !(p.Confidence >= 0 && p.Confidence <= 1))
	}
	return found.Err()
}

// Ask adds a special request and increments the version. It returns false if the same act has added it before. It returns
// ErrHoldExpired or ErrIllegalTransition after the reservation has ended, and ErrTooManyRequests if it has 20.
func (r *Reservation) Ask(q SpecialRequest) (added bool, err error) {
	if slices.ContainsFunc(r.Requests, func(old SpecialRequest) bool { return old.ID == q.ID }) {
		return false, nil
	}
	switch r.EffectiveState() {
	case Held, Confirmed, CheckInStarted, CheckedIn, CheckoutStarted:
	case ExpiredHold:
		return false, ErrHoldExpired
	default:
		return false, r.illegal()
	}
	if len(r.Requests) >= maxSpecialRequests {
		return false, ErrTooManyRequests
	}
	q.AddedAt = event.Time(r.AsOf)
	r.Requests = append(r.Requests, q)
	r.Version++
	return true, nil
}

// RequestWithDetails returns the text of the special request that belongs to the guest details, or "".
func (r *Reservation) RequestWithDetails() string {
	for _, q := range r.Requests {
		if q.ID == id.Derive[id.SpecialRequest](r.ID, "guest") {
			return string(q.FreeText)
		}
	}
	return ""
}

// askWithDetails replaces the special request that belongs to the guest details. An empty text removes it. It returns false if
// nothing changes.
func (r *Reservation) askWithDetails(text string, l locale.Tag) (q SpecialRequest, changed bool) {
	q = SpecialRequest{
		ID: id.Derive[id.SpecialRequest](r.ID, "guest"), Tags: []Tag{"other"}, FreeText: Text(text), Locale: l, Source: FromGuest,
		AddedAt: event.Time(r.AsOf), AddedBy: access.Actor{Type: access.Guest, ID: access.Name(r.Guest.String())},
	}
	known := slices.IndexFunc(r.Requests, func(old SpecialRequest) bool { return old.ID == q.ID })
	if known < 0 && text == "" || known >= 0 && r.Requests[known].FreeText == q.FreeText && r.Requests[known].Locale == l {
		return q, false
	}
	r.Requests = slices.Clone(r.Requests)
	if known >= 0 {
		r.Requests = slices.Delete(r.Requests, known, known+1)
	}
	if text != "" {
		r.Requests = append(r.Requests, q)
	}
	r.Version++
	return q, true
}

// SaveRequest stores the latest special request and saves the reservation with its event.
func (s Reservations) SaveRequest(ctx context.Context, tx postgres.Tx, r *Reservation) error {
	q := r.Requests[len(r.Requests)-1]
	tx.Queue(`
		INSERT INTO reservation.special_requests (special_request_id, tenant_id, reservation_id, tags, free_text, locale, source,
			ai_provenance, added_at, added_by)
		VALUES (@request, @tenant, @reservation, @tags, @text, @locale, @source, @provenance, @addedAt, @addedBy)`,
		pgx.StrictNamedArgs{"request": q.ID, "tenant": r.Tenant, "reservation": r.ID, "tags": q.Tags, "text": q.FreeText, "locale": q.Locale,
			"source": q.Source, "provenance": q.Provenance, "addedAt": q.AddedAt, "addedBy": q.AddedBy})
	if err := s.Save(ctx, tx, r, RequestAdded(r)); err != nil {
		return fmt.Errorf("reservations: add a special request to %s: %w", r.ID, err)
	}
	return nil
}

// A requestAdded is the payload of RequestAddedV1.
type requestAdded struct {
	Reservation id.Reservation    `json:"reservationId"`
	Tenant      id.Tenant         `json:"tenantId"`
	Request     id.SpecialRequest `json:"requestId"`
	Tags        []Tag             `json:"tags"`
	FreeText    Text              `json:"freeText,omitzero"`
	Locale      locale.Tag        `json:"locale"`
	Source      Source            `json:"source"`
	OccurredAt  time.Time         `json:"occurredAt"`
	Actor       access.Actor      `json:"actor"`
	Provenance  *Provenance       `json:"aiProvenance,omitzero"`
}

// RequestAdded returns the event of the latest special request. The words that a guest typed, and what a program has extracted from
// them, stay in this service, because they may contain a name.
func RequestAdded(r *Reservation) event.Draft {
	q := r.Requests[len(r.Requests)-1]
	if q.Source != FromStaff {
		q.FreeText = ""
	}
	return r.event(RequestAddedV1, requestAdded{
		Reservation: r.ID, Tenant: r.Tenant, Request: q.ID, Tags: q.Tags, FreeText: q.FreeText, Locale: q.Locale, Source: q.Source,
		OccurredAt: q.AddedAt, Actor: q.AddedBy, Provenance: q.Provenance,
	})
}
