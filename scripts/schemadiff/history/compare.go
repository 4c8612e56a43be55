package history

import (
	"slices"
	"time"

	"melmastoon.ghasi.io/scripts/schemadiff/evolution"
)

// Overlap is how long the older version of an event is published beside the newer one. The specifications ask for 90 days and for eight
// weeks; the longer period keeps both.
const Overlap = 90 * 24 * time.Hour

// Compare returns the changes from an older tree to a newer one.
func Compare(older, newer Set, today time.Time) (found []evolution.Finding, err error) {
	for _, name := range sorted(older, newer) {
		was, existed := older[name]
		is, exists := newer[name]
		var changes []evolution.Finding
		switch {
		case !existed:
			changes = []evolution.Finding{{Rule: evolution.ContractAdded}}
		case !exists:
			changes = []evolution.Finding{removal(was, newer, today)}
		default:
			if changes, err = Diff(was, is); err != nil {
				return nil, err
			}
		}
		found = append(found, named(name, changes)...)
	}
	missing, err := deprecations(newer)
	return append(found, missing...), err
}

func named(name string, changes []evolution.Finding) []evolution.Finding {
	for i := range changes {
		changes[i].Contract = short(name)
	}
	return changes
}

// removal decides about a contract that is no longer published: its next version must exist, and the older one must have been deprecated for
// the whole overlap.
func removal(was Contract, newer Set, today time.Time) evolution.Finding {
	f := evolution.Finding{Rule: evolution.ContractRemoved}
	next := successor(was.Name)
	if _, ok := newer[next]; !ok {
		f.Detail = "without a next version"
		return f
	}
	schema, err := was.Schema()
	if err != nil {
		f.Detail = err.Error()
		return f
	}
	text, _ := schema["deprecatedSince"].(string)
	since, err := time.Parse(time.DateOnly, text)
	if err != nil {
		f.Detail = "deprecatedSince is no date: " + text
		return f
	}
	if end := since.Add(Overlap); today.Before(end) {
		f.Detail = "before " + end.Format(time.DateOnly)
		return f
	}
	return evolution.Finding{Rule: evolution.ContractRetired, Detail: "deprecated since " + text}
}

// deprecations requires deprecatedSince in each schema whose next version exists.
func deprecations(set Set) (found []evolution.Finding, err error) {
	for _, name := range sorted(set, nil) {
		next := successor(name)
		if _, ok := set[next]; !ok || next == "" {
			continue
		}
		schema, err := set[name].Schema()
		if err != nil {
			return nil, err
		}
		text, _ := schema["deprecatedSince"].(string)
		if _, err := time.Parse(time.DateOnly, text); err != nil {
			found = append(found, evolution.Finding{Contract: short(name), Rule: evolution.DeprecationMissing, Detail: short(next) + " exists"})
		}
	}
	return found, nil
}

// Worst returns the gravest verdict, with the acknowledged lines left out.
func Worst(found []evolution.Finding, acknowledged []string) evolution.Verdict {
	worst := evolution.Compatible
	for _, f := range found {
		switch f.Verdict() {
		case evolution.Breaking:
			return evolution.Breaking
		case evolution.Acknowledge:
			if !slices.Contains(acknowledged, f.String()) {
				worst = evolution.Acknowledge
			}
		case evolution.Compatible:
		}
	}
	return worst
}
