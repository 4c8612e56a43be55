// Package money represents money as integers: micro units between services, minor units for browsers, and exact conversions
// between them.
package money

import (
	"errors"
	"strconv"
	"strings"
)

// Errors of an invalid amount or currency.
var (
	ErrCurrency = errors.New("money: not a currency of the platform")
	ErrCode     = errors.New("money: not three capital letters")
	ErrForm     = errors.New("money: not a whole decimal number in its one form")
	ErrOverflow = errors.New("money: too large to count")
	ErrInexact  = errors.New("money: not a whole number of minor units")
	ErrExponent = errors.New("money: not the exponent of this currency")
)

// A Currency is an ISO 4217 code.
type Currency string

// The platform's currencies.
const (
	AFN Currency = "AFN"
	IRR Currency = "IRR"
	PKR Currency = "PKR"
	AED Currency = "AED"
	USD Currency = "USD"
	EUR Currency = "EUR"
	GBP Currency = "GBP"
)

// UnmarshalText accepts the platform's currencies, in capitals.
func (c *Currency) UnmarshalText(text []byte) error {
	read := Currency(text)
	if err := read.check(); err != nil {
		return err
	}
	*c = read
	return nil
}

// check returns ErrCurrency for other currencies than the platform's.
func (c Currency) check() error {
	switch c {
	case AFN, IRR, PKR, AED, USD, EUR, GBP:
		return nil
	}
	return ErrCurrency
}

// A Code has the form of an ISO 4217 code. A service returns its own error if it has no prices in that currency.
type Code string

// UnmarshalText accepts three capital letters.
func (c *Code) UnmarshalText(text []byte) error {
	if len(text) != 3 || strings.ContainsFunc(string(text), func(r rune) bool { return r < 'A' || r > 'Z' }) {
		return ErrCode
	}
	*c = Code(text)
	return nil
}

// Exponent returns the number of decimals of the currency's minor unit. All seven have two in ISO 4217, although common number
// formatters show none for AFN, IRR and PKR.
func (c Currency) Exponent() int { return 2 }

// MinorUnit returns one minor unit of the currency: with two decimals, 10,000 millionths.
func (c Currency) MinorUnit() Micro {
	unit := Micro(1)
	for range microDecimals - c.Exponent() {
		unit *= 10
	}
	return unit
}

// Micro is a millionth of a currency's main unit. In JSON it is a decimal string, because many JSON parsers lose precision above
// 2^53. It may be negative (a discount); callers check whether a negative value is allowed.
type Micro int64

const microDecimals = 6

// MarshalText writes the decimal form.
func (m Micro) MarshalText() ([]byte, error) { return strconv.AppendInt(nil, int64(m), 10), nil }

// UnmarshalText accepts a canonical whole number: no plus sign, no leading zero, no "-0".
func (m *Micro) UnmarshalText(text []byte) error {
	n, err := strconv.ParseInt(string(text), 10, 64)
	if errors.Is(err, strconv.ErrRange) {
		return ErrOverflow
	}
	if err != nil || strconv.FormatInt(n, 10) != string(text) {
		return ErrForm
	}
	*m = Micro(n)
	return nil
}

// Plus returns m + o, or ErrOverflow.
func (m Micro) Plus(o Micro) (Micro, error) {
	sum := m + o
	if (sum > m) != (o > 0) && o != 0 {
		return 0, ErrOverflow
	}
	return sum, nil
}

// An Amount is an amount of money between services.
type Amount struct {
	Micro    Micro    `json:"amountMicro"`
	Currency Currency `json:"currency"`
}

// A Minor is an amount of money for browsers. It includes the exponent, so that front ends need not guess the divisor.
type Minor struct {
	Amount   int64    `json:"amountMinor"`
	Currency Currency `json:"currency"`
	Exponent int      `json:"exponent"`
}

// Minor converts exactly or returns an error: amounts are never rounded.
func (a Amount) Minor() (Minor, error) {
	if err := a.Currency.check(); err != nil {
		return Minor{}, err
	}
	unit := a.Currency.MinorUnit()
	if a.Micro%unit != 0 {
		return Minor{}, ErrInexact
	}
	return Minor{Amount: int64(a.Micro / unit), Currency: a.Currency, Exponent: a.Currency.Exponent()}, nil
}

// Micro converts back. The exponent must be the currency's own; another one would change the amount by a factor of ten or more.
func (m Minor) Micro() (Amount, error) {
	if err := m.Currency.check(); err != nil {
		return Amount{}, err
	}
	if m.Exponent != m.Currency.Exponent() {
		return Amount{}, ErrExponent
	}
	unit := m.Currency.MinorUnit()
	micro := Micro(m.Amount) * unit
	if int64(micro/unit) != m.Amount {
		return Amount{}, ErrOverflow
	}
	return Amount{Micro: micro, Currency: m.Currency}, nil
}
