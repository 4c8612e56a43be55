package consumer_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/consumer/addwish"
	"melmastoon.ghasi.io/functions/consumer/changesession"
	"melmastoon.ghasi.io/functions/consumer/clearsession"
	"melmastoon.ghasi.io/functions/consumer/consumertest"
	"melmastoon.ghasi.io/functions/consumer/readhotel"
	"melmastoon.ghasi.io/functions/consumer/readsession"
	"melmastoon.ghasi.io/functions/consumer/search"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/fn/observe"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// paced are the built-in rules with an eighth of the requests, because a loaded machine may not send forty in 2 s.
const paced = `{"cadence":[{"count":3,"weight":0.3},{"count":5,"weight":0.6}]}`

// A botSite is a site that detects bots, with a challenge service.
type botSite struct {
	*consumertest.Site
	challenges *consumertest.FakeChallenges
}

func openBotSite(t *testing.T, with func(env.Env) env.Env, fs ...fn.Function) *botSite {
	t.Helper()
	db, challenges := pgtest.New(t), consumertest.OpenFakeChallenges(t)
	e := challenges.Around(db.Env())
	if with != nil {
		e = with(e)
	}
	site := consumertest.OpenOn(t, db, e, fs...)
	site.SetBotRules(paced)
	return &botSite{site, challenges}
}

// burst sends requests within a moment, and returns the last answer.
func burst(v *consumertest.Traveller, n int) (last fntest.Answer) {
	for range n {
		last = v.Send("GET", "/session", nil)
	}
	return last
}

// forgetful makes a traveller's browser return no cookie.
func forgetful(v *consumertest.Traveller, n int, headers ...string) (last fntest.Answer) {
	for range n {
		v.Cookie = ""
		last = v.Send("GET", "/session", nil, headers...)
	}
	return last
}

const suspected = "MELMASTOON.BFF.CONSUMER.SUSPECTED_BOT"

// A problem is the part of a 429 that tells a browser what to do.
type problem struct {
	Code       string `json:"code"`
	RetryAfter int    `json:"retryAfter"`
	Challenge  *struct {
		Kind    string `json:"kind"`
		SiteKey string `json:"siteKey"`
	} `json:"challenge"`
}

// checkChallenged fails the test unless the answer is a challenge.
func checkChallenged(t *testing.T, a fntest.Answer) {
	t.Helper()
	var p problem
	a.Must(t, http.StatusTooManyRequests)
	a.Into(t, &p)
	check.Equal(t, p.Code, suspected)
	check.MustNotEqual(t, p.Challenge, nil, "%s", string(a.Body))
	check.Equal(t, p.Challenge.Kind, "captcha")
	check.Equal(t, p.Challenge.SiteKey, "local")
	check.Equal(t, len(cookies(a)), 0)
}

// checkBlocked fails the test unless the answer is a block.
func checkBlocked(t *testing.T, a fntest.Answer) {
	t.Helper()
	var p problem
	a.Must(t, http.StatusTooManyRequests)
	a.Into(t, &p)
	if p.Code != suspected || p.Challenge != nil {
		t.Errorf("code = %q, challenge = %v, want %q without a challenge", p.Code, p.Challenge, suspected)
	}
	check.Equal(t, p.RetryAfter, 600)
	check.Equal(t, a.Header.Get("Retry-After"), "600")
}

// headless is the user agent of a program.
const headless = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/140.0.0.0 Safari/537.36"

// A fast caller is challenged if it has a cookie or is a program.
func TestBots_fastCaller(t *testing.T) {
	t.Parallel()
	site := openBotSite(t, nil, readsession.Function)
	known := site.Traveller()
	known.Must(http.StatusOK, "GET", "/session", nil)
	checkChallenged(t, burst(known, 8))
	site.DB.Advance(2 * time.Second)
	known.Must(http.StatusOK, "GET", "/session", nil)

	checkChallenged(t, forgetful(site.Traveller("User-Agent", headless), 9))
	site.CheckPublished("session.started", 1)
}

