package topic

import (
	"fmt"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// Pub/Sub's limits, in bytes.
const (
	maxData           = 10_000_000
	maxAttributeValue = 1024 // of an attribute, and of an ordering key
)

// Check returns an error with ErrRefused if a message could never be published or delivered. Attributes and key become headers
// of the push: Pub/Sub accepts a message with illegal ones, but never delivers it.
func Check(m Message) error {
	switch {
	case m.Topic == "":
		return fmt.Errorf("%w: it has no topic", ErrRefused)
	case len(m.Data) > maxData:
		return fmt.Errorf("%w: it is larger than %d bytes", ErrRefused, maxData)
	case !headerValue(m.OrderingKey):
		return fmt.Errorf("%w: its ordering key is no header", ErrRefused)
	}
	for name, value := range m.Attributes {
		if !httpguts.ValidHeaderFieldName(name) || !headerValue(value) {
			return fmt.Errorf("%w: its attribute %q is no header", ErrRefused, name)
		}
	}
	return nil
}

func headerValue(s string) bool {
	return len(s) <= maxAttributeValue && !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' })
}
