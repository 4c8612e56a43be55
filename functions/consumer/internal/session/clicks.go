package session

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"time"

	"melmastoon.ghasi.io/functions/consumer/internal/search"
	"melmastoon.ghasi.io/shared/event/attribution"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
)

// A ClickKind is the kind of element that was clicked.
type ClickKind string

// The kinds of clicks.
const (
	OnListing  ClickKind = "listing-card"
	OnPin      ClickKind = "map-pin"
	OnSimilar  ClickKind = "similar-property"
	OnWish     ClickKind = "wishlist-card"
	OnBrandTip ClickKind = "brand-peek"
)

// UnmarshalText rejects unknown kinds.
func (k *ClickKind) UnmarshalText(text []byte) error {
	switch read := ClickKind(text); read {
	case OnListing, OnPin, OnSimilar, OnWish, OnBrandTip:
		*k = read
		return nil
	}
	return errors.New("is not a kind of click")
}

// A Click is a click on a hotel, with the hotel's position in a list.
type Click struct {
	Kind     ClickKind         `json:"kind"`
	Tenant   id.Tenant         `json:"tenantId"`
	Property id.Property       `json:"propertyId"`
	Search   *id.SearchSession `json:"searchSessionId,omitzero"`
	Position *int              `json:"position,omitzero"`
	Page     *int              `json:"page,omitzero"`
	SortKey  search.SortKey    `json:"sortKey,omitzero"`
}

// Validate rejects a position outside every list.
func (c *Click) Validate() error {
	if wrong := outOfRange(map[string]*int{"/position": c.Position, "/page": c.Page}, search.MaxPosition); len(wrong) > 0 {
		return fault.ErrValidation.With(wrong...)
	}
	return nil
}

type clickRecorded struct {
	Session id.GuestSession `json:"guestSessionId"`
	Click
	OccurredAt time.Time `json:"occurredAt"`
}

// Clicks publishes the clicks of visitors on hotels. The search service ranks by clicks, so only clicks by likely humans are
// published.
type Clicks struct {
	publisher  *Publisher
	properties *search.Properties
	searches   SearchSessions
	counted    document.Collection[time.Time] // by session, hotel and kind
}

// OpenClicks opens the client and the stores.
func OpenClicks(e env.Env) *Clicks {
	return &Clicks{
		publisher:  OpenPublisher(e),
		properties: search.OpenProperties(e),
		searches:   OpenSearchSessions(e),
		counted:    document.Open[time.Time](e, "consumer-clicked"),
	}
}

// clickEvery is the interval in which repeated clicks of one session, kind and hotel count once.
const clickEvery = 10 * time.Second

// Record publishes a click on a hotel, or returns fault.ErrNotFound if the tenant has no such hotel. It accepts but does not publish
// clicks of sessions without telemetry, of programs, of sessions that start with this request, and repeated clicks. It omits a
// search session that is not the visitor's or has expired.
func (c *Clicks) Record(ctx context.Context, v Visitor, click Click, now time.Time) error {
	hotel, _, err := c.properties.Get(ctx, click.Property)
	if err != nil {
		return err
	}
	if hotel.Tenant != click.Tenant {
		return fault.ErrNotFound
	}
	if !v.Session.isTracked() || v.Session.isNew || v.Class == attribution.Other {
		return nil
	}
	counted := clickKey(v.Session.ID, click)
	first, err := c.counted.Create(ctx, counted, now, now.Add(clickEvery))
	if err != nil || !first { // without the hot store duplicates cannot be detected, so no click counts
		return nil
	}
	click.Search = c.searches.Interact(ctx, v, click.Search, now)
	return c.publisher.Publish(ctx, v.Session, v.Event(ClickRecordedV1, clickRecorded{
		Session:    v.Session.ID,
		Click:      click,
		OccurredAt: now,
	}))
}

// clickKey returns the key of a counted click. It is a hash, so no session id remains after the session is cleared.
func clickKey(session id.GuestSession, c Click) document.Key {
	sum := sha256.Sum256([]byte(session.String() + " " + c.Property.String() + " " + string(c.Kind)))
	return document.KeyOf(hex.EncodeToString(sum[:]))
}
