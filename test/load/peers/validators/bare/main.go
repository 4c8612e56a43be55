// Program bare reads schemas and events and validates nothing.
package main

import (
	"os"

	"github.com/go-json-experiment/json/jsontext"

	"melmastoon.ghasi.io/schemas"
	"melmastoon.ghasi.io/test/load/peers/validators"
)

func main() {
	for subject, payload := range validators.Payloads {
		schema, err := schemas.Events.ReadFile("events/" + subject + ".json")
		if err != nil || !jsontext.Value(schema).IsValid() || !jsontext.Value(payload).IsValid() {
			os.Exit(1)
		}
	}
}
