package contract

import "testing"

func TestInstants(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"2026-04-22T18:31:00Z":         true,
		"2026-04-22t18:31:00.123456z":  true,
		"2026-04-22T18:31:00+04:30":    true,
		"2024-02-29T00:00:00-23:59":    true,
		"2016-12-31T23:59:60Z":         true,  // a leap second
		"2017-01-01T04:29:60.5+04:30":  true,  // the same one, in Kabul
		"2016-12-31T23:58:60Z":         false, // no leap second
		"2026-02-29T00:00:00Z":         false,
		"2026-04-22T24:00:00Z":         false,
		"2026-04-22T18:31:00":          false,
		"2026-04-22T18:31:00.Z":        false,
		"2026-04-22T18:31:00+0430":     false,
		"2026-04-22T+1:+2:+3Z":         false, // signs are no digits, though the reference takes them
		"2026-04-22T18:31:00++1:00":    false,
		"2026-04-22T18:31:00Zulu":      false,
		"2026-04-22T18:31:00.00000001": false,
		"":                             false,
	} {
		if got := isDateTime([]byte(text)); got != want {
			t.Errorf("%q: got %v", text, got)
		}
	}
}

func TestNumbersAreComparedExactly(t *testing.T) {
	t.Parallel()
	ascending := []string{"-1e99999999999999999999", "-123456789012345678901", "-123456789012345678900.5", "-1", "-0.1", "-1e-400", "0", "1e-99999999999999999999",
		"0.00012", "1.2e-3", "0.999", "1", "1.0000000000000000000001", "9.99", "10", "1e2", "100.5", "1e1000000", "1e99999999999999999999"}
	for i, a := range ascending {
		for k, b := range ascending {
			want := min(max(i-k, -1), 1)
			if got := decimalOf([]byte(a)).compare(decimalOf([]byte(b))); got != want {
				t.Errorf("%s and %s: got %d, want %d", a, b, got, want)
			}
		}
	}
	for _, same := range [][2]string{{"0", "-0.00e5"}, {"1", "1.000"}, {"100", "1E+2"}, {"0.5", "50e-2"}, {"-120", "-1.2e2"}} {
		if decimalOf([]byte(same[0])).compare(decimalOf([]byte(same[1]))) != 0 {
			t.Errorf("%s and %s are not the same", same[0], same[1])
		}
	}
	for literal, want := range map[string]bool{"0": true, "-0.0": true, "1.0": true, "120": true, "1.5e1": true, "1e400": true, "1.5": false, "15e-1": false, "1e-400": false} {
		if got := decimalOf([]byte(literal)).integer(); got != want {
			t.Errorf("%s: integer is %v", literal, got)
		}
	}
}
