package sandbox

import "errors"

// A Method is a way to pay.
type Method string

// The ways to pay.
const (
	Card          Method = "card"
	PayPal        Method = "paypal"
	MFS           Method = "mfs" // mobile money
	CashOnArrival Method = "cash_on_arrival"
)

// UnmarshalText accepts the ways to pay that there are.
func (m *Method) UnmarshalText(text []byte) error {
	read := Method(text)
	if _, ok := providers[read]; !ok {
		return errors.New("not a way to pay")
	}
	*m = read
	return nil
}

// providers are who moves the money. The sandbox plays all of them.
var providers = map[Method]string{
	Card:          "sandbox-card",
	PayPal:        "sandbox-paypal",
	MFS:           "sandbox-mfs",
	CashOnArrival: "front-desk",
}

func (m Method) provider() string { return providers[m] }

// Status is where a payment intent stands.
type Status string

// Where a payment intent can stand. doc.go draws the moves.
const (
	RequiresPayment Status = "requires_payment"
	PaymentCaptured Status = "captured"
	PendingCash     Status = "pending_cash"
	PaymentFailed   Status = "failed"
	Superseded      Status = "superseded"
)

func (m Method) firstStatus() Status {
	if m == CashOnArrival {
		return PendingCash
	}
	return RequiresPayment
}
