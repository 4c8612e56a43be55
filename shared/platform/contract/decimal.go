package contract

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
)

// A decimal is a number of JSON, exactly: 0.digits × 10^point. Digits neither begin nor end with a zero; zero has none.
type decimal struct {
	negative bool
	digits   []byte
	point    int
}

// mostExponent bounds an exponent, far from where adding to it could overflow. What is larger is compared as if it were this.
const mostExponent = 1 << 40

// decimalOf reads a number that JSON allows.
func decimalOf(literal []byte) decimal {
	var d decimal
	literal, d.negative = bytes.CutPrefix(literal, []byte("-"))
	if i := bytes.IndexAny(literal, "eE"); i >= 0 {
		exponent, _ := strconv.Atoi(string(literal[i+1:])) // out of range, it is the largest there is
		literal, d.point = literal[:i], min(max(exponent, -mostExponent), mostExponent)
	}
	whole, rest, _ := bytes.Cut(literal, []byte("."))
	digits := whole
	if len(rest) > 0 {
		digits = slices.Concat(whole, rest)
	}
	d.digits = bytes.TrimLeft(digits, "0")
	d.point += len(whole) - (len(digits) - len(d.digits))
	d.digits = bytes.TrimRight(d.digits, "0")
	return d
}

// integer reports whether the number is whole, however it is written: 1.0 and 1e2 are.
func (d decimal) integer() bool { return len(d.digits) == 0 || len(d.digits) <= d.point }

func (d decimal) sign() int {
	switch {
	case len(d.digits) == 0:
		return 0
	case d.negative:
		return -1
	}
	return 1
}

func (d decimal) compare(e decimal) int {
	sign := d.sign()
	if order := cmp.Compare(sign, e.sign()); order != 0 || sign == 0 {
		return order
	}
	return sign * cmp.Or(cmp.Compare(d.point, e.point), bytes.Compare(d.digits, e.digits))
}
