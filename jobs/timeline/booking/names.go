package booking

import (
	"encoding/hex"
	"regexp"
	"slices"
	"strings"

	"melmastoon.ghasi.io/shared/id"
)

// names holds the ids of a timeline: those of the booking, and those of its sessions. A session may have several
// bookings, so it adds its own moments but no other booking, unless the session itself was requested.
type names struct {
	things   map[string][16]byte // by their prefixed form
	sessions map[string][16]byte
	wide     bool // include every booking of the sessions
}

func newNames() names {
	return names{things: map[string][16]byte{}, sessions: map[string][16]byte{}}
}

// learn adds an id in the prefixed form, or as prefix:uuid. It reports whether the id is new.
func (n *names) learn(text string) bool {
	name, bits, ok := parse(text)
	if !ok {
		return false
	}
	into := n.things
	if session(name) {
		into = n.sessions
	}
	_, known := into[name]
	into[name] = bits
	return !known
}

func session(name string) bool {
	return strings.HasPrefix(name, "tnt_session_") || strings.HasPrefix(name, "gms_")
}

// parse parses an id of any kind.
func parse(text string) (name string, bits [16]byte, ok bool) {
	if prefix, uuid, found := strings.Cut(text, ":"); found {
		raw, err := hex.DecodeString(strings.ReplaceAll(uuid, "-", ""))
		if err != nil || len(raw) != len(bits) {
			return "", bits, false
		}
		copy(bits[:], raw)
		return prefix + strings.TrimPrefix(id.Event(bits).String(), "evt"), bits, true
	}
	at := strings.LastIndexByte(text, '_')
	if at <= 0 {
		return "", bits, false
	}
	e, err := id.Parse[id.Event]("evt" + text[at:])
	return text, [16]byte(e), err == nil
}

// texts returns all ids, those of the booking first.
func (n *names) texts() []string {
	return slices.Concat(sorted(n.things), sorted(n.sessions))
}

func sorted(set map[string][16]byte) []string {
	all := []string{}
	for name := range set {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

func bits(set map[string][16]byte) [][16]byte {
	all := [][16]byte{}
	for _, b := range set {
		all = append(all, b)
	}
	return all
}

// own lists the prefixes of ids that identify a booking.
var own = []string{"bdr_", "rsv_", "qte_", "pyi_", "bhd_"}

// strange reports whether texts contain an id of another booking.
func (t *collector) strange(texts []string) bool {
	return !t.all && slices.ContainsFunc(texts, func(text string) bool {
		_, ours := t.things[text]
		return !ours && slices.ContainsFunc(own, func(prefix string) bool { return strings.HasPrefix(text, prefix) })
	})
}

// knows reports whether one of texts is an id of the timeline.
func (t *collector) knows(texts []string) bool {
	return slices.ContainsFunc(texts, func(text string) bool { _, ours := t.things[text]; return ours })
}

// mention matches prefixed ids in a text.
var mention = regexp.MustCompile(`\b(?:[a-z]+_)+[0-9A-HJKMNP-TV-Z]{26}\b`)

// shown is the number of characters that are printed from the end of an id.
const shown = 6

// short returns the short form of an id for printing.
func short(name string) string {
	if _, _, ok := parse(name); !ok {
		return veil(name)
	}
	return name[:strings.LastIndexByte(name, '_')+1] + "…" + name[len(name)-shown:]
}

// brief returns the short forms of ids, of which some may be prefix:uuid.
func brief(refs []string) string {
	var words []string
	for _, ref := range refs {
		if name, _, ok := parse(ref); ok {
			words = append(words, short(name))
		}
	}
	return strings.Join(words, " ")
}

// Email addresses and telephone numbers are never printed.
var (
	addresses = regexp.MustCompile(`[^\s"'<>]+@[^\s"'<>]+`)
	numbers   = regexp.MustCompile(`\+?\d[\d \-]{6,}\d`)
)

// veil shortens the ids in a text and removes possible personal data.
func veil(text string) string {
	text = mention.ReplaceAllStringFunc(text, func(name string) string {
		return name[:strings.LastIndexByte(name, '_')+1] + "…" + name[len(name)-shown:]
	})
	return numbers.ReplaceAllString(addresses.ReplaceAllString(text, "(address)"), "(number)")
}
