package sabotage

var durableIdempotency = guarantee{name: "durable idempotency", mutations: []mutation{
	{
		name: "a process that takes over a claim starts a new act", file: "shared/platform/fn/idempotency/store.go",
		from: "ELSE act END", to: "ELSE @act::uuid END",
		pkg: "shared/platform/fn/idempotency", test: "TestLedger_takeOverContinuesAct",
	}, {
		name: "a claim is taken over before its lease ends", file: "shared/platform/fn/idempotency/store.go",
		from: "AND locked_until <= clock_timestamp() AND", to: "AND",
		pkg: "shared/platform/fn/idempotency", test: "TestLedger_inProgress",
	}, {
		name: "a key returns the response of a different request", file: "shared/platform/fn/idempotency/ledger.go",
		from: "case e.Request != c.Request && e.Request != c.Former:", to: `case e.Request == "":`,
		pkg: "shared/platform/fn/idempotency", test: "TestReplay_otherRequest",
	},
}}
