package deployment

import (
	"fmt"
	"slices"

	"melmastoon.ghasi.io/functions/consumer"
	"melmastoon.ghasi.io/functions/reservation"
	"melmastoon.ghasi.io/functions/sandbox"
	"melmastoon.ghasi.io/functions/tenantbooking"
	"melmastoon.ghasi.io/jobs/prune"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/identity"
)

// sandboxes is the service that stands in for the platform's.
const sandboxes = "sandbox"

// services are all there are: where the tables of each are, and whether a production deployment leaves it out. One that is missing
// here cannot be deployed.
var services = map[string]Service{
	"consumer":      {Schema: consumer.Schema},
	"reservation":   {Schema: reservation.Schema},
	sandboxes:       {Schema: sandbox.Schema, StandIn: true},
	"storefront":    {StandIn: true}, // it keeps nothing
	"tenantbooking": {Schema: tenantbooking.Schema},
}

// A Service is what its functions share.
type Service struct {
	Schema   string `json:"schema"`   // of its tables; "" where it has none
	Audience string `json:"audience"` // what a token for any of its functions is made out to
	StandIn  bool   `json:"standIn"`
}

func serviceOf(name string) (Service, error) {
	s, ok := services[name]
	if !ok {
		return s, fmt.Errorf("deployment: no SQL schema known for %s", name)
	}
	s.Audience = identity.Audience(name)
	return s, nil
}

// A Job is one Cloud Run job.
type Job struct {
	Archive   string   `json:"archive"`  // its name in bundles.json
	Program   string   `json:"program"`  // the package that the builder builds
	Service   string   `json:"service"`  // the only one that it is there for; "" is all
	Cadences  []string `json:"cadences"` // each has a schedule of its own
	Postgres  bool     `json:"postgres"`
	Documents bool     `json:"documents"`
	Letters   bool     `json:"letters"` // takes dead letters, and publishes again what is heard
}

// jobs are all there are. One that is missing here cannot be deployed.
var jobs = map[string]Job{
	"flags":   {Documents: true},
	"furnish": {Service: sandboxes, Cadences: []string{string(prune.Daily)}, Postgres: true},
	"migrate": {Postgres: true},
	"prune":   {Cadences: cadences(), Postgres: true},
	"replay":  {Letters: true},
}

func jobOf(j fn.Job) (Job, error) {
	job, ok := jobs[j.Name]
	if !ok {
		return job, fmt.Errorf("deployment: no Uses declared for the job %s", j.Name)
	}
	job.Archive, job.Program = "jobs-"+j.Name, "./jobs/"+j.Name+"/main"
	job.Cadences = slices.Concat([]string{}, job.Cadences) // none is an empty list
	return job, nil
}

func cadences() (found []string) {
	for _, r := range prune.Rules {
		if !slices.Contains(found, string(r.Cadence)) {
			found = append(found, string(r.Cadence))
		}
	}
	slices.Sort(found)
	return found
}
