package cache

import (
	"strconv"
	"testing"

	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
)

func TestAMemoryIsBounded(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name         string
		weight, many int
		most         int // that are remembered
	}{
		{"by bytes", 1 << 20, 40, maxBytes / (1<<20 + overhead)},
		{"by entries", 1, maxEntries + 100, maxEntries},
		{"something too large for it", maxBytes, 3, 0},
	} {
		m := openMemory(env.Of(nil))
		at := func(i int) place { return place{"pages", document.KeyOf(strconv.Itoa(i))} }
		for i := range test.many {
			m.remember(at(i), i, test.weight)
			m.find(at(0)) // it is used all the time
		}
		if len(m.known) != test.most || m.recent.Len() != test.most || m.bytes != test.most*(test.weight+overhead) || m.bytes > maxBytes {
			t.Errorf("%s: %d entries, %d in order, %d bytes, want %d entries", test.name, len(m.known), m.recent.Len(), m.bytes, test.most)
		}
		for i, want := range map[int]bool{0: test.most > 0, 1: false, test.many - 1: test.most > 0} {
			if _, ok := m.find(at(i)); ok != want {
				t.Errorf("%s: entry %d is remembered: %v, want %v", test.name, i, ok, want)
			}
		}
	}
}

func TestMemory_replacementHasOtherID(t *testing.T) {
	t.Parallel()
	m, at := openMemory(env.Of(nil)), place{"pages", document.KeyOf("1")}
	first := m.remember(at, "a", 10)
	second := m.remember(at, "a", 20)
	if got, ok := m.find(at); !ok || first == second || got.serial != second || m.bytes != 20+overhead || len(m.known) != 1 {
		t.Errorf("got %+v, %v, serials %d and %d, %d bytes", got, ok, first, second, m.bytes)
	}
}
