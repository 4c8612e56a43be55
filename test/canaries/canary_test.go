// Package canaries types what is personal into every place where text can be typed, lets whole journeys pass, and then
// looks for it: in every table, document, event, log line and refusal. It may be where the list of homes says, and nowhere else.
package canaries

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"math/big"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// An aviary holds the canaries of one test. Each is typed in one place, so a found canary names its source.
type aviary struct {
	mark string // in every canary of letters

	mu     sync.Mutex
	places []string          // by the number in a canary of letters
	digits map[string]string // canaries of digits, with their places
}

func newAviary() *aviary {
	return &aviary{mark: "cn" + strings.ToLower(rand.Text()[:10]), digits: map[string]string{}}
}

// letters are a canary of letters.
func (a *aviary) letters(place string) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.places = append(a.places, place)
	return fmt.Sprintf("%sx%05d", a.mark, len(a.places)-1)
}

// email is an address that a mail server would take.
func (a *aviary) email(place string) string { return a.letters(place) + "@example.com" }

// name is one that a person might have.
func (a *aviary) name(place string) string { return "Z" + a.letters(place) }

// phone is a number with its country code, as people write it.
func (a *aviary) phone(place string) string {
	d := a.number(place, "9370", 7)
	return "+93 70 " + d[:3] + " " + d[3:]
}

// card is a card's number, as people write it.
func (a *aviary) card(place string) string {
	d := a.number(place, "4111", 12)
	return "4111 " + d[:4] + " " + d[4:8] + " " + d[8:]
}

// degrees is a latitude or longitude that starts with the whole degrees, exact to a hair's breadth.
func (a *aviary) degrees(place string, whole int) json.Number {
	const prefix = "53"
	return json.Number(fmt.Sprintf("%d.%s%s", whole, prefix, a.number(place, prefix, 9)))
}

// number makes n digits after a prefix, which is what keeps them apart from any other digits.
func (a *aviary) number(place, prefix string, n int) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	most := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n-1)), nil)
	d, err := rand.Int(rand.Reader, new(big.Int).Mul(most, big.NewInt(8)))
	if err != nil {
		panic(err) // crypto/rand ends the process instead
	}
	text := d.Add(d, most).String() // no zero at its beginning
	a.digits[prefix+text] = place
	return text
}

// everything is all kinds of canaries in one text, for inputs that take any.
func (a *aviary) everything(place string) string {
	return a.email(place) + " " + a.phone(place) + " " + a.card(place) + " " + a.name(place)
}

// find returns the places whose canaries are in a text, in whatever way it may have been written.
func (a *aviary) find(text []byte) (places []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, form := range forms(text) {
		for rest := form; ; {
			at := strings.Index(rest, a.mark)
			if at < 0 {
				break
			}
			rest = rest[at+len(a.mark):]
			var n int
			if _, err := fmt.Sscanf(rest, "x%05d", &n); err == nil && n < len(a.places) {
				places = append(places, a.places[n])
			} else {
				places = append(places, "somewhere")
			}
		}
		bare := strings.NewReplacer(" ", "", "-", "", "+", "").Replace(form)
		for digits, place := range a.digits {
			if strings.Contains(bare, digits) {
				places = append(places, place)
			}
		}
	}
	for _, shifted := range encoded(a.mark) {
		if bytes.Contains(text, []byte(shifted)) {
			places = append(places, "somewhere, in base64 or hex")
		}
	}
	slices.Sort(places)
	return slices.Compact(places)
}

// forms are a text as it is, and with its escapes undone.
func forms(text []byte) []string {
	plain := strings.ToLower(string(text))
	all := []string{plain}
	if strings.Contains(plain, "%") {
		if unescaped, err := url.QueryUnescape(plain); err == nil {
			all = append(all, unescaped)
		}
	}
	if strings.Contains(plain, "&") {
		all = append(all, html.UnescapeString(plain))
	}
	if strings.Contains(plain, `\u`) {
		all = append(all, strings.ReplaceAll(plain, `\u0040`, "@"))
	}
	return all
}

// encoded is how a text looks inside of something encoded, wherever it begins there.
func encoded(mark string) (all []string) {
	all = append(all, hex.EncodeToString([]byte(mark)), strings.ToUpper(hex.EncodeToString([]byte(mark))))
	for shift := range 3 {
		text := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x", shift) + mark))
		all = append(all, text[4:len(text)-4]) // without what its neighbours have a part in
	}
	return all
}
