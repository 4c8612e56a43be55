package locale

import "strings"

// Conventions are the data that a front end needs to display a language. The values are those of CLDR under the names that
// browsers use (Intl).
type Conventions struct {
	Tag       Tag       `json:"tag"`
	Name      string    `json:"displayName"` // in the language itself
	Direction Direction `json:"dir"`
	Calendar  string    `json:"calendar"`        // persian or gregory
	Digits    string    `json:"numberingSystem"` // arabext or latn
	FirstDay  int       `json:"firstDayOfWeek"`  // 1 is Monday, 7 is Sunday
}

// Direction is the writing direction of a language.
type Direction string

// The directions, with their HTML names.
const (
	LeftToRight Direction = "ltr"
	RightToLeft Direction = "rtl"
)

// Conventions returns the conventions of the tag. A tag without a region has those of the likely one: en has those of the United
// States. The name of an unsupported language is its tag.
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

// Direction returns the writing direction of the tag's script.
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

// easternArabic reports whether the language uses the digits ۱۲۳. Urdu and the Arabic of the Gulf use 123.
func (t Tag) easternArabic() bool {
	return (t.Language() == "ps" || t.Language() == "fa") && t.script() == "Arab"
}

func (t Tag) digits() string {
	if t.easternArabic() {
		return "arabext"
	}
	return "latn"
}

// calendar returns the solar calendar for Afghanistan and Iran, where it is the civil one, and gregory otherwise. Pashto in
// Peshawar uses Pakistan's.
func (t Tag) calendar() string {
	if region := t.region(); t.easternArabic() && (region == "AF" || region == "IR") {
		return "persian"
	}
	return "gregory"
}

// Regions by the first day of the week. All others begin on Monday, the Emirates since 2022.
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
