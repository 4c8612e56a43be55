package deployment

import (
	"fmt"
	"strconv"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// A Subject is the configuration of one subject of events.
type Subject struct {
	Retention *Retention `json:"retention"` // null if no function of the catalogue publishes it
}

// A Retention is the period for which stored events of a subject are kept, and their retention class. The schema of the subject repeats it as
// x-retention.
type Retention struct {
	Class  string `json:"class"`
	Period string `json:"period"` // ISO 8601, in days or years
}

// subjectsOf returns the published and the consumed subjects by name. A published subject needs a retention class and a period,
// because stores of events delete by them.
func subjectsOf(functions []fn.Function) (map[string]Subject, error) {
	subjects := map[string]Subject{}
	for _, f := range functions {
		for _, s := range f.Spec.Publishes {
			r := s.Retention
			if r.Class == "" || r.Period < event.Day || r.Period%event.Day != 0 {
				return nil, fmt.Errorf("deployment: %s: subject %s: retention class %q and period %s: want a class and whole days", f.Spec.Name, s.Name, r.Class, r.Period)
			}
			subjects[s.Name] = Subject{Retention: &Retention{Class: r.Class, Period: period(r)}}
		}
	}
	for _, f := range functions {
		if _, published := subjects[f.Spec.Subject]; f.Spec.Subject != "" && !published {
			subjects[f.Spec.Subject] = Subject{}
		}
	}
	return subjects, nil
}

// period returns the period in years if it is whole years, otherwise in days.
func period(r event.Retention) string {
	if r.Period%event.Year == 0 {
		return "P" + strconv.Itoa(int(r.Period/event.Year)) + "Y"
	}
	return "P" + strconv.Itoa(int(r.Period/event.Day)) + "D"
}
