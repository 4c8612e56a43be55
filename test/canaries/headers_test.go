package canaries

import (
	"strconv"
	"strings"
	"testing"

	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/testkit/openapitest"
)

// noText lists headers that are not free text, with the reason. No canary is typed into them; test/garbage sends other values.
var noText = map[string]string{
	"If-Match":            "the version of a draft",
	"X-Bootstrap-Version": "the version of a bootstrap; any other is stale",
	"X-Sandbox-Scenario":  "a name of a scenario; deployed functions do not read it",
}

// headers returns the request headers of a public route from its OpenAPI document, as "GET /path header Name".
func headers(t *testing.T, f fn.Function) (found []string) {
	t.Helper()
	if f.Spec.Route == "" || f.Spec.Access != fn.Public {
		return nil
	}
	d, err := openapitest.Open(f.Spec.Service(), false)
	if err != nil {
		t.Fatal(err)
	}
	operation := openapitest.Operation(f.Spec.Route)
	for _, at := range []string{operation, operation[:strings.LastIndex(operation, "/")]} {
		parameters, pointer := d.At(at, "parameters")
		list, _ := parameters.([]any)
		for n := range list {
			parameter, _ := d.At(pointer + "/" + strconv.Itoa(n))
			name, _ := openapitest.Member(parameter, "name").(string)
			if openapitest.Member(parameter, "in") == "header" && noText[name] == "" {
				found = append(found, f.Spec.Route+" header "+name)
			}
		}
	}
	return found
}
