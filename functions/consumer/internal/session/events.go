package session

import (
	"strings"
	"time"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/event/attribution"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/flags"
	"melmastoon.ghasi.io/shared/pseudonym"
)

// The subjects that this service publishes.
var (
	SessionStartedV1    = operational("session.started")
	SessionEndedV1      = operational("session.ended")
	SearchExecutedV1    = operational("search.executed")
	ClickRecordedV1     = operational("click.recorded")
	PageViewedV1        = operational("page.viewed")
	FunnelStepReachedV1 = operational("funnel.step_reached")
	HandoffInitiatedV1  = subject("handoff.initiated", event.Audit, event.Year)
	LocaleChangedV1     = operational("locale.changed")
	CurrencyChangedV1   = operational("currency.changed")
	WishlistAddedV1     = operational("wishlist.added")
	WishlistRemovedV1   = operational("wishlist.removed")
	BotSuspectedV1      = subject("bot_suspected", event.Audit, event.Year)
)

// Publishes returns all subjects that this service publishes.
func Publishes() []event.Subject {
	return []event.Subject{SessionStartedV1, SessionEndedV1, SearchExecutedV1, ClickRecordedV1, PageViewedV1,
		FunnelStepReachedV1, HandoffInitiatedV1, LocaleChangedV1, CurrencyChangedV1, WishlistAddedV1, WishlistRemovedV1, BotSuspectedV1}
}

func operational(name string) event.Subject { return subject(name, event.Operational, 90*event.Day) }

// subject returns a subject for analysts, auditors and the ranking of the search: none of them waits for an event.
func subject(name, class string, kept time.Duration) event.Subject {
	return event.Subject{
		Name: "melmastoon.bff.consumer." + name + ".v1", Version: 1,
		SchemaURI: "https://schemas.melmastoon.ghasi.io/bff-consumer/" + strings.NewReplacer(".", "-", "_", "-").Replace(name) + "/v1.json",
		Producer:  "bff-consumer-service",
		Retention: event.Retention{Class: class, Period: kept},
		Deferred:  true,
		Flat:      true,
	}
}

// Sampling says which events are always published and which are sampled.
var Sampling = flags.Table{
	SessionStartedV1.Name:    {Always: true},
	SessionEndedV1.Name:      {Always: true},
	SearchExecutedV1.Name:    {OneIn: 10},
	ClickRecordedV1.Name:     {Always: true}, // the search service ranks by clicks
	PageViewedV1.Name:        {Always: true},
	FunnelStepReachedV1.Name: {Always: true},
	HandoffInitiatedV1.Name:  {Always: true},
	LocaleChangedV1.Name:     {Always: true},
	CurrencyChangedV1.Name:   {Always: true},
	WishlistAddedV1.Name:     {Always: true},
	WishlistRemovedV1.Name:   {Always: true},
	BotSuspectedV1.Name:      {Always: true},
}

// Event returns a draft of an event of the session. It belongs to no hotel, though its payload may name one. [Publisher] decides
// whether it is published.
func (s Session) Event(subject event.Subject, payload any) event.Draft {
	key := s.ID.String()
	return event.Draft{Subject: subject, OrderingKey: key, Session: key, Attribution: s.Campaign.Attributed(), Payload: payload}
}

type sessionStarted struct {
	Session     id.GuestSession    `json:"guestSessionId"`
	CreatedAt   time.Time          `json:"createdAt"`
	Locale      locale.Tag         `json:"localePreference"`
	Currency    money.Currency     `json:"currencyPreference"`
	Fingerprint pseudonym.Hash     `json:"fingerprintHash"`
	IP          pseudonym.Hash     `json:"ipHash,omitzero"`
	Campaign    *event.Attributed  `json:"campaignAttribution,omitzero"`
	Class       attribution.Device `json:"userAgentClass"`
}

func (s Session) started(class attribution.Device) event.Draft {
	return s.Event(SessionStartedV1, sessionStarted{
		Session:     s.ID,
		CreatedAt:   s.CreatedAt,
		Locale:      s.Locale,
		Currency:    s.Currency,
		Fingerprint: s.Fingerprint,
		IP:          s.IP,
		Campaign:    s.Campaign.Attributed(),
		Class:       class,
	})
}

// A Reason is the reason for the end of a session.
type Reason string

// The reasons.
const (
	Cleared Reason = "explicit-clear"
	Expired Reason = "ttl-expired"
	Rotated Reason = "rotated"
)

type sessionEnded struct {
	Session    id.GuestSession `json:"guestSessionId"`
	EndedAt    time.Time       `json:"endedAt"`
	Reason     Reason          `json:"reason"`
	LastSeenAt time.Time       `json:"lastSeenAt"`
	Lifetime   int64           `json:"lifetimeSeconds"` // from creation to last seen
}

func (s Session) ended(why Reason, now time.Time) event.Draft {
	lifetime := max(0, s.LastSeenAt.Sub(s.CreatedAt))
	return s.Event(SessionEndedV1, sessionEnded{
		Session:    s.ID,
		EndedAt:    now,
		Reason:     why,
		LastSeenAt: s.LastSeenAt,
		Lifetime:   int64(lifetime / time.Second),
	})
}

type localeChanged struct {
	Session    id.GuestSession `json:"guestSessionId"`
	Previous   locale.Tag      `json:"previousLocale"`
	New        locale.Tag      `json:"newLocale"`
	Trigger    Trigger         `json:"trigger"`
	OccurredAt time.Time       `json:"occurredAt"`
}

type currencyChanged struct {
	Session    id.GuestSession `json:"guestSessionId"`
	Previous   money.Currency  `json:"previousCurrency"`
	New        money.Currency  `json:"newCurrency"`
	Trigger    Trigger         `json:"trigger"`
	OccurredAt time.Time       `json:"occurredAt"`
}
