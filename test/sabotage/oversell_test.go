package sabotage

var noOversell = guarantee{name: "no oversell", mutations: []mutation{
	{
		name: "rooms are counted without locking their nights", file: "schemas/postgres/sandbox/0001_init.up.sql",
		from: "n.night < p_end\n        ORDER BY n.room_type_id, n.night\n        FOR NO KEY UPDATE) AS l;", to: "n.night < p_end) AS l;",
		pkg: "functions/demo/sandbox", test: "TestHold_noOversell",
	}, {
		name: "the clock is read before waiting for the locks", file: "schemas/postgres/sandbox/0001_init.up.sql",
		from: "at := platform.now(); -- after the locks: an earlier reading could find a lapsed",
		to:   "at := now(); -- before the locks: an earlier reading could find a lapsed",
		pkg:  "functions/demo/sandbox", test: "TestHold_clockReadAfterLock",
	}, {
		name: "expired holds stay counted forever", file: "schemas/postgres/sandbox/0001_init.up.sql",
		from: "counted_at <= at AND at < next_lapse", to: "counted_at <= at",
		pkg: "functions/demo/sandbox", test: "TestHold_expiryFreesRooms",
	}, {
		name: "a count from before the clock was moved back stays valid", file: "schemas/postgres/sandbox/0001_init.up.sql",
		from: "counted_at <= at AND at < next_lapse", to: "at < next_lapse",
		pkg: "functions/demo/sandbox", test: "TestHold_clockSetBack",
	}, {
		name: "released rooms stay counted", file: "schemas/postgres/sandbox/0001_init.up.sql",
		from: "SET taken = n.taken - g.units", to: "SET taken = n.taken",
		pkg: "functions/demo/sandbox", test: "TestCommit_survivesExpiry",
	}, {
		name: "an expired hold is released a second time", file: "schemas/postgres/sandbox/0001_init.up.sql",
		from: "AND sandbox.takes(a.state, a.expires_at, at)\n        GROUP BY", to: "AND a.state IN ('held', 'committed')\n        GROUP BY",
		pkg: "functions/demo/sandbox", test: "TestLapse_once",
	}, {
		name: "an expired hold keeps its rooms", file: "schemas/postgres/sandbox/0001_init.up.sql",
		from: "state = 'committed' OR (state = 'held' AND expires_at > at)", to: "state IN ('committed', 'held')",
		pkg: "functions/demo/sandbox", test: "TestHold_expiryFreesRooms",
	}, {
		name: "a hold expires only when the sweep has run", file: "functions/reservation/internal/booking/reservation.go",
		from: "if r.State == Held && !r.AsOf.Before(r.Hold.ExpiresAt) {", to: "if r.State == ExpiredHold {",
		pkg: "functions/reservation/internal/booking", test: "TestEffectiveState",
	}, {
		name: "a save with an old version overwrites the newer row", file: "functions/reservation/internal/booking/reservations.go",
		from: "AND version = @stored`", to: "AND version <= @version`",
		pkg: "functions/reservation/internal/booking", test: "TestSave_versionConflict",
	}, {
		name: "two guests get the same room", file: "schemas/postgres/reservation/0001_init.up.sql",
		from: "PRIMARY KEY (tenant_id, room_id, night)", to: "PRIMARY KEY (tenant_id, room_id, night, item_id)",
		pkg: "functions/reservation/internal/booking", test: "TestSave_roomTaken",
	}, {
		name: "a change of dates that a crash interrupts is forgotten", file: "functions/reservation/internal/booking/changer.go",
		from: "if r.Saga.Plan != nil && !call.DryRun {", to: "if false {",
		pkg: "functions/reservation/internal/booking", test: "TestDates_crash",
	}, {
		name: "a confirmed booking leaves the quota of unpaid room nights", file: "functions/reservation/internal/booking/quota.go",
		from: "AND r.quota_nights > 0 AND r.reservation_id", to: "AND r.state = 'held' AND r.reservation_id",
		pkg: "functions/reservation/internal/booking", test: "TestQuota_cashFromOneAddress",
	}, {
		name: "guests who have not arrived get a key", file: "functions/reservation/internal/booking/keys.go",
		from: "if item.ArrivedAt != nil && slices.Contains(items, item.ID) {", to: "if item.Room != nil && slices.Contains(items, item.ID) {",
		pkg: "functions/reservation/internal/booking", test: "TestArrivals_changes",
	}, {
		name: "a no-show of some rooms releases those of the guests in the house", file: "functions/reservation/internal/booking/missedrooms.go",
		from: "append(releases, p.Releases...)", to: "append(releases, r.Hold.Allocations...)",
		pkg: "functions/reservation/internal/booking", test: "TestMissRooms",
	},
}}
