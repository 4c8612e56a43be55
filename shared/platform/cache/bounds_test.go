package cache

import (
	"strconv"
	"testing"

	"melmastoon.ghasi.io/shared/platform/document"
)

func TestMemory_isBounded(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name       string
		size, many int
		want       int // entries that are kept
	}{
		{"by bytes", 1 << 20, 40, maxBytes / (1<<20 + entryOverhead)},
		{"by entries", 1, maxEntries + 100, maxEntries},
		{"a value larger than the memory", maxBytes, 3, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			m := newMemory()
			key := func(i int) document.Key { return document.KeyOf(strconv.Itoa(i)) }
			for i := range test.many {
				m.Put(key(i), i, test.size)
				m.Get(key(0)) // it is used all the time
			}
			if len(m.byKey) != test.want || m.recent.Len() != test.want {
				t.Errorf("%d entries, %d in order, want %d", len(m.byKey), m.recent.Len(), test.want)
			}
			if want := test.want * (test.size + entryOverhead); m.bytes != want {
				t.Errorf("%d bytes, want %d", m.bytes, want)
			}
			for i, want := range map[int]bool{0: test.want > 0, 1: false, test.many - 1: test.want > 0} {
				if _, ok := m.Get(key(i)); ok != want {
					t.Errorf("entry %d is kept: %v, want %v", i, ok, want)
				}
			}
		})
	}
}

func TestMemory_replaces(t *testing.T) {
	t.Parallel()
	m, key := newMemory(), document.KeyOf("1")
	m.Put(key, "a", 10)
	m.Put(key, "b", 20)
	if got, _ := m.Get(key); got != "b" {
		t.Errorf("got %v, want b", got)
	}
	if want := 20 + entryOverhead; m.bytes != want || len(m.byKey) != 1 {
		t.Errorf("%d bytes in %d entries, want %d in 1", m.bytes, len(m.byKey), want)
	}
}
