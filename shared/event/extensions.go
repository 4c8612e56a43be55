package event

import (
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Extensions are CloudEvent attributes in addition to those derived from the envelope, by name: "errorcode", without the "ce-"
// of the wire. Subscriptions can filter by them. They are visible to every tool on the way, so they must not contain personal
// data.
type Extensions map[string]string

const (
	prefix       = "ce-"
	partitionKey = "partitionkey"
	sequence     = "sequence"
)

// Extensions of a replayed copy of a dead-lettered event. They belong to the copy; a draft must not set them.
const (
	ReplayTo = "replayto" // the only subscription that receives it
	Replays  = "replays"  // number of replays, including this one
)

// core are the attributes of a CloudEvent that are not extensions.
var core = []string{"specversion", "id", "type", "source", "time", "subject", "dataschema", "datacontenttype", "data"}

// legal reports whether CloudEvents allows the name for an extension.
func legal(name string) bool {
	foreign := func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') }
	return len(name) >= 1 && len(name) <= 20 && !strings.ContainsFunc(name, foreign)
}

// check returns an error for names that CloudEvents forbids, and for reserved ones.
func (x Extensions) check() error {
	for name := range x {
		if slices.Contains(spoken, name) || slices.Contains(core, name) || name == ReplayTo || name == Replays || !legal(name) {
			return fmt.Errorf("%q is no name for an extension", name)
		}
	}
	return nil
}

// spoken are the extensions that are derived from the envelope, or from the metadata that a flat envelope omits.
var spoken = []string{partitionKey, sequence, "traceparent", "correlationid", "sampledrate", "causationid", "tenantid"}

// and returns x with the entries of y that x does not have, or nil if there are none.
func (x Extensions) and(y Extensions) Extensions {
	both := maps.Clone(y)
	if both == nil {
		both = Extensions{}
	}
	maps.Copy(both, x)
	maps.DeleteFunc(both, func(_, value string) bool { return value == "" })
	if len(both) == 0 {
		return nil
	}
	return both
}

// extensions returns all extensions of the event. Those of the envelope take precedence.
func (r Raw) extensions() Extensions { return r.Envelope.extensions().and(r.Extensions) }

// extensions returns the extensions derived from the envelope, without the prefix of the wire.
func (e Envelope) extensions() Extensions { return collect(e.imply) }

func (m Metadata) extensions() Extensions { return collect(m.imply) }

func collect(imply func(add func(name, value string))) Extensions {
	x := Extensions{}
	imply(func(name, value string) { x[strings.TrimPrefix(name, prefix)] = value })
	return x.and(nil)
}

// imply adds the members of the envelope that other tools expect as attributes of a CloudEvent.
func (e Envelope) imply(add func(name, value string)) {
	add(prefix+"traceparent", e.TraceID)
	add(prefix+"correlationid", e.CorrelationID)
	if e.SamplingRate > 0 {
		add(prefix+"sampledrate", strconv.Itoa(int(math.Round(1/e.SamplingRate))))
	}
	if e.CausationID != nil {
		add(prefix+"causationid", e.CausationID.String())
	}
	if e.TenantID != nil {
		add(prefix+"tenantid", e.TenantID.String())
	}
	e.Metadata.imply(add)
}

func (m Metadata) imply(add func(name, value string)) {
	add(prefix+partitionKey, m.OrderingKey)
	if m.AggregateVersion > 0 {
		add(prefix+sequence, fmt.Sprintf("%010d", m.AggregateVersion)) // padded, because filters compare strings
	}
}

// beside returns the entries of x that are not derived from the envelope and must be stored beside it.
func (x Extensions) beside(e Envelope) Extensions {
	implied := e.extensions()
	own := Extensions{}
	for name, value := range x {
		if _, ok := implied[name]; !ok && legal(name) && !slices.Contains(core, name) {
			own[name] = value
		}
	}
	return own.and(nil)
}

// extensionsOf returns the extensions among ce-* attributes, unescaped.
func extensionsOf(attributes map[string]string) Extensions {
	x := Extensions{}
	for name, value := range attributes {
		if name, ok := strings.CutPrefix(name, prefix); ok {
			x[name] = unescaped(value)
		}
	}
	return x
}

// headed returns the attributes of an unwrapped push, from its headers.
func headed(h http.Header) map[string]string {
	attributes := make(map[string]string, len(h))
	for name, values := range h {
		attributes[strings.ToLower(name)] = values[0]
	}
	return attributes
}

func unescaped(value string) string {
	if plain, err := url.PathUnescape(value); err == nil {
		return plain
	}
	return value // the producer does not escape
}
