package playbooks

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/jobs/keys"
	"melmastoon.ghasi.io/jobs/keys/folder"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/test/system"
)

// A trouble makes what the page is about.
type trouble struct{ make func(*desk) scene }

// A scene is the trouble of one test.
type scene struct {
	fill  []string // placeholders of the page and their values, in turn
	names []string // what the commands to paste must print
	mend  func()   // repairs the cause if the commands of the page do not; may be nil
	gone  func()   // checks the effect of the commands in the text; nil if there are none
}

var troubles = map[string]trouble{
	"backlog":                   {rejectedEvent},
	"database-connections":      {idleTransaction},
	"database-cpu":              {runningPrune},
	"database-disk":             {unprunedOutbox},
	"database-size":             {fullOutbox},
	"database-writes":           {longPrune},
	"dead-letters":              {deadLetters},
	"documents":                 {fullMemory},
	"draft-stuck":               {pendingPayment},
	"edge":                      {lostDomain},
	"errors":                    {missingTable},
	"function-start":            {missingSettings},
	"job-failed":                {failedPrune},
	"job-progress":              {pausedJob},
	"keys-old":                  {oldKeys},
	"latency":                   {slowStatement},
	"manual-keys":               {noKeys},
	"outbox":                    {parkedEvent},
	"outbox-lag":                {lateEvent},
	"outbox-rows":               {manyRows},
	"outbox-operational":        {parkedOperational},
	"probe":                     {brokenStep},
	"progress":                  {pausedSchedule},
	"rooms-without-alternative": {roomsOut},
	"saga-stuck":                {lostAnswer},
	"store-unavailable":         {noDatabase},
	"upstream-unavailable":      {noPrices},
}

// rejectedEvent lets a function reject an event, because a table is missing.
func rejectedEvent(d *desk) scene {
	back := d.hideTable("reservation", "inbox_processed")
	d.s.Book(system.Usual())
	d.until(`"function":"reservation-allocationcommitted"`, `"status":500`)
	return scene{
		fill:  []string{"<function>", "reservation-allocationcommitted"},
		names: []string{"reservation-allocationcommitted\tGENERAL.INTERNAL\t", "inbox_processed"},
		mend: func() {
			back()
			d.s.Advance(time.Minute)
			d.s.Quiet() // the event was delivered
		},
	}
}

// idleTransaction leaves a transaction open.
func idleTransaction(d *desk) scene {
	d.exec(`SET application_name = 'reservation'`)
	d.exec(`BEGIN`)
	return scene{names: []string{"1 of reservation by ", "idle in transaction", "max_connections", "most = 234"}, mend: func() { d.exec(`ROLLBACK`) }}
}

// runningPrune leaves a run of prune that is not at its end, and a statement that waits for a lock.
func runningPrune(d *desk) scene {
	d.s.Book(system.Usual())
	d.facts.Executions = []resource{{"name": "prune-daily-7", "job": "prune-daily", "status": "Running"}}
	d.exec(`SET application_name = 'reservation'`)
	d.exec(`BEGIN; LOCK TABLE sandbox.recent_views IN ACCESS EXCLUSIVE MODE`)
	waiter := d.s.DB.Owner(d.t)
	done := make(chan error, 1)
	go func() {
		_, err := waiter.Exec(d.t.Context(), `SELECT count(*) FROM sandbox.recent_views`)
		done <- err
	}()
	for d.count(`SELECT count(*) FROM pg_locks WHERE NOT granted AND pid = $1`, waiter.PgConn().PID()) == 0 {
		time.Sleep(time.Millisecond)
	}
	return scene{
		fill:  []string{"<execution>", "prune-daily-7"},
		names: []string{"statements: pid ", "SELECT count(*) FROM sandbox.recent_views", "(relation on sandbox.recent_views) for pid ", "reservation-hold"},
		mend: func() {
			d.exec(`ROLLBACK`)
			check.Must(d.t, <-done)
		},
		gone: func() {
			for _, e := range d.facts.Executions {
				if want := map[bool]string{true: "Cancelled", false: "Completed"}[e["name"] == "prune-daily-7"]; e["status"] != want {
					d.t.Errorf("execution %s is %s, want %s", e["name"], e["status"], want)
				}
			}
		},
	}
}

