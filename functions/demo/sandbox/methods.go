package sandbox

import "errors"

// A Method is a method of payment.
type Method string

// The methods of payment.
const (
	Card          Method = "card"
	PayPal        Method = "paypal"
	MFS           Method = "mfs" // mobile money
	CashOnArrival Method = "cash_on_arrival"
)

// UnmarshalText rejects an unknown method.
func (m *Method) UnmarshalText(text []byte) error {
	read := Method(text)
	if _, ok := providers[read]; !ok {
		return errors.New("not a way to pay")
	}
	*m = read
	return nil
}

// providers are the payment providers. The sandbox simulates all of them.
var providers = map[Method]string{
	Card:          "sandbox-card",
	PayPal:        "sandbox-paypal",
	MFS:           "sandbox-mfs",
	CashOnArrival: "front-desk",
}

func (m Method) provider() string { return providers[m] }

// Status is the status of a payment intent.
type Status string

// The statuses. doc.go draws the transitions.
const (
	RequiresPayment Status = "requires_payment" // on the provider's page
	RequiresAction  Status = "requires_action"  // without a page: 3-D Secure on the hotel's page, or a request on the phone
	Processing      Status = "processing"       // the guest has approved, and the bank answers later
	PaymentCaptured Status = "captured"
	PendingCash     Status = "pending_cash"
	PaymentFailed   Status = "failed"
	Superseded      Status = "superseded"
)

// firstStatus returns the status of a new intent.
func (w Wanted) firstStatus() Status {
	switch {
	case w.Method == CashOnArrival:
		return PendingCash
	case w.Method == MFS, w.Scenario.inline():
		return RequiresAction
	}
	return RequiresPayment
}
