package payment

import "errors"

// An Action is a button of the checkout page.
type Action string

// The buttons.
const (
	ActionPay     Action = "pay"
	ActionDecline Action = "decline" // simulates a bank that declines
	ActionLater   Action = "later"   // simulates a bank that answers later

	// The late answers of a bank to a payment that it is processing.
	ActionCapture Action = "capture"
	ActionRefuse  Action = "refuse"
)

// UnmarshalText rejects an unknown button.
func (a *Action) UnmarshalText(text []byte) error {
	switch read := Action(text); read {
	case ActionPay, ActionDecline, ActionLater, ActionCapture, ActionRefuse:
		*a = read
		return nil
	}
	return errors.New("not a button of the page")
}