// New guests behind one address are served, however many they are. While they are a crowd, their sessions are stored when they
// return their cookies, and a program that returns none leaves nothing.
func TestBots_crowd(t *testing.T) {
	t.Parallel()
	const guests = 60
	for name, agent := range map[string]string{
		"iPhone":     "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1",
		"Opera Mini": "Opera/9.80 (J2ME/MIDP; Opera Mini/9.80 (S60; SymbOS; Opera Mobi/23.348; U; en) Presto/2.5.25 Version/10.54",
		"unknown":    "Dorado WAP-Browser/1.0.0",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			site := openBotSite(t, nil, readsession.Function, changesession.Function)
			phones := make([]*consumertest.Traveller, guests)
			for i := range phones {
				phones[i] = site.Traveller("User-Agent", agent)
				phones[i].Must(http.StatusOK, "GET", "/session", nil)
			}
			began := 0
			for _, published := range site.Published() {
				if published == "session.started" {
					began++
				}
			}
			least, most := 4, guests-1 // those before the crowd
			if name == "unknown" {
				least, most = 0, 0
			}
			if began < least || began > most {
				t.Errorf("sessions of first requests = %d, want %d to %d", began, least, most)
			}
			for _, phone := range phones {
				phone.Must(http.StatusOK, "GET", "/session", nil)
				phone.StoredSession()
			}
			first := site.Traveller("User-Agent", agent)
			first.Must(http.StatusOK, "PATCH", "/session", `{"locale":"en"}`) // cannot wait for the cookie
			first.StoredSession()
			site.CheckPublished("bot_suspected", 0)
		})
	}
}

// Ten thousand requests of a program without cookies leave nothing but the evidence.
func TestBots_floodLeavesNoSessions(t *testing.T) {
	t.Parallel()
	const requests = 10_000
	site := openBotSite(t, nil)
	site.SetBotRules(`{}`)
	read, err := readsession.Function.Handler(observe.LogKey.With(site.Env, observe.To(io.Discard)))
	check.Must(t, err)
	var work sync.WaitGroup
	for range 4 {
		work.Go(func() {
			for range requests / 4 {
				r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/bff/consumer/v1/session", nil)
				r.Header.Set("User-Agent", "Mozilla/5.0 HeadlessChrome/140.0.0.0")
				w := httptest.NewRecorder()
				if read.ServeHTTP(w, r); w.Code != http.StatusOK && w.Code != http.StatusTooManyRequests {
					t.Errorf("status = %d, want 200 or 429: %s", w.Code, w.Body)
				}
			}
		})
	}
	work.Wait()
	var sessions, documents, scores int
	if err := site.DB.Owner(t).QueryRow(t.Context(), `
		SELECT (SELECT count(*) FROM bff_consumer.guest_sessions), (SELECT count(*) FROM document.documents WHERE collection = 'gms-session'),
			(SELECT count(*) FROM bff_consumer.bot_scores)`).Scan(&sessions, &documents, &scores); err != nil {
		t.Fatal(err)
	}
	check.Equal(t, sessions, 0)
	check.Equal(t, documents, 0)
	if scores == 0 || scores > 20 {
		t.Errorf("scores = %d, want a few", scores)
	}
	site.CheckPublished("session.started", 0)
	site.CheckPublished("bot_suspected", scores)
}

// A suspect is answered, but nothing is stored until it returns the cookie.
func TestBots_suspect(t *testing.T) {
	t.Parallel()
	site := openBotSite(t, nil, readsession.Function, changesession.Function)
	v := site.Traveller("User-Agent", headless)
	v.Send("PATCH", "/session", `{"locale":"en"}`).Want(t, http.StatusUnauthorized)
	v.Must(http.StatusOK, "GET", "/session", nil)
	check.Equal(t, site.Published(), []string{"bot_suspected"})
	var p struct {
		Session *string `json:"guestSessionId"`
		Score   float64 `json:"score"`
		Verdict string  `json:"verdict"`
		Agent   string  `json:"userAgentHash"`
		IP      string  `json:"ipHash"`
		Action  string  `json:"actionTaken"`
		Signals []struct {
			Kind string `json:"kind"`
		} `json:"signals"`
	}
	site.Payload("bot_suspected", &p)
	check.Equal(t, p.Session, nil)
	check.Equal(t, p.Score, 0.4)
	check.Equal(t, p.Verdict, "suspect")
	check.Equal(t, p.Action, "none")
	if len(p.Signals) != 1 || p.Signals[0].Kind != "ua-pattern" {
		t.Errorf("p.Signals = %v, want only ua-pattern", p.Signals)
	}
	if !strings.HasPrefix(p.Agent, "sha256:") || !strings.HasPrefix(p.IP, "sha256:") {
		t.Errorf("hashes = %q, %q, want both", p.Agent, p.IP)
	}
	v.Must(http.StatusOK, "GET", "/session", nil)
	site.CheckPublished("session.started", 1)
	v.StoredSession()
}

