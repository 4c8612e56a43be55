// Package contract holds events to their published schemas: what is said to the closed form, what is heard to the open one.
//
// A published schema lets unknown members pass, so that a producer can add one without breaking a consumer. The producer
// itself is held to the closed form: a member that no schema names, a guest's e-mail address say, never leaves.
package contract

import (
	"fmt"
	"strings"

	"melmastoon.ghasi.io/schemas"
	"melmastoon.ghasi.io/shared/fault"
)

// published are the schemas of this build. Each is compiled when it is first needed: most functions need one or two.
var published = &registry{files: schemas.Events}

// Heard checks a payload that came in. A payload that breaks its schema is a fault of kind Invalid, and no repeat will
// make it right; any other error means that this build has no usable schema for the subject.
func Heard(subject string, payload []byte) error {
	violations, err := published.check(subject, open, payload)
	if err != nil {
		return err
	}
	if len(violations) > 0 {
		return fault.ErrValidation.With(violations...).Because(breach(subject, violations))
	}
	return nil
}

// Said checks a payload before it goes out. Its error is ours, not a caller's: it is no fault, and so shown as internal.
func Said(subject string, payload []byte) error {
	violations, err := published.check(subject, closed, payload)
	if err != nil {
		return err
	}
	if len(violations) > 0 {
		return breach(subject, violations)
	}
	return nil
}

// breach names members and rules, never values.
func breach(subject string, violations []fault.Violation) error {
	broken := make([]string, len(violations))
	for i, v := range violations {
		broken[i] = fmt.Sprintf("%q breaks %s", v.Pointer, v.Rule)
	}
	return fmt.Errorf("contract: %s: %s", subject, strings.Join(broken, ", "))
}

func (r *registry) check(subject string, m model, payload []byte) ([]fault.Violation, error) {
	rule, err := r.rule(subject)
	if err != nil {
		return nil, err
	}
	return rule.check(m, payload), nil
}
