// Program google validates events with github.com/google/jsonschema-go.
package main

import (
	"fmt"
	"os"

	"github.com/go-json-experiment/json"
	"github.com/google/jsonschema-go/jsonschema"

	"melmastoon.ghasi.io/schemas"
	"melmastoon.ghasi.io/test/load/peers/validators"
)

func main() {
	for subject, payload := range validators.Payloads {
		if err := validate(subject, payload); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

func validate(subject, payload string) error {
	text, err := schemas.Events.ReadFile("events/" + subject + ".json")
	if err != nil {
		return err
	}
	var schema jsonschema.Schema
	if err := schema.UnmarshalJSON(text); err != nil {
		return err
	}
	schema.UnevaluatedProperties = &jsonschema.Schema{Not: &jsonschema.Schema{}} // false
	resolved, err := schema.Resolve(nil)
	if err != nil {
		return err
	}
	var value any
	if err := json.Unmarshal([]byte(payload), &value); err != nil {
		return err
	}
	return resolved.Validate(value)
}
