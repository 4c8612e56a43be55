package canaries

import (
	"strconv"
	"strings"
	"testing"

	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/openapitest"
)

// headers returns the request headers of a route from its OpenAPI document, as "GET /path header Name".
func headers(t *testing.T, f fn.Function) (found []string) {
	t.Helper()
	if f.Spec.Route == "" {
		return nil
	}
	d := check.Got(openapitest.Open(f.Spec.Service(), false)).Must(t)
	operation := openapitest.Operation(f.Spec.Route)
	for _, at := range []string{operation, operation[:strings.LastIndex(operation, "/")]} {
		parameters, pointer := d.At(at, "parameters")
		list, _ := parameters.([]any)
		for n := range list {
			parameter, _ := d.At(pointer + "/" + strconv.Itoa(n))
			if name, _ := openapitest.Member(parameter, "name").(string); openapitest.Member(parameter, "in") == "header" {
				found = append(found, f.Spec.Route+" header "+name)
			}
		}
	}
	return found
}
