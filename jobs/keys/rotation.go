package keys

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"melmastoon.ghasi.io/shared/keyring"
)

// A Step is one of the three steps of a rotation. Each is a version of the secret, and is rolled out before the next one.
type Step string

// The steps of a rotation, in their order.
const (
	Add     Step = "add"     // a new key behind the others, so that all instances accept it
	Promote Step = "promote" // the new key to the front, so that all instances use it
	Remove  Step = "remove"  // the old keys, after their values have expired
)

// A key is one key of a ring. It is never printed, only its id.
type key struct {
	id     string
	secret []byte
	since  time.Time // when it first appeared
}

// prefix is the beginning of the ids of added keys. The date of the addition follows, so that the age of a key is known also after the
// first versions of its secret were destroyed.
const prefix = "k"

const idDate = "20060102"

func parseKeys(text []byte) ([]key, error) {
	ring, err := keyring.Parse(string(bytes.TrimSpace(text)))
	if err != nil {
		return nil, err
	}
	var keys []key
	for entry := range strings.SplitSeq(string(text), ",") {
		id, _, _ := strings.Cut(strings.TrimSpace(entry), ":")
		secret, _ := ring.Find(id)
		keys = append(keys, key{id: id, secret: secret})
	}
	return keys, nil
}

// encode returns the keys as the functions parse them.
func encode(keys []key) []byte {
	entries := make([]string, len(keys))
	for i, k := range keys {
		entries[i] = k.id + ":" + base64.StdEncoding.EncodeToString(k.secret)
	}
	return []byte(strings.Join(entries, ","))
}

func ids(keys []key) string {
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.id
	}
	return strings.Join(names, ", ")
}

func indexOf(keys []key, id string) int {
	return slices.IndexFunc(keys, func(k key) bool { return k.id == id })
}

// A deployment is the version of a keyring that all functions have, and since when. The number is 0 if each instance reads the latest
// version when it starts: then it is unknown which instance has which keys.
type deployment struct {
	number int
	since  time.Time
}

// A state is what is known about one ring.
type state struct {
	Ring

	deployed deployment
	newest   int              // the newest version that can be read
	last     int              // the newest version
	keys     []key            // of the deployed version, or of the newest one if the deployed one is unknown
	pending  []key            // of the newest version, nil if it is deployed
	used     map[string][]key // all keys that can be read, by id; an id has two keys only by mistake
	now      time.Time
}

// load reads the versions of a ring.
func load(ctx context.Context, store Store, r Ring, d deployment, now time.Time) (state, error) {
	s := state{Ring: r, deployed: d, now: now, used: map[string][]key{}}
	versions, err := store.Versions(ctx, r.Secret())
	if err != nil {
		return s, err
	}
	contents := map[int][]key{}
	for _, v := range versions {
		s.last = v.Number
		if !v.Readable {
			continue
		}
		text, err := store.Read(ctx, r.Secret(), v.Number)
		if err != nil {
			return s, err
		}
		keys, err := parseKeys(text)
		if err != nil {
			return s, fmt.Errorf("version %d: %w", v.Number, err)
		}
		s.newest, contents[v.Number] = v.Number, keys
		s.learn(keys, v.CreatedAt)
	}
	current := d.number
	if current == 0 {
		current = s.newest
	}
	if s.newest == 0 || contents[current] == nil {
		return s, fmt.Errorf("version %d cannot be read: enable it, or deploy another one", current)
	}
	s.keys = s.dated(contents[current])
	if current != s.newest {
		s.pending = s.dated(contents[s.newest])
	}
	return s, nil
}

// learn stores the time at which each key first appeared.
func (s *state) learn(keys []key, at time.Time) {
	for _, k := range keys {
		if slices.ContainsFunc(s.used[k.id], func(u key) bool { return bytes.Equal(u.secret, k.secret) }) {
			continue
		}
		k.since = at
		if named, ok := dateOf(k.id); ok && at.Sub(named) > day { // within a day the time of the version is more precise
			k.since = named
		}
		s.used[k.id] = append(s.used[k.id], k)
	}
}

// dateOf returns the date in the id of an added key.
func dateOf(id string) (time.Time, bool) {
	text, added := strings.CutPrefix(id, prefix)
	if !added || len(text) < len(idDate) {
		return time.Time{}, false
	}
	at, err := time.Parse(idDate, text[:len(idDate)])
	return at, err == nil
}

// dated returns the keys with the time at which each first appeared.
func (s *state) dated(keys []key) []key {
	keys = slices.Clone(keys)
	for i, k := range keys {
		for _, u := range s.used[k.id] {
			if bytes.Equal(u.secret, k.secret) {
				keys[i].since = u.since
			}
		}
	}
	return keys
}

// successors returns the keys that are newer than the active one.
func successors(keys []key) (newer []key) {
	for _, k := range keys[1:] {
		if k.since.After(keys[0].since) {
			newer = append(newer, k)
		}
	}
	return newer
}