// unprunedOutbox is fullOutbox while the daily prune is paused.
func unprunedOutbox(d *desk) scene {
	d.facts.Resources["scheduler jobs prune-daily"] = resource{"state": "PAUSED", "lastAttemptTime": "2026-01-01T00:00:00Z", "status": resource{"code": 0}}
	s := fullOutbox(d)
	s.names = append(s.names, "PAUSED")
	return s
}

// fullOutbox writes events that no relay has published.
func fullOutbox(d *desk) scene {
	d.exec(`INSERT INTO reservation.outbox (id, event_id, subject, ordering_key, payload, envelope, occurred_at, next_attempt_at)
		SELECT gen_random_uuid(), 'evt_' || n, 'melmastoon.reservation.held.v1', 'k', '{}', '{}', platform.now(), platform.now() + interval '1 hour' FROM generate_series(1, 600) AS n`)
	clean := func() { d.exec(`DELETE FROM reservation.outbox WHERE ordering_key = 'k'`) } // the invariants do not know these events
	return scene{names: []string{"reservation outbox: 600 events wait to be published", "reservation.outbox "}, gone: clean}
}

// longPrune runs prune, and leaves a statement that is not at its end.
func longPrune(d *desk) scene {
	d.run("prune-daily")
	d.exec(`SET application_name = 'reservation'`)
	d.exec(`BEGIN; SELECT count(*) FROM reservation.outbox`)
	return scene{
		names: []string{"db-custom-2-8192", "statements: pid ", "SELECT count(*) FROM reservation.outbox", "reservation outbox: no events wait", "reservation.quotes: removed 0"},
		mend:  func() { d.exec(`ROLLBACK`) },
	}
}

// manyRows lets PostgreSQL estimate more than 50 million rows.
func manyRows(d *desk) scene {
	d.run("prune-hourly")
	d.exec(`UPDATE pg_class SET reltuples = 60000000, relpages = greatest(relpages, 1) WHERE oid = 'reservation.outbox'::regclass`)
	d.tick("reservation-relay")
	d.until(`"function":"reservation-relay"`, `"rows":60000000`)
	return scene{names: []string{"reservation-relay\t", `"rows":60000000`, "tables: the database has ", "reservation outbox: no events wait", "reservation.outbox: removed 0"}}
}

// run runs a job, which must succeed.
func (d *desk) run(job string) {
	d.t.Helper()
	if out, err := d.shell(`gcloud run jobs execute ` + job + ` --region=` + region + ` --project=` + project + ` --wait`); err != nil {
		d.t.Fatalf("%v: %s", err, out)
	}
}

// deadLetters dead-letters the capture of a payment twice: one that the function would process now, and one that it never can.
func deadLetters(d *desk) scene {
	const subscription = "reservation-paymentcaptured"
	b := d.s.Book(system.Usual()).Intend("card").Pay()
	topic := ""
	for _, s := range d.s.Cloud.Subscriptions() {
		if s.Name == subscription {
			topic = s.DeadLetter
		}
	}
	for _, reason := range []string{"reservation: " + b.ReservationID + " not found", "contract: /capturedAt: missing"} {
		d.exec(`
			WITH letter AS (
				INSERT INTO bus.messages (topic, ordering_key, attributes, data)
				SELECT $1, ordering_key, attributes || jsonb_build_object('melmastoon-parked-by', $2::text, 'melmastoon-parked-reason', $3::text), data
				FROM bus.messages WHERE topic = 'melmastoon.payment.transaction.captured.v1' ORDER BY seq LIMIT 1
				RETURNING seq, ordering_key)
			INSERT INTO bus.deliveries (subscription, seq, ordering_key) SELECT $1, seq, ordering_key FROM letter`, topic, subscription, reason)
	}
	waiting := func() int { return d.count(`SELECT count(*) FROM bus.deliveries WHERE subscription = $1`, topic) }
	check.MustEqual(d.t, waiting(), 2, "dead letters")
	const since = "2026-01-02T03:04:05Z"
	return scene{
		fill:  []string{"<topic>", topic, "<function>", subscription, "<start of the fault>", since},
		names: []string{topic + ": 1 of melmastoon.payment.transaction.captured.v1 to " + subscription, "reservation: rsv_… not found", "would replay 1 of 2 messages"},
		gone: func() {
			d.s.Quiet()
			check.Equal(d.t, waiting(), 0, "remaining dead letters: %s", d.output.String())
			replayed := d.count(`SELECT count(*) FROM bus.messages WHERE topic = 'melmastoon.payment.transaction.captured.v1' AND attributes ->> 'ce-replayto' = $1`, subscription)
			check.Equal(d.t, replayed, 1, "replayed messages")
			if d.facts.Seeks[subscription] != since {
				d.t.Errorf("moved subscriptions = %v, want %s", d.facts.Seeks, subscription)
			}
			b.Await("confirmed")
		},
	}
}

