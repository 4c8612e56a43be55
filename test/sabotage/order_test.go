package sabotage

var orderPerKey = guarantee{name: "order per key", mutations: []mutation{
	{
		name: "writers of one key do not wait for each other", file: "shared/platform/outbox/append.go",
		from: "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", to: "SELECT hashtextextended($1, 0)",
		pkg: "shared/platform/outbox", test: "TestAppend_writersOfOneKey",
	}, {
		name: "the newest event is published first", file: "shared/platform/outbox/lanes.go",
		from: "ORDER BY l.lane, r.seq`", to: "ORDER BY l.lane, r.seq DESC`",
		pkg: "shared/platform/outbox", test: "TestOrder_underFailures",
	}, {
		name: "two relays publish one lane", file: "shared/platform/outbox/lanes.go",
		from: "WHERE l.leased_until <= clock_timestamp()", to: "WHERE true",
		pkg: "shared/platform/outbox", test: "TestDrain_leasedLane",
	}, {
		name: "a key continues while one of its events waits for a retry", file: "shared/platform/outbox/lanes.go",
		from: "f.ordering_key = o.ordering_key", to: "f.id = o.id",
		pkg: "shared/platform/outbox", test: "TestRelay_undecidedPublisher",
	}, {
		name: "dead letters are replayed in the order of discovery", file: "jobs/replay/gather.go",
		from: `			inOrder(s.messages)
`,
		to:  "",
		pkg: "jobs/replay", test: "TestSend_orderPerKey",
	}, {
		name: "a dead letter overtakes a failed one of its key", file: "jobs/replay/send.go",
		from: "} else if !stuck[l.key] {", to: "} else {",
		pkg: "jobs/replay", test: "TestSend_failureStopsItsKey",
	},
}}
