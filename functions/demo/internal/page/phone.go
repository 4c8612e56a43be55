package page

import (
	"strings"

	"melmastoon.ghasi.io/shared/pseudonym"
)

// trunkCodes are the calling codes of countries whose national numbers begin with a single 0, which international numbers omit.
var trunkCodes = map[string]string{"AF": "93", "IR": "98", "PK": "92", "AE": "971", "SA": "966", "TR": "90", "IN": "91", "BD": "880",
	"DE": "49", "GB": "44", "FR": "33", "NL": "31", "SE": "46", "CH": "41", "AT": "43", "BE": "32", "AU": "61"}

// International returns a telephone number with its country code: a number in national form, for example 0700 123 456, is taken
// as one of the country. It returns any other text unchanged.
func International(typed, country string) string {
	code := trunkCodes[country]
	if code == "" {
		return typed
	}
	national := strings.TrimLeft(strings.TrimSpace(typed), "( \u200e\u200f")
	for _, zero := range []string{"0", "۰", "٠"} {
		rest, trunk := strings.CutPrefix(national, zero)
		if !trunk || strings.HasPrefix(rest, zero) { // 00 begins an international number
			continue
		}
		// The bracket after the prefix, as in (0) 700, has no partner any more.
		if number, err := pseudonym.E164("+" + code + strings.TrimPrefix(rest, ")")); err == nil {
			return number
		}
	}
	return typed
}
