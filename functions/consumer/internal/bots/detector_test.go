package bots

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/event/attribution"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/pseudonym"
	"melmastoon.ghasi.io/shared/testkit/check"
)

var start = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// from returns a caller without a session at the address.
func from(address pseudonym.Hash, h http.Header) caller {
	return caller{starts: true, header: h, class: attribution.DeviceOf(h), agent: agentHash, address: address}
}

// at observes requests of a caller at a rate, and returns the time until the first that is challenged; -1 if none is.
func challengedAfter(d *detector, c func(i int) caller, pause time.Duration, requests int) time.Duration {
	for i := range requests {
		now := start.Add(time.Duration(i) * pause)
		if builtIn().assess(d.observe(c(i), now)).Action == Challenge {
			return now.Sub(start)
		}
	}
	return -1
}

// A program is challenged for its pace. With a perfect user agent and no cookie it looks like guests of one address: it is not
// challenged, and its address is crowded.
func TestDetector_cadence(t *testing.T) {
	t.Parallel()
	known := from("a", browser(firefox))
	known.session = id.New[id.GuestSession]()
	for name, c := range map[string]caller{"program without a cookie": from("a", browser("curl/8")), "with a cookie": known} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			same := func(int) caller { return c }
			if after := challengedAfter(newDetector(), same, 20*time.Millisecond, 500); after < 0 || after > 3*time.Second {
				t.Errorf("50 requests a second: challenged after %v, want within 3 s", after)
			}
		})
	}
	if after := challengedAfter(newDetector(), func(int) caller { return known }, 100*time.Millisecond, 500); after >= 0 {
		t.Errorf("10 requests a second: challenged after %v, want never", after)
	}
	d, anyone := newDetector(), from("a", browser(firefox))
	for i := range 100 {
		e := d.observe(anyone, start.Add(time.Duration(i)*20*time.Millisecond))
		check.MustEqual(t, builtIn().assess(e).Verdict, Human, "request %d without a cookie: verdict", i)
		check.MustEqual(t, builtIn().crowded(e), i >= 39, "request %d without a cookie: crowded", i)
	}
}

// Phones share an address and a fingerprint.
func TestDetector_sharedAddress(t *testing.T) {
	t.Parallel()
	phones := make([]caller, 500)
	for i := range phones {
		phones[i] = from("a", browser(pixel, "Sec-Ch-Ua-Platform", `"Android"`))
	}
	d := newDetector()
	if after := challengedAfter(d, func(i int) caller { return phones[i] }, time.Minute/500, 500); after >= 0 {
		t.Errorf("500 phones in a minute: challenged after %v, want never", after)
	}
	phones[0].session = id.New[id.GuestSession]()
	check.Equal(t, builtIn().assess(d.observe(phones[0], start.Add(time.Minute))).Verdict, Human, "a phone with its cookie")
	// A platform that no browser sends does not hide a program.
	after := challengedAfter(newDetector(), func(i int) caller { return from("a", browser("curl/8", "Sec-Ch-Ua-Platform", fmt.Sprintf(`"%d"`, i))) }, 20*time.Millisecond, 500)
	if after < 0 || after > 3*time.Second {
		t.Errorf("50 requests a second with changing platforms: challenged after %v, want within 3 s", after)
	}
}

// A phone without a cookie calls three functions in parallel. A program that spreads its requests over functions gains nothing.
func TestDetector_parallelFirstCalls(t *testing.T) {
	t.Parallel()
	call := func(agent string, i, functions int) caller {
		c := from("a", browser(agent))
		c.function = fmt.Sprint(i % functions)
		return c
	}
	d := newDetector()
	for phone := range 500 {
		now := start.Add(time.Duration(phone) * time.Minute / 500)
		for i := range 3 {
			check.MustEqual(t, builtIn().assess(d.observe(call(pixel, i, 3), now)).Action, None, "phone %d, call %d: action", phone, i)
		}
	}
	for _, functions := range []int{1, 3, 14} {
		t.Run(fmt.Sprint(functions), func(t *testing.T) {
			after := challengedAfter(newDetector(), func(i int) caller { return call("curl/8", i, functions) }, 20*time.Millisecond, 500)
			if after < 0 || after > 3*time.Second {
				t.Errorf("50 requests a second to %d functions: challenged after %v, want within 3 s", functions, after)
			}
		})
	}
}

// Without an address, callers without a session would share one counter.
func TestDetector_unknownAddress(t *testing.T) {
	t.Parallel()
	if after := challengedAfter(newDetector(), func(int) caller { return from("", browser(firefox)) }, time.Millisecond, 500); after >= 0 {
		t.Errorf("challenged after %v, want never", after)
	}
}

// Only requests that start a session count as births, and they are forgotten after ten minutes.
func TestDetector_births(t *testing.T) {
	t.Parallel()
	d, c := newDetector(), from("a", browser(firefox))
	for range 30 {
		d.observe(c, start)
	}
	reads := c
	reads.starts = false
	check.Equal(t, d.observe(reads, start).births, 30)
	check.Equal(t, d.observe(from("b", browser(firefox)), start).births, 1, "another address")
	check.Equal(t, d.observe(from("a", browser(pixel)), start).births, 1, "another fingerprint")
	check.Equal(t, d.observe(reads, start.Add(collisionWindow)).births, 0, "ten minutes later")
}

