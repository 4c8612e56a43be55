package sabotage

var compatibleContracts = guarantee{name: "compatible contracts", mutations: []mutation{
	{
		name: "a required member may be added", file: "scripts/schemadiff/evolution/members.go",
		from: "case required != requires:", to: "case required != requires && declared:",
		pkg: "scripts/schemadiff/evolution", test: "TestCompare_corpus",
	}, {
		name: "a member may be removed", file: "scripts/schemadiff/evolution/members.go",
		from: `c.findf(place, MemberRemoved, "")`, to: "continue",
		pkg: "scripts/schemadiff/evolution", test: "TestCompare_corpus",
	}, {
		name: "a value may be added to every enum that is not marked closed", file: "scripts/schemadiff/evolution/compare.go",
		from: `older["x-enum"] == "open"`, to: `older["x-enum"] != "closed"`,
		pkg: "scripts/schemadiff/evolution", test: "TestCompare_corpus",
	}, {
		name: "a bound may change", file: "scripts/schemadiff/evolution/compare.go",
		from: `keyword == "required":`, to: `keyword == "required", keyword == "maximum":`,
		pkg: "scripts/schemadiff/evolution", test: "TestCompare_corpus",
	}, {
		name: "alternatives and conditions are not compared", file: "scripts/schemadiff/evolution/compare.go",
		from: `c.combination(at+"/"+keyword, older, newer)`, to: "_, _ = older, newer",
		pkg: "scripts/schemadiff/evolution", test: "TestCompare_corpus",
	}, {
		name: "a schema behind a pattern of names may change", file: "scripts/schemadiff/evolution/compare.go",
		from: "c.part(below(at, keyword, name), older[name], newer[name])", to: "_ = name",
		pkg: "scripts/schemadiff/evolution", test: "TestCompare_corpus",
	}, {
		name: "a changed description needs no acknowledgement", file: "scripts/schemadiff/evolution/rules.go",
		from: "DescriptionChanged: Acknowledge,", to: "DescriptionChanged: Compatible,",
		pkg: "scripts/schemadiff", test: "TestCommand_twoFiles",
	}, {
		name: "an older version ends on the day of its deprecation", file: "scripts/schemadiff/history/compare.go",
		from: "today.Before(end)", to: "today.Before(since)",
		pkg: "scripts/schemadiff/history", test: "TestCompare",
	}, {
		name: "two versions exist without a deprecation", file: "scripts/schemadiff/history/compare.go",
		from: "if _, err := time.Parse(time.DateOnly, text); err != nil {", to: `if _, err := time.Parse(time.DateOnly, text); err != nil && text != "" {`,
		pkg: "scripts/schemadiff/history", test: "TestCompare",
	},
}}
