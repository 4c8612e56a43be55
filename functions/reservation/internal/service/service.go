// Package service has what all packages of the reservation service use: its schema, its subjects, and how it refuses a request.
package service

import (
	"strings"
	"time"

	"melmastoon.ghasi.io/shared/event"
)

// Schema is the service's database schema.
const Schema = "reservation"

// Subject returns a subject that the service publishes.
func Subject(name, class string, kept time.Duration) event.Subject {
	return event.Subject{
		Name: "melmastoon.reservation." + name + ".v1", Version: 1,
		SchemaURI: "https://schemas.melmastoon.io/reservation/" + strings.ReplaceAll(name, ".", "/") + "/v1.json",
		Producer:  "reservation-service",
		Retention: event.Retention{Class: class, Period: kept},
	}
}