// A browser without a cookie that is a suspect by its pace and its headers gets no session either. Its hints contradict it.
func TestBots_suspectBrowser(t *testing.T) {
	t.Parallel()
	site := openBotSite(t, nil, readsession.Function)
	before := rowsWritten(t, site.DB)
	a := forgetful(site.Traveller("Sec-Ch-Ua-Platform", `"Windows"`), 4)
	a.Must(t, http.StatusOK)
	check.Equal(t, len(cookies(a)), 1, "the next call may return it")
	check.Equal(t, rowsWritten(t, site.DB)-before, 2*3, "rows and documents")
	site.CheckPublished("bot_suspected", 1)
}

// The evidence names the session, also of a guest who rejects telemetry, and follows the verdict.
func TestBots_evidence(t *testing.T) {
	t.Parallel()
	site := openBotSite(t, nil, readsession.Function)
	v := site.Traveller("DNT", "1")
	v.Must(http.StatusOK, "GET", "/session", nil)
	burst(v, 9)
	site.CheckPublished("bot_suspected", 1) // 0.3 is human, 0.6 is a challenged suspect
	rows, _ := site.DB.Owner(t).Query(t.Context(), `
		SELECT guest_session_id, user_agent_hash, score, verdict FROM bff_consumer.bot_scores ORDER BY seq`)
	scores, err := pgx.CollectRows(rows, pgx.RowToStructByPos[struct {
		Session *id.GuestSession
		Agent   *string
		Score   float64
		Verdict string
	}])
	if err != nil || len(scores) != 1 {
		t.Fatalf("scores = %v, %v, want one", scores, err)
	}
	s := scores[0]
	if s.Session == nil || *s.Session != v.Session {
		t.Errorf("s.Session = %v, want %v", s.Session, v.Session)
	}
	check.NotEqual(t, s.Agent, nil)
	check.Equal(t, s.Score, 0.6)
	check.Equal(t, s.Verdict, "suspect")
	site.DB.Advance(5 * time.Minute)
	checkChallenged(t, burst(v, 9))
	site.CheckPublished("bot_suspected", 2)
}

