package locale

import "strings"

// Conventions are what a front end must know to show a language. The values are those of CLDR under the names that
// browsers use (Intl).
type Conventions struct {
	Tag       Tag       `json:"tag"`
	Name      string    `json:"displayName"` // in the language itself
	Direction Direction `json:"dir"`
	Calendar  string    `json:"calendar"`        // persian or gregory
	Digits    string    `json:"numberingSystem"` // arabext or latn
	FirstDay  int       `json:"firstDayOfWeek"`  // 1 is Monday, 7 is Sunday
}

// Direction is the way a language is written.
type Direction string

// The directions, named as HTML does.
const (
	LeftToRight Direction = "ltr"
	RightToLeft Direction = "rtl"
)

// Conventions of the tag. One without a region has those of the likely one: en those of the United States. A language
// that the platform does not speak is called by its tag.
func (t Tag) Conventions() Conventions {
	return Conventions{
		Tag:       t,
		Name:      t.name(),
		Direction: t.Direction(),
		Calendar:  t.calendar(),
		Digits:    t.digits(),
		FirstDay:  firstDay(t.region()),
	}
}

// Direction follows from the script.
func (t Tag) Direction() Direction {
	switch t.script() {
	case "Arab", "Aran", "Hebr", "Syrc", "Thaa", "Nkoo", "Adlm", "Rohg", "Mand", "Samr":
		return RightToLeft
	}
	return LeftToRight
}

func (t Tag) name() string {
	switch t.Language() {
	case "ps":
		return "پښتو"
	case "fa":
		if t.region() == "AF" {
			return "دری"
		}
		return "فارسی"
	case "ur":
		return "اردو"
	case "ar":
		return "العربية"
	case "en":
		return "English"
	}
	return string(t)
}

// easternArabic reports whether the language writes ۱۲۳. Urdu and the Arabic of the Gulf write 123.
func (t Tag) easternArabic() bool {
	return (t.Language() == "ps" || t.Language() == "fa") && t.script() == "Arab"
}

func (t Tag) digits() string {
	if t.easternArabic() {
		return "arabext"
	}
	return "latn"
}

// calendar is the solar one where it is the civil one: in Afghanistan and Iran. Pashto in Peshawar counts as Pakistan does.
func (t Tag) calendar() string {
	if region := t.region(); t.easternArabic() && (region == "AF" || region == "IR") {
		return "persian"
	}
	return "gregory"
}

// Regions by the day their weeks begin on. All others begin on Monday, the Emirates since 2022.
const (
	friday   = "MV"
	saturday = "AF BH DJ DZ EG IQ IR JO KW LY OM QA SD SY"
	sunday   = "AG AS BD BR BS BT BW BZ CA CO DM DO ET GT GU HK HN ID IL IN IS JM JP KE KH KR LA MH MM MO MT MX MZ NI NP " +
		"PA PE PH PK PR PT PY SA SG SV TH TT TW UM US VE VI WS YE ZA ZW"
)

func firstDay(region string) int {
	switch {
	case strings.Contains(friday, region):
		return 5
	case strings.Contains(saturday, region):
		return 6
	case strings.Contains(sunday, region):
		return 7
	}
	return 1
}
