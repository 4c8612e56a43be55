// Package subject declares the subjects of the events that the service publishes, and how they are sampled.
package subject

import (
	"strings"
	"time"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/flags"
)

// Subjects of the events that this service publishes.
var (
	BootstrapServedV1    = deferred("bootstrap.served", event.Operational, 90*event.Day)
	HandoffConsumedV1    = v1("handoff.consumed", event.Audit, event.Year)
	DraftCreatedV1       = deferred("booking.draft.created", event.Regulated, 3*event.Year)
	DraftAbandonedV1     = deferred("booking.draft.abandoned", event.Regulated, 3*event.Year)
	DraftConvertedV1     = deferred("booking.draft.converted", event.Regulated, 7*event.Year)
	IntentCreatedV1      = deferred("payment_intent.created", event.Regulated, 7*event.Year)
	ConfirmationViewedV1 = deferred("confirmation.viewed", event.Operational, 90*event.Day)
	StepCompletedV1      = deferred("flow.step_completed", event.Operational, 30*event.Day)
	ErrorEncounteredV1   = v1("flow.error_encountered", event.Operational, 90*event.Day)
	LocaleChangedV1      = deferred("locale.changed", event.Operational, 90*event.Day)
	CurrencyChangedV1    = deferred("currency.changed", event.Operational, 90*event.Day)
)

// All returns all subjects that this service publishes.
func All() []event.Subject {
	return []event.Subject{BootstrapServedV1, HandoffConsumedV1, DraftCreatedV1, DraftAbandonedV1, DraftConvertedV1, IntentCreatedV1,
		ConfirmationViewedV1, StepCompletedV1, ErrorEncounteredV1, LocaleChangedV1, CurrencyChangedV1}
}

// deferred returns a subject that only analysts read. The consumer service acts on the other two: it marks a handoff as used, and counts
// replays by the errors.
func deferred(name, class string, kept time.Duration) event.Subject {
	s := v1(name, class, kept)
	s.Deferred = true
	return s
}

func v1(name, class string, kept time.Duration) event.Subject {
	return event.Subject{
		Name: "melmastoon.bff.tenant." + name + ".v1", Version: 1,
		SchemaURI: "https://schemas.melmastoon.ghasi.io/bff-tenant/" + strings.NewReplacer(".", "-", "_", "-").Replace(name) + "/v1.json",
		Producer:  "bff-tenant-booking-service",
		Retention: event.Retention{Class: class, Period: kept},
		Flat:      true,
	}
}

// Sampling lists which events are always published, and which are telemetry that may be sampled.
var Sampling = flags.Table{
	BootstrapServedV1.Name:    {},
	HandoffConsumedV1.Name:    {Always: true},
	DraftCreatedV1.Name:       {Always: true},
	DraftAbandonedV1.Name:     {Always: true},
	DraftConvertedV1.Name:     {Always: true},
	IntentCreatedV1.Name:      {Always: true},
	ConfirmationViewedV1.Name: {Always: true},
	StepCompletedV1.Name:      {OneIn: 4},
	ErrorEncounteredV1.Name:   {Always: true},
	LocaleChangedV1.Name:      {Always: true},
	CurrencyChangedV1.Name:    {Always: true},
}

// FlagsIn is the collection of this service's flags.
const FlagsIn = "bff-tenant-flags"

// ReadOnly is the feature that closes the site to new bookings: quote, hold and payment-intent. Everything that a guest with
// a booking in progress needs stays open: reading, returning from a payment, confirming and abandoning. It has a
// code of its own, because the share of GENERAL.UNAVAILABLE raises an alert.
const ReadOnly flags.Feature = "readOnly"

// Features lists the features that this service's flags can switch on.
var Features = []flags.Feature{ReadOnly}

// OpenFlags returns the service's flags.
func OpenFlags(e env.Env) *flags.Flags { return flags.Open(e, FlagsIn, Sampling, Features...) }
