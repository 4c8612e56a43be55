package payment

import (
	"net/http"

	"melmastoon.ghasi.io/functions/demo/sandbox/internal/scenario"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
)

// Status is the status of a payment intent.
type Status string

// The statuses. doc.go draws the transitions.
const (
	RequiresPayment Status = "requires_payment" // on the provider's page
	RequiresAction  Status = "requires_action"  // without a page: 3-D Secure on the hotel's page, or a request on the phone
	Processing      Status = "processing"       // the guest has approved, and the bank answers later
	Captured        Status = "captured"
	PendingCash     Status = "pending_cash"
	Failed          Status = "failed"
	Superseded      Status = "superseded"
)

// firstStatus returns the status of a new intent.
func (w Wanted) firstStatus() Status {
	switch {
	case w.Method == standin.CashOnArrival:
		return PendingCash
	case w.Method == standin.MFS, w.Scenario.Inline():
		return RequiresAction
	}
	return RequiresPayment
}

// RequestedScenario returns the scenario of a call if it applies to all steps of a payment by that method, or "".
func RequestedScenario(h http.Header, m standin.Method) scenario.Scenario {
	asked := scenario.Of(h)
	switch asked {
	case scenario.Pending, scenario.PostedReturn:
		if m != standin.CashOnArrival {
			return asked
		}
	case scenario.Challenge3DS, scenario.Declined3DS:
		if m == standin.Card {
			return asked
		}
	}
	return ""
}