// next returns the step that a rotation needs next.
func (s state) next() Step {
	switch {
	case len(successors(s.keys)) > 0:
		return Promote
	case len(s.keys) > 1:
		return Remove
	}
	return Add
}

// after returns the keys after a step. secret is the secret of a new key.
func (s state) after(step Step, secret []byte) (keys []key, err error) {
	newer := successors(s.keys)
	switch step {
	case Add:
		if len(newer) > 0 {
			return nil, fmt.Errorf("%s is not active yet: promote it first", ids(newer))
		}
		return append(slices.Clone(s.keys), key{id: s.newID(), secret: secret, since: s.now}), nil
	case Promote:
		if len(newer) == 0 {
			return nil, fmt.Errorf("no key is newer than the active key %s: add one first", s.keys[0].id)
		}
		front := newer[len(newer)-1]
		return append([]key{front}, slices.DeleteFunc(slices.Clone(s.keys), func(k key) bool { return k.id == front.id })...), nil
	case Remove:
		if len(newer) > 0 {
			return nil, fmt.Errorf("%s is still the active key: promote %s first", s.keys[0].id, ids(newer))
		}
		if len(s.keys) == 1 {
			return nil, fmt.Errorf("%s is the only key", s.keys[0].id)
		}
		return s.keys[:1], nil
	}
	return nil, fmt.Errorf("no step %q", step)
}

// newID returns an id that no version has used.
func (s state) newID() string {
	name := prefix + s.now.UTC().Format(idDate)
	for n := 1; ; n++ {
		id := name
		if n > 1 {
			id = fmt.Sprintf("%s-%d", name, n)
		}
		if len(s.used[id]) == 0 {
			return id
		}
	}
}

// refuse returns why no step is possible now, or why a change of the deployed keys would end what guests rely on. It returns nil if the
// change is safe. A key that has leaked may be removed before what was made with it expires, but not before all instances use the next.
func (s state) refuse(to []key, unlink, leaked bool) error {
	switch {
	case s.deployed.number == 0:
		return fmt.Errorf("each instance reads the latest version when it starts, so a new version would reach only some of them: apply with keyrings = { %s = \"%d\" } first", s.Variable, s.newest)
	case s.deployed.since.IsZero():
		return errors.New("the time at which version " + fmt.Sprint(s.deployed.number) + " was rolled out is unknown: apply again")
	}
	settled := s.deployed.since.Add(settle)
	expired := settled.Add(s.keep)
	if leaked {
		expired = settled
	}
	if i := indexOf(s.keys, to[0].id); i < 0 {
		return fmt.Errorf("%s would become active at once: instances with version %d do not accept it, so %s would be lost", to[0].id, s.deployed.number, s.losses())
	}
	for _, k := range to {
		if i := indexOf(s.keys, k.id); i >= 0 && !bytes.Equal(s.keys[i].secret, k.secret) {
			return fmt.Errorf("%s would become another key with the same id, so %s would be lost", k.id, s.losses())
		}
	}
	if to[0].id != s.keys[0].id {
		if s.now.Before(settled) {
			return fmt.Errorf("instances without %s may still answer: promote it after %s", to[0].id, instant(settled))
		}
		if s.unlinks == Promote && !unlink {
			return fmt.Errorf("with another active key earlier pseudonyms of guests no longer match: add -unlink if this is intended")
		}
	}
	for _, k := range s.keys {
		switch {
		case indexOf(to, k.id) >= 0:
		case k.id == s.keys[0].id || to[0].id != s.keys[0].id:
			return fmt.Errorf("%s is still in use, so %s would be lost: a step must not remove a key and change the active one", k.id, s.losses())
		case s.now.Before(expired):
			return fmt.Errorf("%s made with %s are valid until %s: remove it afterwards", s.losses(), k.id, instant(expired))
		case s.unlinks == Remove && !unlink:
			return fmt.Errorf("without %s earlier pseudonyms of guests no longer match: add -unlink if this is intended", k.id)
		}
	}
	return nil
}

func (s state) losses() string {
	if s.loses == "" {
		return "pseudonyms"
	}
	return s.loses
}

// tooOld returns the keys that are older than the limit and can be replaced: the active key, and each old key whose removal waits only for
// a person.
func (s state) tooOld() (old []key) {
	for i, k := range s.keys {
		removable := i > 0 && !slices.ContainsFunc(successors(s.keys), func(n key) bool { return n.id == k.id }) && s.refuse(s.keys[:1], true, false) == nil
		if s.maxAge > 0 && s.now.Sub(k.since) > s.maxAge && (i == 0 || removable) {
			old = append(old, k)
		}
	}
	return old
}

func instant(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// days returns the age of a key in whole days.
func (k key) days(now time.Time) int { return int(now.Sub(k.since) / day) }
