package standin

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

// Provider returns the payment provider of the method.
func (m Method) Provider() string { return providers[m] }
