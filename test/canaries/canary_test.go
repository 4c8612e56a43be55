// Package canaries sends marked personal data (canaries) in every text input, runs whole journeys, and then scans every table,
// document, event, log line and error answer. A canary may only be in the allowed places.
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

// A canarySet holds the canaries of one test. Each is typed in one place, so a found canary names its source.
type canarySet struct {
	mark string // in every canary of letters

	mu     sync.Mutex
	places []string          // by the number in a canary of letters
	digits map[string]string // canaries of digits, with their places
}

func newCanarySet() *canarySet {
	return &canarySet{mark: "cn" + strings.ToLower(rand.Text()[:10]), digits: map[string]string{}}
}

// letters are a canary of letters.
func (a *canarySet) letters(place string) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.places = append(a.places, place)
	return fmt.Sprintf("%sx%05d", a.mark, len(a.places)-1)
}

// email is an address that a mail server would take.
func (a *canarySet) email(place string) string { return a.letters(place) + "@example.com" }

// name is one that a person might have.
func (a *canarySet) name(place string) string { return "Z" + a.letters(place) }

// phone is a number with its country code, as people write it.
func (a *canarySet) phone(place string) string {
	d := a.number(place, "9370", 7)
	return "+93 70 " + d[:3] + " " + d[3:]
}

// card is a card's number, as people write it.
func (a *canarySet) card(place string) string {
	d := a.number(place, "4111", 12)
	return "4111 " + d[:4] + " " + d[4:8] + " " + d[8:]
}

// degrees is a latitude or longitude that starts with the whole degrees, exact to a hair's breadth.
func (a *canarySet) degrees(place string, whole int) json.Number {
	const prefix = "53"
	return json.Number(fmt.Sprintf("%d.%s%s", whole, prefix, a.number(place, prefix, 9)))
}

// number makes n digits after a prefix, which is what keeps them apart from any other digits.
func (a *canarySet) number(place, prefix string, n int) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	most := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n-1)), nil)
	for {
		d, err := rand.Int(rand.Reader, new(big.Int).Mul(most, big.NewInt(8)))
		if err != nil {
			panic(err) // crypto/rand ends the process instead
		}
		text := d.Add(d, most).String() // no zero at its beginning
		if _, again := numbered.LoadOrStore(prefix+text, true); !again {
			a.digits[prefix+text] = place
			return text
		}
	}
}

// numbered has the digits of all sets: with thousands of telephone numbers two would often be equal.
var numbered sync.Map

// everything is all kinds of canaries in one text, for inputs that take any.
func (a *canarySet) everything(place string) string {
	return a.email(place) + " " + a.phone(place) + " " + a.card(place) + " " + a.name(place)
}

// find returns the places whose canaries are in a text, in whatever way it may have been written.
func (a *canarySet) find(text []byte) (places []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, form := range decodings(text) {
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
	for _, shifted := range encodings(a.mark) {
		if bytes.Contains(text, []byte(shifted)) {
			places = append(places, "somewhere, in base64 or hex")
		}
	}
	slices.Sort(places)
	return slices.Compact(places)
}

// decodings returns a text as it is, and without its escapes.
func decodings(text []byte) []string {
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

// encodings returns the hexadecimal and Base64 forms of a text, at each offset at which it can begin in an encoded text.
func encodings(mark string) (all []string) {
	all = append(all, hex.EncodeToString([]byte(mark)), strings.ToUpper(hex.EncodeToString([]byte(mark))))
	for shift := range 3 {
		text := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x", shift) + mark))
		all = append(all, text[4:len(text)-4]) // without what its neighbours have a part in
	}
	return all
}
