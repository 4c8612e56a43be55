package bots

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Rules are the weights of the signals, the thresholds of verdict and action, and the known crawlers. A value of Rules is
// never changed, so that requests may read it while it is replaced.
type Rules struct {
	Suspect   float64 `json:"suspect"`   // lowest score of a suspect
	Challenge float64 `json:"challenge"` // lowest score that is challenged
	Bot       float64 `json:"bot"`       // lowest score of a bot

	Agent      float64   `json:"uaPattern"`            // a user agent that names a program
	Unknown    float64   `json:"unknownAgent"`         // a user agent that names neither a program nor a browser
	Cadence    []Step    `json:"cadence"`              // requests of one caller within 2 s
	Collision  []Step    `json:"fingerprintCollision"` // new sessions of one address and fingerprint within 10 min
	NoLanguage float64   `json:"noLanguage"`           // header anomaly: a browser without Accept-Language
	Hints      float64   `json:"hints"`                // header anomaly: client hints that contradict the user agent
	Failed     float64   `json:"recaptcha"`            // a challenge that failed within 10 min
	Crawlers   []Crawler `json:"crawlers"`
}

// A Step is the weight of a signal from that count on. The steps of a signal ascend.
type Step struct {
	Count  int     `json:"count"`
	Weight float64 `json:"weight"`
}

// A Crawler is a program that may read hotels and lists: the search engines. Its user agent contains Agent, in any case, and its
// address is in one of the ranges, because any client can send the user agent.
type Crawler struct {
	Agent  string         `json:"agent"`
	Ranges []netip.Prefix `json:"ranges"`
}

// Limits of the weights. Guests of a mobile network share an address and often a fingerprint, some browsers omit headers, and
// some are not known: neither headers, nor an address together with an unknown user agent, may make a suspect.
const (
	maxAddress = 0.25 // pace and new sessions of an address together
	maxAnomaly = 0.3
	maxCount   = 200 // of a step; it bounds the memory per caller
	minBits    = 8   // shortest prefix of a crawler's range
)

// builtIn returns the rules that apply without a document.
var builtIn = sync.OnceValue(func() Rules {
	ranges := func(all ...string) (prefixes []netip.Prefix) {
		for _, one := range all {
			prefixes = append(prefixes, netip.MustParsePrefix(one))
		}
		return prefixes
	}
	return Rules{
		Suspect: 0.4, Challenge: 0.6, Bot: 0.8,
		Agent: 0.4, Unknown: 0.1,
		Cadence:    []Step{{12, 0.3}, {40, 0.6}},
		Collision:  []Step{{20, 0.1}, {100, 0.25}},
		NoLanguage: 0.1, Hints: 0.2,
		Failed: 0.4,
		Crawlers: []Crawler{
			{"Googlebot", ranges("66.249.64.0/19", "2001:4860:4801::/48")},
			{"bingbot", ranges("40.77.167.0/24", "52.167.144.0/24", "157.55.39.0/24", "207.46.13.0/24")},
		},
	}
})

// Errors of an invalid document, which is rejected as a whole.
var (
	ErrForm  = errors.New("bots: not one JSON object of rules")
	ErrRules = errors.New("bots: invalid rules")
)

// Parse reads a document such as {"challenge": 0.7, "cadence": [{"count": 60, "weight": 0.6}]}. A missing member keeps its
// built-in value; a list replaces the built-in list. A document with one invalid member is rejected as a whole. Unknown members
// are ignored, because functions run beside newer and older versions of their service, unless the options reject them.
func Parse(document []byte, options ...json.Options) (Rules, error) {
	rules := builtIn()
	rules.Cadence, rules.Collision, rules.Crawlers = slices.Clone(rules.Cadence), slices.Clone(rules.Collision), slices.Clone(rules.Crawlers)
	if len(document) == 0 {
		return rules, nil
	}
	if hasNull(document) {
		return Rules{}, fmt.Errorf("%w: a null", ErrForm) // it would set a weight to 0
	}
	if err := json.Unmarshal(document, &rules, options...); err != nil {
		return Rules{}, fmt.Errorf("%w: %w", ErrForm, err)
	}
	return rules, rules.validate()
}

// hasNull reports whether a JSON text contains a null.
func hasNull(text []byte) bool {
	d := jsontext.NewDecoder(bytes.NewReader(text))
	for {
		token, err := d.ReadToken()
		switch {
		case errors.Is(err, io.EOF), err != nil:
			return false
		case token.Kind() == 'n':
			return true
		}
	}
}

// validate returns an error that names the first invalid member.
func (r Rules) validate() error {
	for _, weight := range []struct {
		name  string
		value float64
		most  float64
	}{
		{"uaPattern", r.Agent, 1}, {"unknownAgent", r.Unknown, 1}, {"recaptcha", r.Failed, 1}, {"noLanguage", r.NoLanguage, 1}, {"hints", r.Hints, 1},
		{"noLanguage and hints", r.NoLanguage + r.Hints, maxAnomaly + 1/precision},
	} {
		if weight.value < 0 || weight.value > weight.most {
			return fmt.Errorf("%w: %s must be from 0 to %g", ErrRules, weight.name, weight.most)
		}
	}
	if r.Suspect <= 0 || r.Suspect > r.Challenge || r.Suspect > r.Bot || r.Challenge > 1 || r.Bot > 1 {
		return fmt.Errorf("%w: suspect must be above 0 and not above challenge and bot, which are at most 1", ErrRules)
	}
	if r.Unknown+maxAddress >= r.Suspect {
		return fmt.Errorf("%w: suspect must be above unknownAgent plus %g, the maximum weight of an address", ErrRules, maxAddress)
	}
	if err := ascending("cadence", r.Cadence, 1); err != nil {
		return err
	}
	if err := ascending("fingerprintCollision", r.Collision, maxAddress); err != nil {
		return err
	}
	for _, c := range r.Crawlers {
		wide := slices.ContainsFunc(c.Ranges, func(p netip.Prefix) bool { return !p.IsValid() || p.Bits() < minBits })
		if len(strings.TrimSpace(c.Agent)) < 3 || len(c.Ranges) == 0 || wide {
			return fmt.Errorf("%w: a crawler needs a user agent of 3 characters and ranges of /%d or longer", ErrRules, minBits)
		}
	}
	return nil
}

// ascending returns an error unless counts and weights of the steps ascend within their limits.
func ascending(name string, steps []Step, limit float64) error {
	before := Step{}
	for _, s := range steps {
		if s.Count <= before.Count || s.Weight <= before.Weight || s.Count > maxCount || s.Weight > limit {
			return fmt.Errorf("%w: the steps of %s must ascend, counts to %d and weights to %g", ErrRules, name, maxCount, limit)
		}
		before = s
	}
	return nil
}

// reached returns the last step whose count is reached; the zero Step if there is none.
func reached(steps []Step, count int) (last Step) {
	for _, s := range steps {
		if count >= s.Count {
			last = s
		}
	}
	return last
}

// isCrawler reports whether a request comes from a known crawler.
func (r Rules) isCrawler(agent string, from netip.Addr) bool {
	agent = strings.ToLower(agent)
	return slices.ContainsFunc(r.Crawlers, func(c Crawler) bool {
		return strings.Contains(agent, strings.ToLower(c.Agent)) && slices.ContainsFunc(c.Ranges, func(p netip.Prefix) bool { return p.Contains(from.Unmap()) })
	})
}
