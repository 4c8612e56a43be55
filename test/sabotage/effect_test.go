package sabotage

var onceEffect = guarantee{name: "effectively-once effect", mutations: []mutation{
	{
		name: "a processed event is processed again", file: "shared/platform/inbox/inbox.go",
		from: "if !first {", to: "if !first && d.Processor == \"\" {",
		pkg: "shared/platform/inbox", test: "TestOnce_perProcessor",
	}, {
		name: "an event whose processing failed counts as processed", file: "shared/platform/inbox/inbox.go",
		from: "return f(tx)\n", to: "_ = f(tx)\n\t\treturn nil\n",
		pkg: "shared/platform/inbox", test: "TestOnce_effectFails",
	}, {
		name: "a replay reaches all subscribers of the subject", file: "jobs/replay/message.go",
		from: "m.Attributes[topic.ReplayTo], m.Attributes[topic.Replays] = l.to.Name, strconv.Itoa(l.replays+1)",
		to:   "m.Attributes[topic.Replays] = strconv.Itoa(l.replays + 1)",
		pkg:  "jobs/replay", test: "TestReplay_untilProcessedOnce",
	}, {
		name: "a message that keeps failing is replayed forever", file: "jobs/replay/message.go",
		from: "case l.replays >= maxReplays && !o.again:", to: "case l.replays < 0:",
		pkg: "jobs/replay", test: "TestSend_maxReplays",
	}, {
		name: "a page can report a step that the server records", file: "functions/consumer/internal/session/telemetry.go",
		from: "|| slices.Contains(serverSteps, s.Step)", to: "|| false && slices.Contains(serverSteps, s.Step)",
		pkg: "functions/consumer", test: "TestFunnel_serverSteps",
	},
}}