// The third failed challenge within ten minutes blocks for ten minutes.
func TestDetector_failures(t *testing.T) {
	t.Parallel()
	d, c := newDetector(), from("a", browser(firefox))
	for i, want := range []bool{false, false, true} {
		t.Run(fmt.Sprint(want), func(t *testing.T) {
			check.Equal(t, d.fail(c, start.Add(time.Duration(i)*4*time.Minute)), want, "after failure %d: blocked", i+1)
		})
	}
	third := start.Add(8 * time.Minute)
	for after, want := range map[time.Duration]bool{0: true, blockTime - time.Second: true, blockTime: false} {
		t.Run(fmt.Sprint(after), func(t *testing.T) {
			check.Equal(t, d.observe(c, third.Add(after)).blocked, want, "%v after the third failure: blocked", after)
		})
	}
	check.Equal(t, d.observe(c, third.Add(failureWindow)).failed, false, "a failure counts after ten minutes")
	other := c
	other.agent = "another"
	if e := d.observe(other, third); e.blocked || e.failed {
		t.Error("another user agent at the same address is blocked")
	}
	slow := newDetector()
	for i := range 4 {
		check.Equal(t, slow.fail(c, start.Add(time.Duration(i)*5*time.Minute+time.Second)), false, "failures that are five minutes apart block")
	}
}

// The first verdict that is not human is recorded, each escalation, else one in five minutes.
func TestDetector_due(t *testing.T) {
	t.Parallel()
	suspect := Assessment{Verdict: Suspect, Action: None}
	challenged := Assessment{Verdict: Suspect, Action: Challenge}
	bot := Assessment{Verdict: Bot, Action: Challenge}
	blocked := Assessment{Verdict: Bot, Action: HardBlock}
	d, c := newDetector(), from("a", browser(firefox))
	for i, step := range []struct {
		after time.Duration
		a     Assessment
		want  bool
	}{
		{0, Assessment{Verdict: Human, Action: None}, false},
		{0, suspect, true},
		{time.Second, suspect, false},
		{2 * time.Second, challenged, true},
		{3 * time.Second, challenged, false},
		{4 * time.Second, bot, true},
		{5 * time.Second, suspect, false},
		{6 * time.Second, bot, false},
		{7 * time.Second, blocked, true},
		{7*time.Second + reportInterval - 1, blocked, false},
		{7*time.Second + reportInterval, suspect, true},
		{8*time.Second + reportInterval, bot, true},
	} {
		if got, _ := d.due(c, step.a, start.Add(step.after)); got != step.want {
			t.Errorf("step %d: due = %t, want %t", i, got, step.want)
		}
	}
	if got, _ := d.due(from("b", browser(firefox)), suspect, start); !got {
		t.Error("another caller's first verdict is not due")
	}
}

// A report that cannot be stored is due again.
func TestDetector_undo(t *testing.T) {
	t.Parallel()
	d, c, a := newDetector(), from("a", browser(firefox)), Assessment{Verdict: Suspect, Action: None}
	_, undo := d.due(c, a, start)
	undo()
	if due, _ := d.due(c, a, start.Add(time.Second)); !due {
		t.Error("the report is not due again")
	}
	if due, _ := d.due(c, a, start.Add(2*time.Second)); due {
		t.Error("the report is due twice")
	}
}

// The memory is bounded, and drops the keys that were not seen for longest.
func TestDetector_bounded(t *testing.T) {
	t.Parallel()
	d, busy := newDetector(), from("busy", browser(firefox))
	d.fail(busy, start)
	for i := range 5 * maxTracks {
		d.observe(from(pseudonym.Hash(fmt.Sprint(i)), browser(firefox)), start)
		if i%(maxTracks/4) == 0 {
			d.observe(busy, start)
		}
	}
	if n := len(d.young) + len(d.old); n > 2*maxTracks {
		t.Errorf("tracks = %d, want at most %d", n, 2*maxTracks)
	}
	check.Equal(t, d.observe(busy, start).failed, true, "a caller that was seen all the time is forgotten")
	if _, kept := d.young[from("0", browser(firefox)).key()]; kept {
		t.Error("the oldest caller is remembered")
	}
	check.Equal(t, len(counted(make([]int64, 0), start, time.Second)), 1)
	times := []int64{}
	for range 3 * maxCount {
		times = counted(times, start, time.Second)
	}
	check.Equal(t, len(times), maxCount, "times of one caller")
}

// Concurrent requests are all counted, and one of them reports.
func TestDetector_concurrent(t *testing.T) {
	t.Parallel()
	d, c := newDetector(), from("a", browser(firefox))
	var reports atomic.Int64
	var work sync.WaitGroup
	for range 100 {
		work.Go(func() {
			d.observe(c, start)
			if due, _ := d.due(c, Assessment{Verdict: Suspect, Action: None}, start); due {
				reports.Add(1)
			}
		})
	}
	work.Wait()
	check.Equal(t, d.observe(c, start).requests, 101)
	check.Equal(t, reports.Load(), 1)
}

// A passed challenge counts for the session, and ends.
func TestDetector_pass(t *testing.T) {
	t.Parallel()
	d, passing := newDetector(), id.New[id.GuestSession]()
	d.pass(passing, start.Add(humanTime))
	for after, want := range map[time.Duration]bool{0: true, humanTime - 1: true, humanTime: false} {
		t.Run(fmt.Sprint(after), func(t *testing.T) {
			check.Equal(t, d.isHuman(passing, start.Add(after)), want, "%v after the challenge: isHuman", after)
		})
	}
	if d.isHuman(id.New[id.GuestSession](), start) || d.isHuman(id.GuestSession{}, start) {
		t.Error("another session is human")
	}
}
