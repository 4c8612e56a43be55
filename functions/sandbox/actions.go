package sandbox

import "errors"

// An Action is a button with which a guest answers a request to pay.
type Action string

// The buttons.
const (
	ActionPay     Action = "pay"
	ActionDecline Action = "decline" // plays a bank that declines
	ActionLater   Action = "later"   // plays a bank that answers later

	// The bank's late answers about a payment that it processes.
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
