package storefront_test

import (
	"fmt"
	"testing"

	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/platform/env"
)

// Each language names the moment at which free cancellation ends: the policy's hours before the midnight that begins 21 March, the day of
// arrival, at the hotel. A guest reads the same moment before the booking and after it.
func TestTerms_languages(t *testing.T) {
	t.Parallel()
	e := env.Of(nil)
	for tag, want := range map[locale.Tag]map[int][2]string{
		locale.English: {24: {"20 March 2027", "00:00"}, 168: {"14 March 2027", "00:00"}, 36: {"19 March 2027", "12:00"}},
		locale.Pashto:  {24: {"۲۹ کب ۱۴۰۵", "۰۰:۰۰"}, 168: {"۲۳ کب ۱۴۰۵", "۰۰:۰۰"}, 36: {"۲۸ کب ۱۴۰۵", "۱۲:۰۰"}},
		locale.Dari:    {24: {"۲۹ حوت ۱۴۰۵", "۰۰:۰۰"}, 168: {"۲۳ حوت ۱۴۰۵", "۰۰:۰۰"}, 36: {"۲۸ حوت ۱۴۰۵", "۱۲:۰۰"}},
		locale.Persian: {24: {"۲۹ اسفند ۱۴۰۵", "۰۰:۰۰"}, 168: {"۲۳ اسفند ۱۴۰۵", "۰۰:۰۰"}, 36: {"۲۸ اسفند ۱۴۰۵", "۱۲:۰۰"}},
		locale.Urdu:    {24: {"20 مارچ 2027", "00:00"}, 168: {"14 مارچ 2027", "00:00"}, 36: {"19 مارچ 2027", "12:00"}},
		locale.Arabic:  {24: {"20 مارس 2027", "00:00"}, 168: {"14 مارس 2027", "00:00"}, 36: {"19 مارس 2027", "12:00"}},
	} {
		for hours, moment := range want {
			t.Run(fmt.Sprintf("%s/%d", tag, hours), func(t *testing.T) {
				t.Parallel()
				d := newFakeBooking(e)
				d.locale, d.offered, d.free = tag, []locale.Tag{tag}, hours
				browse(t, e, d).open(searched).sees(moment[:]...)
				browse(t, e, d).stayed().sees(moment[:]...)
			})
		}
	}
}