// fullMemory is about Memorystore, which the local system does not have.
func fullMemory(d *desk) scene {
	return scene{
		fill:  []string{"<gigabytes>", "10"},
		names: []string{"5\tREADY", `Biggest string found "search/8f3a"`},
		gone: func() {
			if size := d.facts.Resources["redis instances melmastoon"]["memorySizeGb"]; fmt.Sprint(size) != "10" {
				d.t.Errorf("size = %v, want 10", size)
			}
		},
	}
}

// pendingPayment leaves a payment without an outcome for more than two hours, because the payment service gives no answer.
func pendingPayment(d *desk) scene {
	v := d.s.Visit(demo.KabulGrand)
	v.Book(system.Usual(), "card")
	d.s.Quiet()
	d.roads.close("/sandbox/payment/")
	d.s.Advance(130 * time.Minute)
	d.tick("tenantbooking-sweepdrafts")
	d.until(`"stuckDrafts":1`)
	return scene{
		names: []string{"drafts: " + v.DraftID + " of " + demo.KabulGrand.Tenant.String() + " for " + v.ReservationID + " is paying", "\t1\tBFF."},
		mend: func() {
			d.roads.open()
			d.s.Advance(3 * time.Minute)
		},
		gone: func() {
			if end := v.End(); end.State != "abandoned" { // no money was captured
				d.t.Errorf("the draft is %s, want abandoned", end.State)
			}
			d.s.Quiet()
		},
	}
}

// lostDomain lets the name lead elsewhere, so that the certificate cannot be renewed.
func lostDomain(d *desk) scene {
	d.facts.Resources["dns "+domain]["address"] = "203.0.113.9"
	d.facts.Resources["certificate-manager certificates melmastoon"]["managed"] = resource{"state": "FAILED"}
	return scene{names: []string{"203.0.113.9\n", "192.0.2.1\n", "< HTTP/1.1 ", "FAILED"}}
}

// missingTable lets calls of a function fail.
func missingTable(d *desk) scene {
	back := d.hideTable("reservation", "quotes")
	d.s.Must(http.StatusInternalServerError, system.Guest(system.Usual(), d.s.Env().Now()).QuoteRequest(system.Key()))
	return scene{
		fill:  []string{"<service>", "reservation", "<function>", "reservation-quote"},
		names: []string{"1 reservation-quote\tGENERAL.INTERNAL\t", "reservation.quotes", "reservation-quote-00002-new"},
		mend:  back,
	}
}

// missingSettings starts a function without its settings.
func missingSettings(d *desk) scene {
	cmd := exec.CommandContext(d.t.Context(), filepath.Join(d.bin, "function"), "tenantbooking-hold")
	check.Must(d.t, d.facts.save())
	cmd.Env = append(os.Environ(), "FACTS="+d.facts.path())
	line, err := cmd.CombinedOutput()
	if err == nil {
		d.t.Fatalf("the function starts: %s", line)
	}
	check.Must(d.t, os.WriteFile(filepath.Join(d.bin, "start.log"), line, 0o600))
	return scene{
		fill:  []string{"<function>", "tenantbooking-hold"},
		names: []string{"\ttenantbooking-hold\ttenantbooking-hold does not start: ", "tenantbooking-hold-00002-new"},
	}
}

// oldView inserts a row whose retention has ended.
func (d *desk) oldView() {
	d.exec(`INSERT INTO bff_tenant_booking.confirmation_views (tenant_id, reservation_id, session_id, told_at)
		VALUES ($1, $2, $3, platform.now() - interval '2 days')`, id.New[id.Tenant](), id.New[id.Reservation](), id.New[id.TenantSession]())
}

