package sabotage

var noLostEvent = guarantee{name: "no lost event", mutations: []mutation{
	{
		name: "events are marked as published before they are published", file: "shared/platform/outbox/relay.go",
		from: `		l.out = o.serve(ctx, within, l.rows)
`,
		to: `		l.out = &outcome{at: o.now()}
		for _, r := range l.rows {
			l.out.published = append(l.out.published, r.ID)
		}
		if err := o.db.InTx(within, func(tx postgres.Tx) error { o.mark(tx, l.out); return nil }); err != nil {
			return l, err
		}
		l.out = o.serve(ctx, within, l.rows)
`,
		pkg: "shared/platform/outbox", test: "TestRelay_killed",
	}, {
		name: "an event that failed to publish counts as published", file: "shared/platform/outbox/outcome.go",
		from: "case err == nil:", to: "case !errors.Is(err, topic.ErrRefused):",
		pkg: "shared/platform/outbox", test: "TestRelay_failingKey",
	}, {
		name: "dead letters are acknowledged before they are published", file: "jobs/replay/send.go",
		from: `		gone, err := r.publish(ctx, s, out, stuck)
		sent += len(gone)
		failed = append(failed, err, r.acknowledge(ctx, s, gone))`,
		to: `		failed = append(failed, r.acknowledge(ctx, s, out))
		gone, err := r.publish(ctx, s, out, stuck)
		sent += len(gone)`,
		pkg: "jobs/replay", test: "TestSend_releasesOnFailure",
	}, {
		name: "an error of an act is shown to the guest and published nowhere", file: "functions/tenantbooking/middleware.go",
		from: "refusals.Publish(ctx, r.Visitor, c.Header, err, c.Now)", to: "_ = ctx",
		pkg: "functions/tenantbooking", test: "TestRefusals_firstQuote",
	}, {
		name: "a payment of what is due is published nowhere", file: "functions/tenantbooking/internal/booking/balance.go",
		from: "	if err := b.confirmations.publishIntent(ctx, c.Visitor, r, intent, c.Now); err != nil {\n		return out, err\n	}\n", to: "",
		pkg: "functions/tenantbooking", test: "TestPayBalance_events",
	},
}}
