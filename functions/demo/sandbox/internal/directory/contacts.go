package directory

import (
	"fmt"
	"hash/fnv"

	"melmastoon.ghasi.io/shared/id"
)

// callingCodes are the calling codes of the demo's countries.
var callingCodes = map[string]string{"AF": "93", "IR": "98", "PK": "92", "AE": "971", "TJ": "992", "TR": "90", "IN": "91", "UZ": "998", "TM": "993"}

// phoneOf returns a telephone number of a property that cannot exist, because no number begins with 00 after the country's code.
// It returns "" for a country that is not in the demo.
func phoneOf(p id.Property, country string) string {
	code := callingCodes[country]
	if code == "" {
		return ""
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(p.String())) // never fails
	return fmt.Sprintf("+%s 00 000 %04d", code, h.Sum32()%10_000)
}