func (d *desk) views() int {
	return d.count(`SELECT count(*) FROM bff_tenant_booking.confirmation_views`)
}

// failedPrune runs the daily prune while a table is missing.
func failedPrune(d *desk) scene {
	back := d.hideTable("bff_tenant_booking", "confirmation_views")
	if out, err := d.shell(`gcloud run jobs execute prune-daily --region=` + region + ` --project=` + project + ` --wait`); err == nil {
		d.t.Fatalf("the run succeeds: %s", out)
	}
	return scene{
		fill: []string{"<job>", "prune-daily", "<rule>", "bff_tenant_booking.confirmation_views",
			"<version>", "1", "<secret>", handoffKeys.Secret()},
		names: []string{"prune-daily-0  Failed", "bff_tenant_booking.confirmation_views: removed 0, then failed"},
		mend: func() {
			back()
			d.oldView()
			d.keyrings(time.Hour)
		},
		gone: func() {
			check.Equal(d.t, d.views(), 0, "remaining old rows")
			info := check.Got(os.Stat(filepath.Join(d.facts.secrets(), handoffKeys.Secret(), "1"))).Must(d.t)
			check.Equal(d.t, info.Mode().Perm(), 0, "mode of the disabled version")
		},
	}
}

var handoffKeys = keys.Ring{Variable: "HANDOFF_KEYS"}

// keyrings creates all keyrings with one key of that age.
func (d *desk) keyrings(age time.Duration) {
	d.t.Helper()
	store := folder.Open(d.facts.secrets(), func() time.Time { return d.s.Env().Now().Add(-age) })
	for _, ring := range keys.Rings {
		check.Got(store.Add(d.t.Context(), ring.Secret(), 0, []byte("first:"+base64.StdEncoding.EncodeToString(make([]byte, 32))))).Must(d.t)
	}
}

// oldKeys creates keys that are 100 days old.
func oldKeys(d *desk) scene {
	d.keyrings(100 * 24 * time.Hour)
	return scene{
		names: []string{"HANDOFF_KEYS: key first is older than its limit of 90 days", "HANDOFF_KEYS: next step: add", "HANDOFF_KEYS: would add: version 2"},
		gone: func() {
			ring := check.Got(os.ReadFile(filepath.Join(d.facts.secrets(), handoffKeys.Secret(), "4"))).Must(d.t)
			if strings.Contains(string(ring), "first:") {
				d.t.Errorf("the old key is left after add, promote and remove: %s", d.output.String())
			}
		},
	}
}

// pausedJob pauses the daily prune.
func pausedJob(d *desk) scene {
	d.oldView()
	d.facts.Resources["scheduler jobs prune-daily"] = resource{"state": "PAUSED", "lastAttemptTime": "2026-01-01T00:00:00Z", "status": resource{"code": 7}}
	return scene{
		fill:  []string{"<job>", "prune-daily"},
		names: []string{"PAUSED\t2026-01-01T00:00:00Z", "EXECUTION  STATUS"},
		gone: func() {
			check.Equal(d.t, d.views(), 0, "remaining old rows")
			if state := d.facts.Resources["scheduler jobs prune-daily"]["state"]; state != "ENABLED" {
				d.t.Errorf("the schedule is %s", state)
			}
		},
	}
}

// slowStatement lets a call wait for a lock for more than a second.
func slowStatement(d *desk) scene {
	d.exec(`BEGIN; LOCK TABLE reservation.quotes IN ACCESS EXCLUSIVE MODE`)
	done := make(chan error, 1)
	go func() {
		_, err := d.s.Do(d.t.Context(), system.Guest(system.Usual(), d.s.Env().Now()).QuoteRequest(system.Key()))
		done <- err
	}()
	<-time.After(1500 * time.Millisecond) // the duration of the call, not a wait for anything
	d.exec(`ROLLBACK`)
	check.Must(d.t, <-done)
	return scene{
		fill:  []string{"<name>", "reservation", "<function>", "reservation-quote"},
		names: []string{"1 reservation-quote\n", "autoscaling.knative.dev/maxScale"},
	}
}

