package session

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
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
// published, and of those a bounded number.
type Clicks struct {
	publisher  *Publisher
	properties *search.Properties
	searches   SearchSessions
	counted    document.Collection[time.Time] // by session and hotel
	addresses  document.Collection[int64]     // counters by address and hotel
	env        env.Env
}

// OpenClicks opens the client and the stores.
func OpenClicks(e env.Env) *Clicks {
	return &Clicks{
		publisher:  OpenPublisher(e),
		properties: search.OpenProperties(e),
		searches:   OpenSearchSessions(e),
		counted:    document.Open[time.Time](e, "consumer-clicked"),
		addresses:  document.Open[int64](e, "consumer-clicks"),
		env:        e,
	}
}

// clickEvery is the interval in which the clicks of one session on a hotel count once, whatever their kinds.
const clickEvery = time.Hour

// maxAddressClicks is the number of sessions of one address whose clicks on a hotel count within an hour of the clock. Guests of a
// mobile network share an address, and a program can start sessions as it likes.
const maxAddressClicks = 10

// Record publishes a click on a hotel, or returns fault.ErrNotFound if the tenant has no such hotel. It accepts but does not publish
// clicks of sessions without telemetry, of programs, of sessions that start with this request, and those that do not count. It
// omits a search session that is not the visitor's or has expired.
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
	click.Search = c.searches.Interact(ctx, v, click.Search, now)
	if !c.counts(ctx, v, click.Property, now) {
		return nil
	}
	return c.publisher.Publish(ctx, v.Session, v.Event(ClickRecordedV1, clickRecorded{
		Session:    v.Session.ID,
		Click:      click,
		OccurredAt: now,
	}))
}

// counts reports whether a click is the first of its session on the hotel within clickEvery, and one of the first of its address.
// Without the hot store no click counts, because repeated ones cannot be detected.
func (c *Clicks) counts(ctx context.Context, v Visitor, hotel id.Property, now time.Time) bool {
	first, err := c.counted.Create(ctx, clickKey(v.Session.ID.String(), hotel.String()), now, now.Add(clickEvery))
	if err != nil || !first {
		return false
	}
	store, err := document.StoreOf(c.env)
	if err != nil {
		return false
	}
	hour := now.Truncate(time.Hour)
	key := clickKey(string(v.IP), hotel.String(), hour.Format(time.RFC3339))
	n, err := store.Add(ctx, now, c.addresses.Name(key), 1, hour.Add(time.Hour))
	return err == nil && n <= maxAddressClicks
}

// clickKey returns the key of counted clicks. It is a hash, so no session id remains after the session is cleared.
func clickKey(parts ...string) document.Key {
	sum := sha256.Sum256([]byte(strings.Join(parts, " ")))
	return document.KeyOf(hex.EncodeToString(sum[:]))
}
