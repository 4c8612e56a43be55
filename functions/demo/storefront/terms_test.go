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
	for tag, want := range map[locale.Tag]map[int][]string{
		locale.English: {24: {"the end of 19 March 2027"}, 168: {"the end of 13 March 2027"}, 36: {"19 March 2027", "12:00"}},
		locale.Pashto:  {24: {"د ۲۸ کب ۱۴۰۵ د ورځې پایه"}, 168: {"د ۲۲ کب ۱۴۰۵ د ورځې پایه"}, 36: {"۲۸ کب ۱۴۰۵", "۱۲:۰۰"}},
		locale.Dari:    {24: {"پایان ۲۸ حوت ۱۴۰۵"}, 168: {"پایان ۲۲ حوت ۱۴۰۵"}, 36: {"۲۸ حوت ۱۴۰۵", "۱۲:۰۰"}},
		locale.Persian: {24: {"پایان ۲۸ اسفند ۱۴۰۵"}, 168: {"پایان ۲۲ اسفند ۱۴۰۵"}, 36: {"۲۸ اسفند ۱۴۰۵", "۱۲:۰۰"}},
		locale.Urdu:    {24: {"19 مارچ 2027 کے اختتام"}, 168: {"13 مارچ 2027 کے اختتام"}, 36: {"19 مارچ 2027", "12:00"}},
		locale.Arabic:  {24: {"نهاية يوم 19 مارس 2027"}, 168: {"نهاية يوم 13 مارس 2027"}, 36: {"19 مارس 2027", "12:00"}},
	} {
		for hours, moment := range want {
			t.Run(fmt.Sprintf("%s/%d", tag, hours), func(t *testing.T) {
				t.Parallel()
				d := newFakeBooking(e)
				d.locale, d.offered, d.free = tag, []locale.Tag{tag}, hours
				browse(t, e, d).open(searched).sees(moment...)
				browse(t, e, d).stayed().sees(moment...)
			})
		}
	}
}
