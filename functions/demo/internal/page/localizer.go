package page

import (
	"fmt"
	"html/template"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/stay"
)

// Translations holds a site's texts by language tag and key.
type Translations map[locale.Tag]map[string]string

// ReadTranslations reads the texts of a JSON file.
func ReadTranslations(texts []byte) (t Translations, err error) {
	if err = json.Unmarshal(texts, &t); err != nil {
		return nil, fmt.Errorf("page: texts: %w", err)
	}
	return t, nil
}

// Languages are the languages of the sites. English is the default.
var Languages = []locale.Tag{locale.English, locale.Pashto, locale.Dari, locale.Persian, locale.Urdu, locale.Arabic}

// Of returns the texts for a tag. If the site does not have the tag, it returns those of the first tag with the same language,
// for example Dari for "fa", or nil.
func (t Translations) Of(tag locale.Tag) map[string]string {
	if t[tag] != nil {
		return t[tag]
	}
	for _, l := range Languages {
		if l.Language() == tag.Language() {
			return t[l]
		}
	}
	return nil
}

// Localizer holds the site's texts in one language, and its conventions for numbers, money and dates.
type Localizer struct {
	locale.Conventions
	Zone   *time.Location // the hotel's time zone
	texts  map[string]string
	reader locale.Tag // whose calendar, names of months and digits are used
}

// Localizer returns the texts in a language, or in English if the site does not support it.
func (t Translations) Localizer(tag locale.Tag, zone *time.Location) Localizer {
	if t.Of(tag) == nil {
		tag = locale.English
	}
	return Localizer{Conventions: tag.Conventions(), texts: t.Of(tag), Zone: zone, reader: tag}
}

// For returns the same texts with the calendar and the digits of a reader of the same language in another country. It returns l if the
// reader has another language.
func (l Localizer) For(reader locale.Tag) Localizer {
	if reader.Language() == l.Tag.Language() {
		own := reader.Conventions()
		l.Calendar, l.Digits, l.reader = own.Calendar, own.Digits, reader
	}
	return l
}

// T returns the text of a key. {0}, {1} and so on are replaced by the arguments.
func (l Localizer) T(key string, args ...any) string {
	pairs := make([]string, 0, 2*len(args))
	for i, arg := range args {
		text := fmt.Sprint(arg)
		if n, ok := arg.(int); ok {
			text = l.Number(n)
		}
		pairs = append(pairs, "{"+strconv.Itoa(i)+"}", text)
	}
	return strings.NewReplacer(pairs...).Replace(l.texts[key])
}

// HasText reports whether the key has a text.
func (l Localizer) HasText(key string) bool { return l.texts[key] != "" }

// TextOr returns the text of a key, or otherwise if there is none, as for values that a hotel defines itself.
func (l Localizer) TextOr(key, otherwise string) string {
	if text, ok := l.texts[key]; ok {
		return text
	}
	return otherwise
}

// Foreign returns the attributes of a text that is not the site's own, in the language in. A text in the Latin script instead of that
// language's is in English, one in the Arabic script is in the language arabic. If the page has another language than the text, the
// language is declared (WCAG 3.1.2), so that browsers and screen readers treat it correctly.
func (l Localizer) Foreign(text string, in, arabic locale.Tag) template.HTMLAttr {
	switch reversed := in.Direction() == locale.RightToLeft; {
	case reversed && !IsArabic(text) && strings.ContainsFunc(text, unicode.IsLetter):
		in = locale.English
	case !reversed && IsArabic(text):
		in = arabic
	}
	if in == "" || in.Language() == l.Tag.Language() {
		return `dir="auto"`
	}
	return template.HTMLAttr(`dir="auto" lang="` + template.HTMLEscapeString(string(in)) + `"`) //nolint:gosec // escaped
}

// IsArabic reports whether a text has letters of the Arabic script.
func IsArabic(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Arabic, r) })
}

// Number formats a number in the language's digits.
func (l Localizer) Number(n int) string { return l.Numerals(strconv.Itoa(n)) }

var eastern = strings.NewReplacer("0", "۰", "1", "۱", "2", "۲", "3", "۳", "4", "۴", "5", "۵", "6", "۶", "7", "۷", "8", "۸", "9", "۹", ",", "٬", ".", "٫")

// Numerals replaces Western digits and separators by the language's.
func (l Localizer) Numerals(s string) string {
	if l.Digits == "arabext" {
		return eastern.Replace(s)
	}
	return s
}