// staff sends an act of a manager of the hotel, with a failure that the sandbox simulates unless it is empty.
func (d *desk) staff(status int, method, path string, body any, scenario string) system.Answer {
	d.t.Helper()
	header := map[string]string{"X-Tenant-Id": demo.KabulGrand.Tenant.String()}
	if scenario != "" {
		header["X-Sandbox-Scenario"] = scenario
	}
	var out struct{ Token string }
	d.s.Must(http.StatusCreated, system.Request{Method: http.MethodPost, Path: "/sandbox/iam/v1/staff-tokens", Body: map[string]any{
		"tenantId": demo.KabulGrand.Tenant, "propertyIds": []any{demo.KabulGrand.Property}, "roles": []string{"manager"}, "subject": "usr_manager",
	}}).Into(d.t, &out)
	return d.s.Must(status, system.Request{Method: method, Path: "/api/v1/reservations" + path, Token: out.Token, Key: system.Key(), Body: body, Header: header})
}

// rooms returns the hotel's rooms of a type.
func (d *desk) rooms(of id.RoomType) (ids []string) {
	d.t.Helper()
	var out struct {
		Rooms []struct{ RoomID, RoomTypeID string }
	}
	d.s.Must(http.StatusOK, system.Request{Method: http.MethodGet, Path: "/sandbox/property/v1/properties/" + demo.KabulGrand.Property.String() + "/rooms"}).Into(d.t, &out)
	for _, room := range out.Rooms {
		if room.RoomTypeID == of.String() {
			ids = append(ids, room.RoomID)
		}
	}
	return ids
}

// noKeys checks two guests in: the lock of the first is offline, and for the second the lock service gives no answer.
func noKeys(d *desk) scene {
	hotel := demo.KabulGrand
	zone := check.Got(time.LoadLocation(hotel.TimeZone)).Must(d.t)
	day := func(n int) string { return d.s.Env().Now().In(zone).AddDate(0, 0, n).Format(time.DateOnly) }
	room := hotel.Rooms[0]
	walkIn := func(roomID, scenario string) {
		d.staff(http.StatusCreated, http.MethodPost, "/walk-ins", map[string]any{
			"propertyId": hotel.Property, "stayWindow": map[string]any{"start": day(0), "end": day(3)}, "currency": hotel.Currency, "locale": "fa-AF",
			"items":   []any{map[string]any{"roomTypeId": room.ID, "ratePlanId": room.Flexible.ID, "occupants": map[string]any{"adults": 2, "children": 0}}},
			"guest":   map[string]any{"firstName": "Zarghona", "lastName": "Ahmadzai", "email": "z@example.com", "phone": "+93700123456"},
			"payment": map[string]any{"method": "cash_on_arrival"}, "rooms": []any{map[string]any{"item": 0, "roomId": roomID}},
		}, scenario)
		d.s.Quiet()
	}
	rooms := d.rooms(room.ID)
	walkIn(rooms[0], "lock_failed")
	d.roads.close("/sandbox/lock/")
	walkIn(rooms[1], "")
	for range 7 { // six attempts without an answer, and then the keys are given up
		d.s.Advance(time.Minute)
		d.tick("reservation-watchsagas")
	}
	d.until(`"manualKeys":1`, `"function":"reservation-watchsagas"`)
	return scene{
		names: []string{"1 " + hotel.Tenant.String() + "\treservation-", "1 \treservation-watchsagas\n", "\treq_"},
		mend: func() {
			d.roads.open()
			d.s.Quiet()
		},
	}
}

// parkedEvent parks an event that the relay could publish.
func parkedEvent(d *desk) scene {
	d.s.Book(system.Usual())
	d.s.Quiet()
	d.exec(`UPDATE reservation.outbox SET published_at = NULL, parked_reason = 'contract: /holdId: missing' WHERE subject = 'melmastoon.reservation.held.v1'`)
	d.tick("reservation-relay")
	d.until(`"function":"reservation-relay"`, `"stuck":1`)
	return scene{
		fill:  []string{"<schema>", "reservation"},
		names: []string{"reservation-relay", "reservation: 1 of melmastoon.reservation.held.v1 parked", " attempts, 0 later events", "would unpark evt_"},
		gone: func() {
			d.tick("reservation-relay")
			if n := d.count(`SELECT count(*) FROM reservation.outbox WHERE published_at IS NULL OR parked_reason IS NOT NULL`); n != 0 {
				d.t.Errorf("%d events are not published: %s", n, d.output.String())
			}
			d.s.Quiet()
		},
	}
}

