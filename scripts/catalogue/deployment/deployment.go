// Package deployment derives the configuration of the infrastructure from the catalogue: for each function and job its
// trigger, callers, rights and archive.
package deployment

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"melmastoon.ghasi.io/jobs/command"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// File is the path of the generated file, from the root of the tree.
const File = "terraform/catalogue.json"

// A Deployment is the configuration of all functions and jobs.
type Deployment struct {
	Services  map[string]Service  `json:"services"`
	Functions map[string]Function `json:"functions"` // by name
	Jobs      map[string]Job      `json:"jobs"`      // by name
	Routes    []Route             `json:"routes"`    // in the order in which the load balancer matches them
	Subjects  map[string]Subject  `json:"subjects"`  // published or consumed; each has a topic
}

// Of returns the deployment of these functions and jobs.
func Of(functions []fn.Function, jobs []command.Job) (d Deployment, err error) {
	d = Deployment{Services: map[string]Service{}, Functions: map[string]Function{}, Jobs: map[string]Job{}}
	for _, f := range functions {
		service := f.Spec.Service()
		if d.Services[service], err = serviceOf(service); err != nil {
			return d, err
		}
		if d.Functions[f.Spec.Name], err = functionOf(f); err != nil {
			return d, fmt.Errorf("deployment: %s: %w", f.Spec.Name, err)
		}
	}
	for _, j := range jobs {
		if d.Jobs[j.Name], err = jobOf(j); err != nil {
			return d, err
		}
	}
	d.Routes = Routes(functions)
	d.Subjects, err = subjectsOf(functions)
	return d, err
}

// Text returns the deployment as JSON. The text is the same for the same catalogue.
func (d Deployment) Text() ([]byte, error) {
	text, err := json.Marshal(d, json.Deterministic(true), jsontext.WithIndent("  "))
	return append(text, '\n'), err
}
