package topictest

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/platform/topic"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// keepsOrder fails one push in five and checks that order is kept across retries.
func keepsOrder(t *testing.T, r Setup) {
	const keys, each = 5, 20
	d := r.Open()
	var mu sync.Mutex
	busy, tried := map[string]int{}, map[string]int{}
	arrived := map[string][]int{}
	e := listen(t, func(p push) int {
		key, n, _ := strings.Cut(p.body, "/")
		mu.Lock()
		busy[key]++
		if busy[key] > 1 {
			t.Errorf("key %s: concurrent pushes", key)
		}
		tried[p.body]++
		first := tried[p.body] == 1
		mu.Unlock()
		number, _ := strconv.Atoi(n)
		defer func() { mu.Lock(); busy[key]--; mu.Unlock() }()
		if first && number%5 == 0 {
			return http.StatusServiceUnavailable
		}
		mu.Lock()
		arrived[key] = append(arrived[key], number)
		mu.Unlock()
		return http.StatusOK
	})
	subscribe(t, d, to(e, "orders"))
	start(t, d)
	for n := range each {
		var messages []topic.Message
		for key := range keys {
			messages = append(messages, text("orders", fmt.Sprint("k", key), fmt.Sprintf("k%d/%d", key, n)))
		}
		publish(t, d, messages...)
	}
	e.take(keys * (each + each/5))
	mu.Lock()
	defer mu.Unlock()
	for key, numbers := range arrived {
		if !slices.IsSorted(numbers) || len(numbers) != each {
			t.Errorf("key %s arrived as %v", key, numbers)
		}
	}
	check.Equal(t, len(arrived), keys, "keys")
}

func holdsUpNoOther(t *testing.T, r Setup) {
	d := r.Open()
	e := listen(t, func(p push) int {
		if strings.HasPrefix(p.body, "bad") {
			return http.StatusInternalServerError
		}
		return http.StatusOK
	})
	s := to(e, "orders")
	s.MinBackoff, s.MaxBackoff = 10*time.Minute, 10*time.Minute
	subscribe(t, d, s)
	start(t, d)
	var messages []topic.Message
	for n := range 50 { // more than the maximum in flight
		messages = append(messages, text("orders", "bad", fmt.Sprint("bad", n)))
	}
	publish(t, d, append(messages, text("orders", "good", "good"), text("orders", "", "free"))...)
	got := e.take(3)
	slices.Sort(got)
	check.Equal(t, got, []string{"bad0", "free", "good"}, "pushes")
}
