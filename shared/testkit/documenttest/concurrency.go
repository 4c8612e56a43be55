package documenttest

import (
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func createsOnce(t testing.TB, r Setup) {
	for round := range 4 {
		oneWinner(t, r, strconv.Itoa(round), noon)
	}
}

func replacesExpiredOnce(t testing.TB, r Setup) {
	d := open(t, r)
	for round := range 4 {
		id := strconv.Itoa(round)
		d.create(noon, named(id), text("old", 9, evening))
		oneWinner(t, r, id, evening)
	}
}

// oneWinner creates the same record from 64 concurrent callers at two stores, and expects one to succeed.
func oneWinner(t testing.TB, r Setup, id string, now time.Time) {
	desks := []client{open(t, r), open(t, r)}
	var winners atomic.Int32
	var winner atomic.Value
	together(64, func(i int) {
		mine := fmt.Sprint("caller ", i)
		if desks[i%2].create(now, named(id), text(mine, 1, now.Add(time.Hour))) {
			winners.Add(1)
			winner.Store(mine)
		}
	})
	expect(t, "winners", winners.Load(), 1)
	if want, _ := winner.Load().(string); want != "" {
		expect(t, "the record is of", desks[0].content(now, named(id)), want)
	}
}

// losesNoPut increments a counter in a document with optimistic concurrency control: read, change, put as the next version,
// and retry on a conflict.
func losesNoPut(t testing.TB, r Setup) {
	const writers, each = 8, 8
	first, second := open(t, r), open(t, r)
	together(writers, func(i int) {
		d := first
		if i%2 == 1 {
			d = second
		}
		for range each {
			for tries := 0; !increment(d); tries++ {
				if tries == 10_000 {
					t.Errorf("writer %d: too many version conflicts", i)
					return
				}
			}
		}
	})
	expect(t, "the count", first.content(noon, named("1")), strconv.Itoa(writers*each))
}

func increment(d client) bool {
	found, err := d.store.Get(d.t.Context(), noon, named("1"))
	if err != nil {
		d.t.Errorf("get: %v", err)
		return true
	}
	count, version := 0, int64(0)
	if found[0] != nil {
		count, _ = strconv.Atoi(string(found[0].Value))
		version = found[0].Version
	}
	return d.put(noon, named("1"), text(strconv.Itoa(count+1), version+1, evening))
}

func endsWithNewest(t testing.TB, r Setup) {
	const writers = 32
	d := open(t, r)
	for round := range 4 {
		name := named(strconv.Itoa(round))
		d.put(noon, name, text("0", 0, evening))
		together(writers, func(i int) {
			version := writers - i // the newest starts first
			d.put(noon, name, text(strconv.Itoa(version), int64(version), evening))
		})
		expect(t, "the newest", d.content(noon, name), strconv.Itoa(writers))
	}
}

func losesNoAdd(t testing.TB, r Setup) {
	const callers, each = 16, 4
	d := open(t, r)
	var mu sync.Mutex
	sums := map[int64]bool{}
	together(callers, func(int) {
		for range each {
			sum := d.add(noon, named("n"), 1, evening)
			mu.Lock()
			sums[sum] = true
			mu.Unlock()
		}
	})
	expect(t, "different sums", len(sums), callers*each)
	if got := d.get(noon, named("n"))[0]; got == nil || got.Number != callers*each {
		t.Errorf("got %+v, want %d", got, callers*each)
	}
}
