// Package contract validates events against their published JSON Schemas: outgoing events against the closed form of a
// schema, incoming events against the open form.
//
// A published schema allows unknown members, so that a producer can add a member without breaking its consumers. The closed
// form rejects them: a member that no schema names, such as a guest's e-mail address, is never published (decision 7).
// In the closed form a member with x-pii: free_text must be unchanged by scrubbing: no route can forget to scrub.
package contract

import (
	"fmt"
	"strings"

	eventschemas "melmastoon.ghasi.io/schemas/events"
	"melmastoon.ghasi.io/shared/fault"
)

// published compiles the schemas of this build at their first use: most functions need one or two (decision 8).
var published = &registry{files: eventschemas.Files}

// ValidateIncoming validates an incoming payload. A violation is a fault of kind Invalid, which no retry can fix. Any other
// error means that this build has no usable schema for the subject.
func ValidateIncoming(subject string, payload []byte) error {
	violations, err := published.check(subject, open, payload)
	if err != nil || len(violations) == 0 {
		return err
	}
	return fault.ErrValidation.With(violations...).Because(breach(subject, violations))
}

// ValidateOutgoing validates an outgoing payload. A violation is a bug of the producer and not a caller's error: it is not a
// fault, and is reported as an internal error.
func ValidateOutgoing(subject string, payload []byte) error {
	violations, err := published.check(subject, closed, payload)
	if err != nil || len(violations) == 0 {
		return err
	}
	return breach(subject, violations)
}

// breach names members and rules, never values.
func breach(subject string, violations []fault.Violation) error {
	broken := make([]string, len(violations))
	for i, v := range violations {
		broken[i] = fmt.Sprintf("%q breaks %s", v.Pointer, v.Rule)
	}
	return fmt.Errorf("contract: %s: %s", subject, strings.Join(broken, ", "))
}