// Money formats an amount: AFN 12,500, or ۱۲٬۵۰۰ افغانۍ. It omits decimals that are all zero.
func (l Localizer) Money(m money.Minor) string {
	text := strconv.FormatInt(m.Amount, 10)
	sign := ""
	if m.Amount < 0 {
		sign, text = "−", text[1:]
	}
	text = strings.Repeat("0", max(0, m.Exponent+1-len(text))) + text
	units, cents := text[:len(text)-m.Exponent], text[len(text)-m.Exponent:]
	for at := len(units) - 3; at > 0; at -= 3 {
		units = units[:at] + "," + units[at:]
	}
	if strings.Trim(cents, "0") != "" {
		units += "." + cents
	}
	name := l.TextOr("currency."+string(m.Currency), string(m.Currency))
	if l.Direction == locale.RightToLeft {
		return sign + l.Numerals(units) + " " + name
	}
	return sign + name + " " + units
}

// Nightly formats the price of a night, which is that of one of the rooms.
func (l Localizer) Nightly(m money.Minor, rooms int) string {
	if rooms > 1 {
		return l.T("rate.nightlyRoom", l.Money(m))
	}
	return l.T("rate.nightly", l.Money(m))
}

// Date formats a date in the language's calendar: in Afghanistan and Iran the solar one.
func (l Localizer) Date(d stay.Date) string {
	if l.Calendar != "persian" {
		year, month, day := d.Time().Date()
		name := month.String()
		if names := gregorianMonths[l.reader.Language()]; names != nil {
			name = names[month-1]
		}
		return l.Number(day) + " " + name + " " + l.Number(year)
	}
	year, month, day := solar(d.Time())
	return l.Number(day) + " " + l.SolarMonths()[month-1] + " " + l.Number(year)
}

// Clock formats a time of day in the hotel's time zone.
func (l Localizer) Clock(t time.Time) string { return l.Numerals(t.In(l.Zone).Format("15:04")) }

// gregorianMonths are the months of the Gregorian year by language. Pashto and Persian use them outside of Afghanistan and Iran.
var gregorianMonths = map[string][]string{
	"ur": {"جنوری", "فروری", "مارچ", "اپریل", "مئی", "جون", "جولائی", "اگست", "ستمبر", "اکتوبر", "نومبر", "دسمبر"},
	"ar": {"يناير", "فبراير", "مارس", "أبريل", "مايو", "يونيو", "يوليو", "أغسطس", "سبتمبر", "أكتوبر", "نوفمبر", "ديسمبر"},
	"ps": {"جنوري", "فبروري", "مارچ", "اپریل", "مۍ", "جون", "جولای", "اګست", "سپتمبر", "اکتوبر", "نومبر", "ډیسمبر"},
	"fa": {"ژانویه", "فوریه", "مارس", "آوریل", "مه", "ژوئن", "ژوئیه", "اوت", "سپتامبر", "اکتبر", "نوامبر", "دسامبر"},
}

// solarMonths are the months of the solar year, which begins at the spring equinox. Afghanistan and Iran have different
// names.
var solarMonths = map[locale.Tag][]string{
	"ps-AF": {"وری", "غویی", "غبرګولی", "چنګاښ", "زمری", "وږی", "تله", "لړم", "لیندۍ", "مرغومی", "سلواغه", "کب"},
	"fa-AF": {"حمل", "ثور", "جوزا", "سرطان", "اسد", "سنبله", "میزان", "عقرب", "قوس", "جدی", "دلو", "حوت"},
	"fa-IR": {"فروردین", "اردیبهشت", "خرداد", "تیر", "مرداد", "شهریور", "مهر", "آبان", "آذر", "دی", "بهمن", "اسفند"},
}

const (
	day    = 24 * time.Hour
	cycle  = 12053 // days in 33 solar years
	leaps  = 1461  // days in four of them, which begin with a leap year
	common = 365
)

// solar converts a date to the solar calendar by the 33-year rule, which is correct for this century. A cycle has eight
// groups of four years and one common year; 1375 began a cycle.
func solar(t time.Time) (year, month, dayOfMonth int) {
	days := int(t.Sub(time.Date(1996, time.March, 20, 0, 0, 0, 0, time.UTC)) / day)
	year = 1375 + days/cycle*33
	days %= cycle
	year += days / leaps * 4
	days %= leaps
	if days > common {
		year += (days - 1) / common
		days = (days - 1) % common
	}
	if days < 6*31 {
		return year, 1 + days/31, 1 + days%31
	}
	days -= 6 * 31
	return year, 7 + days/30, 1 + days%30
}

// Number returns the number in a field of a form, or 0 for other texts, which the service behind the site rejects.
func Number(text string) int {
	n, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil {
		return 0
	}
	return n
}
