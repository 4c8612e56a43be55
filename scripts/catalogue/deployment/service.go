package deployment

import (
	"fmt"
	"slices"

	"melmastoon.ghasi.io/functions/consumer"
	"melmastoon.ghasi.io/functions/demo/sandbox"
	"melmastoon.ghasi.io/functions/reservation"
	"melmastoon.ghasi.io/functions/tenantbooking"
	"melmastoon.ghasi.io/jobs/command"
	"melmastoon.ghasi.io/jobs/prune"
	"melmastoon.ghasi.io/shared/platform/identity"
)

// sandboxes is the service that stands in for the platform's services.
const sandboxes = "sandbox"

// services lists all services with their schemas, and whether a production deployment leaves them out. A service that is
// not listed cannot be deployed.
var services = map[string]Service{
	"consumer":      {Schema: consumer.Schema},
	"frontdesk":     {StandIn: true}, // without tables
	"reservation":   {Schema: reservation.Schema},
	sandboxes:       {Schema: sandbox.Schema, StandIn: true},
	"storefront":    {StandIn: true}, // without tables
	"tenantbooking": {Schema: tenantbooking.Schema},
}

// A Service is the configuration that a service's functions share.
type Service struct {
	Schema   string `json:"schema"`   // the PostgreSQL schema, or ""
	Audience string `json:"audience"` // the audience of tokens for its functions
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
	Program   string   `json:"program"`  // the package of its program
	Service   string   `json:"service"`  // the only service that needs it, or "" for all
	Cadences  []string `json:"cadences"` // each has its own schedule
	Postgres  bool     `json:"postgres"`
	Documents bool     `json:"documents"`
	Upstreams []string `json:"upstreams"` // the services that it calls
	ByHand    bool     `json:"byHand"`    // has, beside its cadences, a Cloud Run job for runs that a person starts
	Letters   bool     `json:"letters"`   // reads and removes dead letters
	Replays   bool     `json:"replays"`   // publishes consumed subjects again
	Warehouse bool     `json:"warehouse"` // deletes rows of the analytics dataset, if one is configured
	Logs      bool     `json:"logs"`      // reads the functions' log
	Monitor   bool     `json:"monitor"`   // reads the state of the database instead of the tables of services
	Keyrings  bool     `json:"keyrings"`  // reads all keyrings and adds versions to them
}

// jobs lists all jobs. A job that is not listed cannot be deployed.
var jobs = map[string]Job{
	"database": {Postgres: true, Monitor: true},
	"erase":    {Cadences: []string{string(prune.Daily)}, ByHand: true, Postgres: true, Documents: true, Letters: true, Warehouse: true},
	"flags":    {Documents: true},
	"furnish":  {Service: sandboxes, Cadences: []string{string(prune.Daily)}, Postgres: true},
	"keys":     {Cadences: []string{string(prune.Daily)}, ByHand: true, Keyrings: true},
	"migrate":  {Postgres: true},
	"outbox":   {Postgres: true, Replays: true},
	"probe":    {Cadences: []string{frequent}, Documents: true, Upstreams: []string{"reservation"}},
	"prune":    {Cadences: cadences(), Postgres: true},
	"replay":   {Letters: true, Replays: true},
	"timeline": {Postgres: true, Logs: true},
}

// frequent is the cadence of five minutes.
const frequent = "frequent"

func jobOf(j command.Job) (Job, error) {
	job, ok := jobs[j.Name]
	if !ok {
		return job, fmt.Errorf("deployment: no Uses declared for the job %s", j.Name)
	}
	job.Archive, job.Program = "jobs-"+j.Name, "./jobs/"+j.Name+"/main"
	job.Cadences, job.Upstreams = slices.Concat([]string{}, job.Cadences), slices.Concat([]string{}, job.Upstreams) // encode nil as an empty list
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
