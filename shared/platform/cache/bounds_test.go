package cache

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/testkit/check"
)

func TestMemory_isBounded(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name       string
		size, many int
		want       int // entries that are kept
	}{
		{"by bytes", 1 << 20, 40, maxBytes / (1<<20 + entryOverhead)},
		{"by entries", 2, maxEntries + 100, maxEntries},
		{"a value larger than the memory", maxBytes, 3, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			m := NewMemory().(*memory)
			key := func(i int) document.Key { return document.KeyOf(strconv.Itoa(i)) }
			for i := range test.many {
				m.Put(key(i), strings.Repeat("x", test.size-len(`""`)))
				m.Get(key(0)) // it is used all the time
			}
			check.Equal(t, m.lru.Len(), test.want, "entries")
			check.Equal(t, m.bytes, test.want*(test.size+entryOverhead), "bytes")
			for i, want := range map[int]bool{0: test.want > 0, 1: false, test.many - 1: test.want > 0} {
				t.Run(fmt.Sprint(i), func(t *testing.T) {
					if _, ok := m.Get(key(i)); ok != want {
						t.Errorf("entry %d is kept: %v, want %v", i, ok, want)
					}
				})
			}
		})
	}
}

func TestMemory_replaces(t *testing.T) {
	t.Parallel()
	m, key := NewMemory().(*memory), document.KeyOf("1")
	m.Put(key, "a")
	m.Put(key, "bcd")
	if got, _ := m.Get(key); got != "bcd" {
		t.Errorf("got %v, want bcd", got)
	}
	if want := len(`"bcd"`) + entryOverhead; m.bytes != want || m.lru.Len() != 1 {
		t.Errorf("%d bytes in %d entries, want %d in 1", m.bytes, m.lru.Len(), want)
	}
}
