package sabotage

var singleUseHandoff = guarantee{name: "single-use handoff", mutations: []mutation{
	{
		name: "one handoff admits several sessions", file: "functions/tenantbooking/internal/session/arrivals.go",
		from: "case e.Session != v.Session.ID:", to: "case e.Session.IsZero():",
		pkg: "functions/tenantbooking", test: "TestAccept_sameSessionUntilExpiry",
	}, {
		name: "a handoff expires by a different clock", file: "functions/tenantbooking/internal/session/arrivals.go",
		from: "WHERE platform.now() <= @expires", to: "WHERE clock_timestamp() <= @expires",
		pkg: "functions/tenantbooking", test: "TestAccept_sameSessionUntilExpiry",
	},
}}
