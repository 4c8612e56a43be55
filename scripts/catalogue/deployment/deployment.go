// Package deployment says of each function and job what the infrastructure has to know: how it is reached, by whom, what it
// may use and tell, and from which archive it is made. All of it follows from the catalogue.
package deployment

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"melmastoon.ghasi.io/shared/platform/fn"
)

// File is where the text is kept, from the root of the tree.
const File = "terraform/catalogue.json"

// A Deployment is all that is deployed.
type Deployment struct {
	Services  map[string]Service  `json:"services"`
	Functions map[string]Function `json:"functions"` // by name
	Jobs      map[string]Job      `json:"jobs"`      // by name
	Routes    []Route             `json:"routes"`    // in the order in which a load balancer tries them
	Subjects  []string            `json:"subjects"`  // that are told or heard, each a topic
}

// Of derives the deployment of these functions and jobs.
func Of(functions []fn.Function, jobs []fn.Job) (d Deployment, err error) {
	d = Deployment{Services: map[string]Service{}, Functions: map[string]Function{}, Jobs: map[string]Job{}}
	for _, f := range functions {
		service := f.Spec.Service()
		if d.Services[service], err = serviceOf(service); err != nil {
			return d, err
		}
		if d.Functions[f.Spec.Name], err = functionOf(f, told(functions, service)); err != nil {
			return d, fmt.Errorf("deployment: %s: %w", f.Spec.Name, err)
		}
	}
	for _, j := range jobs {
		if d.Jobs[j.Name], err = jobOf(j); err != nil {
			return d, err
		}
	}
	d.Routes, d.Subjects = Routes(functions), subjectsOf(functions)
	return d, nil
}

// Text is the deployment as it is kept: the same text for the same catalogue.
func (d Deployment) Text() ([]byte, error) {
	text, err := json.Marshal(d, json.Deterministic(true), jsontext.WithIndent("  "))
	return append(text, '\n'), err
}