// lateEvent publishes an event a minute late, and leaves another one.
func lateEvent(d *desk) scene {
	d.s.Book(system.Usual())
	d.s.Quiet()
	again := func() {
		d.exec(`UPDATE reservation.outbox SET published_at = NULL, enqueued_at = platform.now() - interval '1 minute' WHERE subject = 'melmastoon.reservation.held.v1'`)
	}
	again()
	d.tick("reservation-relay")
	d.until(`"function":"reservation-relay"`, `"late":1`)
	again()
	return scene{names: []string{"\treservation-relay\t1\t1\t", "reservation: 1 events wait to be published"}, mend: d.s.Quiet}
}

// parkedOperational parks an event of a browser.
func parkedOperational(d *desk) scene {
	d.exec(`INSERT INTO bff_consumer.outbox (id, event_id, subject, ordering_key, payload, envelope, occurred_at, parked_reason)
		VALUES (gen_random_uuid(), 'evt_1', 'melmastoon.bff.consumer.click.recorded.v1', 'k', '{}', '{"retentionClass": "operational"}', platform.now(), 'contract: /email: unknown member')`)
	d.tick("consumer-relay")
	d.until(`"function":"consumer-relay"`, `"stuckOperational":1`)
	return scene{
		fill:  []string{"<schema>", "bff_consumer"},
		names: []string{"consumer-relay", "bff_consumer: 1 of melmastoon.bff.consumer.click.recorded.v1 parked", "would forget evt_1"},
		gone: func() {
			check.Equal(d.t, d.count(`SELECT count(*) FROM bff_consumer.outbox`), 0, "remaining events: %s", d.output.String())
		},
	}
}

// brokenStep runs the probe while no guest gets a price.
func brokenStep(d *desk) scene {
	back := d.hideTable("reservation", "quotes")
	if out, err := d.shell(`gcloud run jobs execute probe-frequent --region=` + region + ` --project=` + project + ` --wait`); err == nil {
		d.t.Fatalf("the run succeeds: %s", out)
	}
	return scene{
		fill:  []string{"<job>", "probe-frequent"},
		names: []string{"\tquote\t", "probe-frequent-0  Failed", "ENABLED"},
		mend:  back,
		gone: func() {
			if e := d.facts.Executions[0]; e["name"] != "probe-frequent-1" || e["status"] != "Completed" {
				d.t.Errorf("the last run is %v, want a successful one", e)
			}
			d.s.Quiet()
		},
	}
}

// pausedSchedule pauses the expiry of holds.
func pausedSchedule(d *desk) scene {
	d.tick("reservation-expireholds")
	b := d.s.Book(system.Usual())
	d.s.Quiet()
	d.s.Advance(25 * time.Minute)
	d.facts.Resources["scheduler jobs reservation-expireholds"] = resource{"state": "PAUSED", "lastAttemptTime": "2026-01-01T00:00:00Z", "status": resource{"code": 0}}
	expired := func() int {
		return d.count(`SELECT count(*) FROM reservation.reservations WHERE code = $1 AND state = 'expired_hold'`, b.Code)
	}
	check.MustEqual(d.t, expired(), 0, "expired holds without the schedule")
	return scene{
		fill:  []string{"<function>", "reservation-expireholds"},
		names: []string{"PAUSED", "1 reservation-expireholds"},
		gone: func() {
			check.Equal(d.t, expired(), 1, "expired holds")
			if state := d.facts.Resources["scheduler jobs reservation-expireholds"]["state"]; state != "ENABLED" {
				d.t.Errorf("the schedule is %s", state)
			}
			d.s.Quiet()
		},
	}
}

