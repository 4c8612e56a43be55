package showcheckout

import (
	_ "embed"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/platform/fn"
)

//go:embed texts.json
var texts []byte

// A dictionary holds the texts of the page, by language tag and key.
type dictionary map[locale.Tag]map[string]string

func readDictionary() (d dictionary, err error) {
	if err := json.Unmarshal(texts, &d); err != nil {
		return nil, fmt.Errorf("checkout: texts: %w", err)
	}
	return d, nil
}

// languages are the languages of the page. English is the fallback.
var languages = []locale.Tag{locale.English, locale.Pashto, locale.Dari, locale.Persian, locale.Urdu, locale.Arabic}

// words are the texts of the page in one language, for one hotel.
type words struct {
	locale.Conventions
	texts map[string]string
	zone  *time.Location
}

// choose returns the texts in the language of the return URL's lang parameter, or else in the one that the browser
// prefers.
func (d dictionary) choose(back, accept string, zone *time.Location) words {
	tag := locale.Negotiate(accept, languages)
	if u, err := url.Parse(back); err == nil {
		if named, err := locale.Parse(u.Query().Get("lang")); err == nil {
			tag = locale.Negotiate(string(named), languages)
		}
	}
	return words{Conventions: tag.Conventions(), texts: d[tag], zone: zone}
}

// T returns a text. {0} and {1} in it stand for the arguments.
func (w words) T(about string, args ...string) string {
	pairs := make([]string, 0, 2*len(args))
	for i, arg := range args {
		pairs = append(pairs, fmt.Sprintf("{%d}", i), arg)
	}
	return strings.NewReplacer(pairs...).Replace(w.texts[about])
}

// In returns a name in the language of the page.
func (w words) In(n standin.Name) string { return locale.Among(n.Localized, w.Tag, n.Default) }

var eastern = strings.NewReplacer("0", "۰", "1", "۱", "2", "۲", "3", "۳", "4", "۴", "5", "۵", "6", "۶", "7", "۷", "8", "۸", "9", "۹", ",", "٬", ".", "٫")

// Digits replaces Western digits and separators by those of the language.
func (w words) Digits(s string) string {
	if w.Conventions.Digits == "arabext" {
		return eastern.Replace(s)
	}
	return s
}

// Clock returns the time of day at the hotel.
func (w words) Clock(t time.Time) string { return w.Digits(t.In(w.zone).Format("15:04")) }

// deadline returns the time to show: the one that the hotel's site named, if it is before the end of the intent.
func deadline(named fn.Maybe[time.Time], expires, now time.Time) time.Time {
	if at, given := named.Get(); given && at.After(now) && at.Before(expires) {
		return at
	}
	return expires
}
