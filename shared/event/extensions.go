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

// Extensions are attributes of the CloudEvent beside those that its envelope implies, by name: "errorcode", without the
// "ce-" of the wire. A filter on them keeps an event from those who do not want it. They are seen by every tool on the
// way, and so never hold what is personal.
type Extensions map[string]string

const (
	prefix       = "ce-"
	partitionKey = "partitionkey"
	sequence     = "sequence"
)

// Extensions of a copy that is published again after its event had died: they are the copy's, and no draft may name them.
const (
	ReplayTo = "replayto" // the one subscription that is to have it
	Replays  = "replays"  // how often it has been published again, this time included
)

// core are the attributes of a CloudEvent that are no extensions.
var core = []string{"specversion", "id", "type", "source", "time", "subject", "dataschema", "datacontenttype", "data"}

// legal reports whether CloudEvents lets an extension have that name.
func legal(name string) bool {
	foreign := func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') }
	return len(name) >= 1 && len(name) <= 20 && !strings.ContainsFunc(name, foreign)
}

// check refuses names that no CloudEvent may have, and those with a meaning of their own.
func (x Extensions) check() error {
	for name := range x {
		if slices.Contains(spoken, name) || slices.Contains(core, name) || name == ReplayTo || name == Replays || !legal(name) {
			return fmt.Errorf("%q is no name for an extension", name)
		}
	}
	return nil
}

// spoken are the extensions that the envelope, or what it would say if it were not flat, implies.
var spoken = []string{partitionKey, sequence, "traceparent", "correlationid", "sampledrate", "causationid", "tenantid"}

// and is x with those of y that x does not have; nil where that is none.
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

// extensions are all that the event has. What its envelope says counts.
func (r Raw) extensions() Extensions { return r.Envelope.extensions().and(r.Extensions) }

// extensions are what the envelope implies, without the prefix of the wire.
func (e Envelope) extensions() Extensions { return collect(e.imply) }

func (m Metadata) extensions() Extensions { return collect(m.imply) }

func collect(imply func(add func(name, value string))) Extensions {
	x := Extensions{}
	imply(func(name, value string) { x[strings.TrimPrefix(name, prefix)] = value })
	return x.and(nil)
}

// imply adds the members of the envelope that other people's tools look for beside a CloudEvent's own attributes.
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
		add(prefix+sequence, fmt.Sprintf("%010d", m.AggregateVersion)) // padded: it is compared as a string
	}
}

// beside is what of x the envelope does not imply: what has to be kept beside it.
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

// extensionsOf reads what came as ce-*, in which unsafe characters are escaped.
func extensionsOf(attributes map[string]string) Extensions {
	x := Extensions{}
	for name, value := range attributes {
		if name, ok := strings.CutPrefix(name, prefix); ok {
			x[name] = unescaped(value)
		}
	}
	return x
}

// headed are the attributes of an unwrapped push, which came as headers.
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
	return value // somebody who does not escape
}