// roomsOut takes all rooms of a type out of order, that of a guest last.
func roomsOut(d *desk) scene {
	w := system.Usual()
	b := d.s.Book(w).Intend("cash_on_arrival")
	b.Confirm("cash_on_arrival")
	d.s.Quiet()
	var booked struct{ Items []struct{ ItemID string } }
	d.s.Must(http.StatusOK, b.ReadRequest()).Into(d.t, &booked)
	rooms := d.rooms(w.Hotel.Rooms[w.Room].ID)
	d.staff(http.StatusOK, http.MethodPatch, "/"+b.ReservationID, map[string]any{"type": "room_change", "itemId": booked.Items[0].ItemID, "roomId": rooms[0]}, "")
	day := func(n int) string { return d.s.Env().Now().AddDate(0, 0, n).Format(time.DateOnly) }
	for _, room := range append(rooms[1:], rooms[0]) {
		d.s.Must(http.StatusOK, system.Request{Method: http.MethodPost, Path: "/sandbox/property/v1/rooms/" + room + "/out-of-order",
			Body: map[string]any{"from": day(w.From), "until": day(w.From + w.Nights), "reasonCode": "maintenance"}})
		d.s.Quiet()
	}
	d.until(`"roomsWithoutAlternative":1`)
	return scene{names: []string{"\t" + w.Hotel.Tenant.String() + "\t1\tevt_"}}
}

// lostAnswer loses inventory's answer to a hold, and inventory with it.
func lostAnswer(d *desk) scene {
	b := d.s.Book(system.Usual())
	d.s.Quiet()
	d.exec(`UPDATE reservation.reservations SET pending_step = 'await_inventory', step_since = platform.now() - interval '10 minutes', step_attempts = 6 WHERE code = $1`, b.Code)
	d.roads.close("/sandbox/inventory/")
	d.tick("reservation-watchsagas")
	d.until(`"stuckSteps":1`)
	return scene{
		names: []string{"\t1\tRESERVATION.STEP_STUCK\t", b.ReservationID, "sagas: " + b.ReservationID + " of " + b.Tenant + " at " + b.Property + " is held", ": await_inventory"},
		mend:  d.roads.open,
		gone: func() {
			if n := d.count(`SELECT count(*) FROM reservation.reservations WHERE step_attempts > 5 AND pending_step = 'await_inventory'`); n != 0 {
				d.t.Errorf("%d steps are stuck: %s", n, d.output.String())
			}
			d.s.Quiet()
		},
	}
}

// noDatabase lets the database accept no connection of the functions.
func noDatabase(d *desk) scene {
	name := d.owner.Config().Database
	d.exec(`ALTER DATABASE ` + name + ` CONNECTION LIMIT 0`)
	d.exec(`SELECT pg_terminate_backend(a.pid) FROM pg_stat_activity AS a JOIN pg_roles AS r ON r.rolname = a.usename WHERE a.datname = current_database() AND NOT r.rolsuper`)
	d.s.Must(http.StatusServiceUnavailable, system.Guest(system.Usual(), d.s.Env().Now()).QuoteRequest(system.Key()))
	return scene{
		names: []string{"reservation-quote\tGENERAL.UNAVAILABLE\t", "RUNNABLE", "UPDATE  DONE"},
		mend:  func() { d.exec(`ALTER DATABASE ` + name + ` CONNECTION LIMIT -1`) },
		gone: func() {
			d.s.Book(system.Usual())
			d.s.Quiet()
		},
	}
}

// noPrices cuts the pricing service off.
func noPrices(d *desk) scene {
	v := d.s.Visit(demo.KabulGrand)
	d.roads.close("/sandbox/pricing/")
	if a := v.Send(http.MethodPost, "/quote", v.QuoteBody(system.Usual())); a.Status != http.StatusServiceUnavailable {
		d.t.Fatalf("the quote answered %d: %s", a.Status, a.Body)
	}
	return scene{
		names: []string{"BFF.UPSTREAM_UNAVAILABLE\t", "pricing"},
		mend:  d.roads.open,
		gone: func() {
			out, err := d.shell(`gcloud logging read 'resource.labels.job_name="flags"' --project=` + project + ` --freshness=15m --order=asc --format='value(textPayload)'`)
			check.Must(d.t, err)
			d.t.Log(out)
			d.s.Browser().At(demo.KabulGrand).Must(http.StatusOK, http.MethodGet, "/bootstrap", nil)
		},
	}
}
