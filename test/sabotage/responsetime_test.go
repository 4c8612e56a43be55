package sabotage

var boundedResponseTime = guarantee{name: "bounded response time", mutations: []mutation{
	{
		name: "an unavailable hot store is called on every request", file: "shared/platform/document/breaker.go",
		from: "c.ConsecutiveFailures >= tripAfter", to: "c.ConsecutiveFailures >= 100*tripAfter",
		pkg: "shared/platform/document", test: "TestBreaker_hangingStore",
	}, {
		name: "a call may take twice its timeout", file: "shared/platform/fn/frame.go",
		from: "c.began.Add(f.spec.Timeout-f.offset())", to: "c.began.Add(2*f.spec.Timeout-f.offset())",
		pkg: "shared/platform/fn", test: "TestCall_deadline",
	}, {
		name: "failures of one caller open the circuit breaker", file: "shared/platform/upstream/breaker.go",
		from: "return failed >= minCallers &&", to: "return failed >= 1 ||",
		pkg: "shared/platform/upstream", test: "TestBreaker_opens",
	}, {
		name: "every failed upstream call is retried", file: "shared/platform/upstream/budget.go",
		from: "if b.have < price {", to: "if b.have < -1000*price {",
		pkg: "shared/platform/upstream", test: "TestRetry_budget",
	}, {
		name: "a list request leaves no time for the response", file: "functions/consumer/internal/search/search.go",
		from: "deadline.Add(-compositionReserve)", to: "deadline",
		pkg: "functions/consumer/internal/search", test: "TestList_slowSearchHangingPrices",
	}, {
		name: "without the hot store every search calls every service", file: "shared/platform/cache/cache.go",
		from: "r.remember(e)\n\t}\n\treturn outcome[T]{entry: e, state: Bypass", to: "}\n\treturn outcome[T]{entry: e, state: Bypass",
		pkg: "functions/consumer/internal/search", test: "TestList_storeHangs",
	},
}}
