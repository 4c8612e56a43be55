package consumer

import (
	"context"
	"errors"
	"time"

	"melmastoon.ghasi.io/shared/event/attribution"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
)

// A ClickKind is what was clicked on.
type ClickKind string

// The kinds of clicks.
const (
	OnListing  ClickKind = "listing-card"
	OnPin      ClickKind = "map-pin"
	OnSimilar  ClickKind = "similar-property"
	OnWish     ClickKind = "wishlist-card"
	OnBrandTip ClickKind = "brand-peek"
)

// UnmarshalText refuses a kind that does not exist.
func (k *ClickKind) UnmarshalText(text []byte) error {
	switch read := ClickKind(text); read {
	case OnListing, OnPin, OnSimilar, OnWish, OnBrandTip:
		*k = read
		return nil
	}
	return errors.New("is not a kind of click")
}

// A Click is a click on a hotel, and where in a list it stood.
type Click struct {
	Kind     ClickKind         `json:"kind"`
	Tenant   id.Tenant         `json:"tenantId"`
	Property id.Property       `json:"propertyId"`
	Search   *id.SearchSession `json:"searchSessionId,omitzero"`
	Position *int              `json:"position,omitzero"`
	Page     *int              `json:"page,omitzero"`
	SortKey  SortKey           `json:"sortKey,omitzero"`
}

// maxPosition bounds where in a list a hotel can stand: search pages end there.
const maxPosition = maxOffset + maxListings

// Validate rejects a position outside every list.
func (c *Click) Validate() error {
	return refuse(uncountable(map[string]*int{"/position": c.Position, "/page": c.Page}, maxPosition)...)
}

type clickRecorded struct {
	Session id.GuestSession `json:"guestSessionId"`
	Click
	OccurredAt time.Time `json:"occurredAt"`
}

// Clicks publishes the clicks of visitors on hotels. Search ranks by them, so a click must be worth a visitor's attention.
type Clicks struct {
	voice      *Publisher
	properties *Properties
	counted    document.Collection[time.Time] // by session, hotel and kind
}

// OpenClicks opens the client and the stores.
func OpenClicks(e env.Env) *Clicks {
	return &Clicks{
		voice:      OpenPublisher(e),
		properties: OpenProperties(e),
		counted:    document.Open[time.Time](e, "consumer-clicked"),
	}
}

// clickEvery is the time in which a session's further clicks of one kind on one hotel count as the first.
const clickEvery = 10 * time.Second

// Record publishes a click on a hotel, or returns ErrNotFound if the tenant has no such hotel. A click that shows no visitor's
// interest is accepted and not published: of a session without telemetry, of a program, of a session that begins with it, and
// of one that has just clicked there. A search session that is not the visitor's, or no longer goes on, is left out.
func (c *Clicks) Record(ctx context.Context, v Visitor, click Click, now time.Time) error {
	house, _, err := c.properties.Get(ctx, click.Property)
	if err != nil {
		return err
	}
	if house.Tenant != click.Tenant {
		return ErrNotFound
	}
	if !v.Session.Consent.Telemetry || v.Session.begun || v.Class == attribution.Other {
		return nil
	}
	if click.Search != nil && !v.Session.goesOn(*click.Search, now) {
		click.Search = nil
	}
	// The key is a hash: a session that is cleared leaves its id nowhere.
	counted := key([]string{v.Session.ID.String(), click.Property.String(), string(click.Kind)})
	first, err := c.counted.Create(ctx, counted, now, now.Add(clickEvery))
	if err != nil || !first { // without the hot store clicks cannot be counted once, so none counts
		return nil
	}
	return c.voice.Publish(ctx, v.Session, v.Event(ClickRecordedV1, clickRecorded{
		Session:    v.Session.ID,
		Click:      click,
		OccurredAt: now,
	}))
}
