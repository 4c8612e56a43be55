package money_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"testing"

	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/testkit/check"
)

func TestMicro_form(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, in string
		want     money.Micro
		err      error
	}{
		{"zero", "0", 0, nil},
		{"a whole number", "12500000", 12_500_000, nil},
		{"a discount", "-1", -1, nil},
		{"the highest", "9223372036854775807", math.MaxInt64, nil},
		{"the lowest", "-9223372036854775808", math.MinInt64, nil},
		{"one more than the highest", "9223372036854775808", 0, money.ErrOverflow},
		{"a plus sign", "+1", 0, money.ErrForm},
		{"a leading zero", "01", 0, money.ErrForm},
		{"minus zero", "-0", 0, money.ErrForm},
		{"an underscore", "1_000", 0, money.ErrForm},
		{"a fraction", "1.0", 0, money.ErrForm},
		{"an exponent", "1e6", 0, money.ErrForm},
		{"hexadecimal", "0x10", 0, money.ErrForm},
		{"a space", " 1", 0, money.ErrForm},
		{"Persian digits", "۱۲", 0, money.ErrForm},
		{"nothing", "", 0, money.ErrForm},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var got money.Micro
			if err := got.UnmarshalText([]byte(test.in)); !errors.Is(err, test.err) || got != test.want {
				t.Errorf("got %d, %v, want %d, %v", got, err, test.want, test.err)
			}
		})
	}
}

func TestJSON(t *testing.T) {
	t.Parallel()
	const want = `{"amountMicro":"9007199254740993","currency":"AFN"}` // more than a float64 can hold
	var a money.Amount
	check.Must(t, json.Unmarshal([]byte(want), &a))
	if got, err := json.Marshal(a); err != nil || string(got) != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
	for _, body := range []string{`{"amountMicro":1}`, `{"currency":"XXX"}`, `{"currency":"usd"}`, `{"currency":""}`} {
		t.Run(body, func(t *testing.T) {
			check.Fails(t, json.Unmarshal([]byte(body), new(money.Amount)), "%s", body)
		})
	}
}

func TestMinor(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		amount money.Amount
		want   money.Minor
		err    error
	}{
		{"whole minor units", money.Amount{Micro: 125_340_000, Currency: money.USD}, money.Minor{Amount: 12_534, Currency: money.USD, Exponent: 2}, nil},
		{"AFN has two decimals, whatever formatters show", money.Amount{Micro: 1_000_000, Currency: money.AFN}, money.Minor{Amount: 100, Currency: money.AFN, Exponent: 2}, nil},
		{"a discount", money.Amount{Micro: -10_000, Currency: money.IRR}, money.Minor{Amount: -1, Currency: money.IRR, Exponent: 2}, nil},
		{"half a minor unit", money.Amount{Micro: 5_000, Currency: money.USD}, money.Minor{}, money.ErrInexact},
		{"a negative fraction", money.Amount{Micro: -1, Currency: money.USD}, money.Minor{}, money.ErrInexact},
		{"no currency", money.Amount{Micro: 10_000}, money.Minor{}, money.ErrCurrency},
		{"a foreign currency", money.Amount{Micro: 10_000, Currency: "JPY"}, money.Minor{}, money.ErrCurrency},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := test.amount.Minor()
			if !errors.Is(err, test.err) || got != test.want {
				t.Fatalf("got %v, %v, want %v, %v", got, err, test.want, test.err)
			}
			if back, err := got.Micro(); test.err == nil && (err != nil || back != test.amount) {
				t.Errorf("came back as %v, %v, want %v", back, err, test.amount)
			}
		})
	}
}

func TestMicroRefuses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		minor money.Minor
		want  error
	}{
		{"a foreign currency", money.Minor{Amount: 1, Currency: "JPY", Exponent: 2}, money.ErrCurrency},
		{"the exponent that formatters show", money.Minor{Amount: 1, Currency: money.AFN, Exponent: 0}, money.ErrExponent},
		{"too much", money.Minor{Amount: math.MaxInt64 / 9_999, Currency: money.AFN, Exponent: 2}, money.ErrOverflow},
		{"too little", money.Minor{Amount: math.MinInt64, Currency: money.AFN, Exponent: 2}, money.ErrOverflow},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			check.Got(test.minor.Micro()).Error(t, test.want)
		})
	}
}

// FuzzArithmetic holds the overflow checks against numbers that cannot overflow.
func FuzzArithmetic(f *testing.F) {
	for _, pair := range [][2]int64{{0, 0}, {1, -1}, {math.MaxInt64, 1}, {math.MinInt64, -1}, {-1, math.MinInt64}, {math.MinInt64, math.MinInt64}, {1 << 32, 1 << 31}, {1 << 31, 1 << 31}} {
		f.Add(pair[0], pair[1])
	}
	f.Fuzz(func(t *testing.T, a, b int64) {
		sum, err := money.Micro(a).Plus(money.Micro(b))
		same(t, "plus", int64(sum), err, new(big.Int).Add(big.NewInt(a), big.NewInt(b)))
		micro, err := money.Minor{Amount: a, Currency: money.AFN, Exponent: 2}.Micro()
		same(t, "minor units", int64(micro.Micro), err, new(big.Int).Mul(big.NewInt(a), big.NewInt(10_000)))
	})
}

func same(t *testing.T, act string, got int64, err error, want *big.Int) {
	t.Helper()
	if want.IsInt64() != (err == nil) || err == nil && got != want.Int64() {
		t.Errorf("%s: got %d, %v, want %v", act, got, err, want)
	}
}

func TestCurrency_form(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]error{"AFN": nil, "CHF": nil, "": money.ErrCode, "afn": money.ErrCode, "AF": money.ErrCode, "AFNX": money.ErrCode, "AÉ": money.ErrCode} {
		t.Run(fmt.Sprintf("%q", text), func(t *testing.T) {
			var got money.Code
			if err := got.UnmarshalText([]byte(text)); !errors.Is(err, want) || err == nil && string(got) != text {
				t.Errorf("%q: got %q, %v, want %v", text, got, err, want)
			}
		})
	}
}