// The response to a challenge is verified with the repeated request.
func TestBots_challenge(t *testing.T) {
	t.Parallel()
	site := openBotSite(t, nil, readsession.Function)
	for _, test := range []struct {
		name, response string
		behavior       http.HandlerFunc
		status         int
		human          bool // afterwards
	}{
		{"passed", "good", nil, 200, true},
		{"failed", "bad", nil, 429, false},
		{"late", "old", nil, 429, false},
		{"too long", strings.Repeat("g", 5000), nil, 429, false},
		{"service fails", "good-1", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }, 200, false},
		{"service hangs", "good-2", hang, 200, false},
		{"garbled response", "good-3", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"outcome":"perhaps"}`)) }, 200, false},
		{"empty response", "good-4", func(http.ResponseWriter, *http.Request) {}, 200, false},
	} {
		t.Run(test.name, func(t *testing.T) { // one after the other: they share the service
			site.challenges.Behavior.Store(nil)
			if test.behavior != nil {
				site.challenges.Behavior.Store(&test.behavior)
			}
			site.DB.Advance(2 * time.Second) // new guests at one address are paced too
			v := site.Traveller()
			v.Must(http.StatusOK, "GET", "/session", nil)
			checkChallenged(t, burst(v, 9))
			a := v.Send("GET", "/session", nil, "X-Challenge-Response", test.response)
			a.Want(t, test.status)
			if a.Status == 429 {
				checkChallenged(t, a)
			}
			check.Equal(t, burst(v, 9).Status == http.StatusOK, test.human, "human afterwards")
		})
	}
	calls := site.challenges.Calls.Load()
	check.Equal(t, calls, 7, "calls of the challenge service: one per response, none for the long one")
}

// hang answers nothing until the caller has left.
func hang(_ http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body) // the server notices that the caller leaves only after the body
	<-r.Context().Done()
}

// A session that has passed is human for 30 minutes, in every process.
func TestBots_passedSession(t *testing.T) {
	t.Parallel()
	site := openBotSite(t, nil, readsession.Function)
	v := site.Traveller()
	v.Must(http.StatusOK, "GET", "/session", nil)
	checkChallenged(t, burst(v, 9))
	v.Must(http.StatusOK, "GET", "/session", nil, "X-Challenge-Response", "good")
	v.Must(http.StatusOK, "GET", "/session", nil, "X-Challenge-Response", "good") // twice

	// Another process shares the database, and nothing in memory. It finds the rules of this site, which are newer than its own.
	e := env.Of(map[string]string{"DATABASE_URL": site.DB.URL(), "DOCUMENT_TIMEOUT": "5s", "TIMEOUT_FACTOR": "4"})
	t.Cleanup(func() {
		check.NoError(t, e.Close(context.Background()))
	})
	elsewhere := consumertest.OpenOn(t, site.DB, site.challenges.Around(e), readsession.Function)
	fresh := elsewhere.Traveller()
	fresh.Must(http.StatusOK, "GET", "/session", nil)
	checkChallenged(t, burst(fresh, 9))
	there := elsewhere.Traveller()
	there.Cookie = v.Cookie
	burst(there, 12).Want(t, http.StatusOK)
	site.DB.Advance(29 * time.Minute)
	burst(v, 12).Want(t, http.StatusOK)
	site.DB.Advance(time.Minute)
	checkChallenged(t, burst(v, 9))
	check.Equal(t, site.challenges.Calls.Load(), 1, "calls of the challenge service")
}

// A guest without a cookie gets a human session for the response, and the address of the guest gets nothing.
func TestBots_passedWithoutCookie(t *testing.T) {
	t.Parallel()
	site := openBotSite(t, nil, readsession.Function)
	v := site.Traveller("User-Agent", headless)
	checkChallenged(t, forgetful(v, 9))
	v.Must(http.StatusOK, "GET", "/session", nil, "X-Challenge-Response", "good")
	check.Equal(t, v.StoredSession().HumanUntil.After(site.Env.Now().Add(29*time.Minute)), true)
	burst(v, 9).Want(t, http.StatusOK)
	checkChallenged(t, forgetful(site.Traveller("User-Agent", headless), 1))
}

// Three failed challenges block the caller for ten minutes, and no other caller.
func TestBots_blocked(t *testing.T) {
	t.Parallel()
	site := openBotSite(t, nil, readsession.Function)
	for _, cookie := range []bool{true, false} {
		t.Run(fmt.Sprint(cookie), func(t *testing.T) {
			v, send := site.Traveller("User-Agent", fmt.Sprintf("Mozilla/5.0 (Macintosh) HeadlessChrome %t", cookie)), burst
			if cookie {
				v.Must(http.StatusOK, "GET", "/session", nil)
			} else {
				send = func(v *consumertest.Traveller, n int) fntest.Answer { return forgetful(v, n) }
			}
			answer := func(response string) fntest.Answer {
				send(v, 9)
				if !cookie {
					v.Cookie = ""
				}
				return v.Send("GET", "/session", nil, "X-Challenge-Response", response)
			}
			checkChallenged(t, answer("bad"))
			checkChallenged(t, answer("worse"))
			checkBlocked(t, answer("worst"))
			calls := site.challenges.Calls.Load()
			site.DB.Advance(time.Minute)
			checkBlocked(t, answer("good"))
			check.Equal(t, site.challenges.Calls.Load()-calls, 0, "calls for a blocked caller")
			site.DB.Advance(2 * time.Second)
			other := site.Traveller()
			other.Send("GET", "/session", nil)
			check.NotEqual(t, other.Cookie, "", "another browser at the address is blocked")
			var p struct {
				Action string `json:"actionTaken"`
			}
			site.Payload("bot_suspected", &p)
			check.Equal(t, p.Action, "hard-block")
			site.DB.Advance(9*time.Minute + time.Second)
			send(v, 1).Want(t, http.StatusOK)
		})
	}
}

// Wrong responses of a caller without a challenge count as no response: three invented headers would block every guest of a mobile
// network who has the same browser and no cookie.
func TestBots_inventedResponse(t *testing.T) {
	t.Parallel()
	site := openBotSite(t, nil, readsession.Function)
	for _, cookie := range []bool{true, false} {
		v := site.Traveller()
		if cookie {
			v.Must(http.StatusOK, "GET", "/session", nil)
		}
		for range 6 {
			site.DB.Advance(2 * time.Second)
			if !cookie {
				v.Cookie = ""
			}
			v.Must(http.StatusOK, "GET", "/session", nil, "X-Challenge-Response", "invented")
		}
	}
	site.CheckPublished("bot_suspected", 0)
	// The challenge of one guest makes nothing of another's header.
	site.DB.Advance(2 * time.Second)
	v := site.Traveller()
	v.Must(http.StatusOK, "GET", "/session", nil)
	checkChallenged(t, burst(v, 9))
	other := site.Traveller()
	site.DB.Advance(2 * time.Second)
	other.Must(http.StatusOK, "GET", "/session", nil)
	for range 6 {
		site.DB.Advance(2 * time.Second)
		other.Must(http.StatusOK, "GET", "/session", nil, "X-Challenge-Response", "invented")
	}
	for range 2 {
		v.Must(http.StatusOK, "GET", "/session", nil, "X-Challenge-Response", "wrong") // the guest is slow now
	}
	checkBlocked(t, v.Send("GET", "/session", nil, "X-Challenge-Response", "wrong"))
}

// A replay counts neither as a request nor as a response, and is answered whatever the verdict.
func TestBots_replay(t *testing.T) {
	t.Parallel()
	hotels := consumertest.OpenFakeHotels(t)
	site := openBotSite(t, hotels.Around, readsession.Function, changesession.Function, addwish.Function)
	v := site.Traveller()
	v.Must(http.StatusOK, "GET", "/session", nil)
	key := []string{"Idempotency-Key", consumertest.Key()}
	v.Must(http.StatusOK, "PATCH", "/session", `{"locale":"en"}`, key...)
	for range 60 {
		a := v.Must(http.StatusOK, "PATCH", "/session", `{"locale":"en"}`, append(key, "X-Challenge-Response", "bad")...)
		check.MustEqual(t, a.Header.Get("Idempotent-Replayed"), "true", "the answer is no replay")
	}
	check.Equal(t, site.challenges.Calls.Load(), 0, "calls of the challenge service")
	v.Must(http.StatusOK, "GET", "/session", nil)
	site.CheckPublished("bot_suspected", 0)
	// New acts count, and a challenged act runs once under its key after the challenge.
	var last fntest.Answer
	for range 9 {
		key = []string{"Idempotency-Key", consumertest.Key()}
		last = v.Send("PATCH", "/session", `{"locale":"en"}`, key...)
	}
	checkChallenged(t, last)
	a := v.Must(http.StatusOK, "PATCH", "/session", `{"locale":"en"}`, append(key, "X-Challenge-Response", "good")...)
	check.Equal(t, a.Header.Get("Idempotent-Replayed"), "", "the challenged act was stored")
	check.Equal(t, v.Must(http.StatusOK, "PATCH", "/session", `{"locale":"en"}`, key...).Header.Get("Idempotent-Replayed"), "true", "the act was not stored")
}

// The verdict precedes the session's rate limit.
func TestBots_beforeRateLimit(t *testing.T) {
	t.Parallel()
	site := openBotSite(t, nil)
	site.Front = fntest.Behind(t, site.Env.With("RATE_LIMIT_SESSION", "0.001/6"), site.Front.Issuer(), readsession.Function)
	v := site.Traveller()
	v.Must(http.StatusOK, "GET", "/session", nil)
	checkChallenged(t, burst(v, 16))
	site.DB.Advance(2 * time.Second)
	if a := burst(v, 4); a.Status != http.StatusTooManyRequests || strings.Contains(string(a.Body), suspected) {
		t.Errorf("status = %d, want a rate limit for a human that asks too often: %s", a.Status, a.Body)
	}
}

// Known crawlers read hotels and lists without session or cookie, and are not challenged.
func TestBots_crawler(t *testing.T) {
	t.Parallel()
	system := consumertest.OpenSystem(t, 2, search.Function, readhotel.Function, readsession.Function, changesession.Function, clearsession.Function)
	system.SetBotRules(`{"crawlers":[{"agent":"Googlebot","ranges":["127.0.0.0/8","192.0.2.0/24"]}]}`)
	crawler := func() *consumertest.Traveller {
		return system.Traveller("User-Agent", "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)")
	}
	before := rowsWritten(t, system.DB)
	for range 60 {
		v := crawler()
		v.Must(http.StatusOK, "GET", "/hotels/"+system.Hotels[0].Property.String(), nil)
		v.Must(http.StatusOK, "POST", "/search", system.SearchBody())
		check.MustEqual(t, v.Cookie, "", "a crawler got a cookie")
	}
	check.Equal(t, rowsWritten(t, system.DB)-before, 0, "rows and documents")
	crawler().Send("PATCH", "/session", `{"locale":"en"}`).Want(t, http.StatusUnauthorized)
	system.SetBotRules(`{"crawlers":[{"agent":"Googlebot","ranges":["10.0.0.0/8"]}]}`)
	system.DB.Advance(31 * time.Second)
	v := crawler()
	v.Must(http.StatusOK, "GET", "/session", nil)
	system.CheckPublished("bot_suspected", 1)
}

// Rules are read again after 30 s. While they are invalid, the last valid ones apply.
func TestBots_rules(t *testing.T) {
	t.Parallel()
	site := openBotSite(t, nil, readsession.Function)
	site.SetBotRules(`{"cadence":[{"count":3,"weight":0.6}]}`)
	challenged := func() bool {
		v := site.Traveller()
		site.DB.Advance(2 * time.Second)
		v.Must(http.StatusOK, "GET", "/session", nil)
		return burst(v, 4).Status == http.StatusTooManyRequests
	}
	check.MustEqual(t, challenged(), true, "the stored rules do not apply")
	for _, broken := range []string{`{"cadence":null}`, `{"cadence":[{"count":0,"weight":9}]}`, `[]`, `{"suspect":2}`, `{"cadence":[],"crawlers":[{"agent":"","ranges":[]}]}`} {
		t.Run(broken, func(t *testing.T) {
			site.SetBotRules(broken)
			site.DB.Advance(31 * time.Second)
			check.Equal(t, challenged(), true, "the last valid rules do not apply")
		})
	}
	site.SetBotRules(`{"cadence":[]}`)
	check.Equal(t, challenged(), true, "the rules were read again at once")
	site.DB.Advance(31 * time.Second)
	check.Equal(t, challenged(), false, "the rules were not read again")
}

// If the evidence cannot be stored, the caller is answered all the same, and the next request stores it.
func TestBots_evidenceLater(t *testing.T) {
	t.Parallel()
	site := openBotSite(t, nil, readsession.Function)
	owner := site.DB.Owner(t)
	check.Got(owner.Exec(t.Context(), `REVOKE INSERT ON bff_consumer.bot_scores FROM bff_consumer_app`)).Must(t)
	v := site.Traveller("User-Agent", "curl/8")
	v.Must(http.StatusOK, "GET", "/session", nil)
	site.CheckPublished("bot_suspected", 0)
	check.Got(owner.Exec(t.Context(), `GRANT INSERT ON bff_consumer.bot_scores TO bff_consumer_app`)).Must(t)
	v.Cookie = ""
	v.Must(http.StatusOK, "GET", "/session", nil)
	site.CheckPublished("bot_suspected", 1)
}
