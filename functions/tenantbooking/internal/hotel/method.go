package hotel

import (
	"errors"
	"slices"
)

// A Method is a payment method.
type Method string

// Payment methods.
const (
	Card          Method = "card"
	PayPal        Method = "paypal"
	MobileMoney   Method = "mfs"
	CashOnArrival Method = "cash_on_arrival"
)

// UnmarshalText returns an error for an unknown method.
func (m *Method) UnmarshalText(text []byte) error {
	read := Method(text)
	if !slices.Contains([]Method{Card, PayPal, MobileMoney, CashOnArrival}, read) {
		return errors.New("is not a payment method")
	}
	*m = read
	return nil
}
