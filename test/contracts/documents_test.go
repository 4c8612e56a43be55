package contracts

import (
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/schemas"
	eventschemas "melmastoon.ghasi.io/schemas/events"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/openapitest"
)

// eachDocument runs a test for every OpenAPI file.
func eachDocument(t *testing.T, test func(t *testing.T, d document)) {
	t.Helper()
	files, err := fs.Glob(schemas.HTTP, "http/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d documents, %v", len(files), err)
	}
	for _, file := range files {
		service := strings.TrimSuffix(strings.TrimPrefix(file, "http/"), ".yaml")
		t.Run(service, func(t *testing.T) {
			t.Parallel()
			test(t, load(t, service))
		})
	}
}

// A walker sees each value of a document with the pointer that leads to it, and says whether to go on below it.
type walker func(pointer string, value any) bool

func walk(pointer string, value any, see walker) {
	if !see(pointer, value) {
		return
	}
	switch v := value.(type) {
	case map[string]any:
		for key, child := range v {
			walk(pointer+"/"+openapitest.Escape(key), child, see)
		}
	case []any:
		for i, child := range v {
			walk(fmt.Sprint(pointer, "/", i), child, see)
		}
	}
}

var inExample = regexp.MustCompile(`/examples?(/|$)`)

// A problem is stored as it was sent, so the requestId in its body is not that of the call that repeats it.
func TestOpenAPIDocuments_repeatedProblem(t *testing.T) {
	t.Parallel()
	for _, service := range []string{"consumer", "reservation", "tenantbooking"} {
		t.Run(service, func(t *testing.T) {
			root, _ := load(t, service).Root.(map[string]any)
			info, _ := root["info"].(map[string]any)
			text, _ := info["description"].(string)
			if words := strings.Join(strings.Fields(text), " "); !strings.Contains(words, "its requestId and traceId are the first call's, X-Request-Id is this one's") {
				t.Errorf("description = %q, want the sentence about the requestId of a repeated problem", words)
			}
		})
	}
}

// TestOpenAPIDocuments_loseNoText finds flow mappings in which an unquoted comma cut a sentence: what follows it is a
// member without a value.
func TestOpenAPIDocuments_loseNoText(t *testing.T) {
	t.Parallel()
	eachDocument(t, func(t *testing.T, d document) {
		for _, pointer := range cutTexts(d.Root) {
			t.Errorf("%s has no value: quote the text before it", pointer)
		}
	})
	cut := map[string]any{"schema": map[string]any{"description": "Of the whole price", "after that": nil}, "example": map[string]any{"total": nil}}
	if found := cutTexts(cut); len(found) != 1 {
		t.Errorf("the check finds %q in a document with one cut text", found)
	}
}

func cutTexts(root any) (found []string) {
	walk("", root, func(pointer string, value any) bool {
		if value == nil {
			found = append(found, pointer)
		}
		return !inExample.MatchString(pointer)
	})
	return found
}

var response = regexp.MustCompile(`/responses/[0-9]{3}$`)

// TestOpenAPIDocuments_describeEachResponseInOnePlace refuses a description beside a $ref: several generators show the
// referenced description instead, and with it lose the codes that a caller branches on.
func TestOpenAPIDocuments_describeEachResponseInOnePlace(t *testing.T) {
	t.Parallel()
	eachDocument(t, func(t *testing.T, d document) {
		responses := 0
		walk("", d.Root, func(pointer string, value any) bool {
			if !response.MatchString(pointer) {
				return true
			}
			responses++
			members, _ := value.(map[string]any)
			if members["$ref"] != nil && len(members) > 1 {
				t.Errorf("%s has members beside its $ref", pointer)
			}
			return true
		})
		if responses == 0 {
			t.Error("no response was read")
		}
	})
}

// hotelID matches the ids that a request can only take from a hotel that exists.
var hotelID = regexp.MustCompile(`^(tnt|ppt|rmt|rate)_[0-9A-HJKMNP-TV-Z]{26}$`)

// TestOpenAPIExamples_nameHotelsOfTheLocalCloud holds requests that a reader tries as they stand: a tenant, property, room type
// or rate plan in them must be one of the demo's.
func TestOpenAPIExamples_nameHotelsOfTheLocalCloud(t *testing.T) {
	t.Parallel()
	text := check.Got(json.Marshal([]demo.Hotel{demo.KabulGrand, demo.HeratGarden})).Must(t)
	known := string(text)
	eachDocument(t, func(t *testing.T, d document) {
		seen := 0
		walk("/paths", openapitest.Member(d.Root, "paths"), func(pointer string, value any) bool {
			id, ok := value.(string)
			if !ok || !inExample.MatchString(pointer) || strings.Contains(pointer, "/responses/") || !hotelID.MatchString(id) {
				return true
			}
			seen++
			if !strings.Contains(known, id) {
				t.Errorf("%s: %s is no id of the demo's hotels", pointer, id)
			}
			return true
		})
		t.Logf("%d ids", seen)
	})
}

// TestOpenAPIDocuments_parametersHaveExamples requires a value for each parameter without which the console cannot send a request: one that
// a reader can know before the first call. The console makes the keys, and ids of bookings come from earlier responses.
func TestOpenAPIDocuments_parametersHaveExamples(t *testing.T) {
	t.Parallel()
	fromResponses := regexp.MustCompile(`^(Idempotency-Key|id|[a-z]+Id|photo|slug|name|token)$`)
	known := regexp.MustCompile(`^(tenantId|propertyId)$`)
	eachDocument(t, func(t *testing.T, d document) {
		seen := 0
		walk("", d.Root, func(pointer string, value any) bool {
			name, _ := openapitest.Member(value, "name").(string)
			place := openapitest.Member(value, "in")
			if name == "" || place == nil || openapitest.Member(value, "required") != true || fromResponses.MatchString(name) && !known.MatchString(name) {
				return true
			}
			seen++
			if openapitest.Member(value, "example") == nil && openapitest.Member(openapitest.Member(value, "schema"), "default") == nil {
				t.Errorf("%s: the parameter %s has no example", pointer, name)
			}
			return true
		})
		t.Logf("%d parameters", seen)
	})
}

// TestEventSchemas_haveTheHostOfTheirSpecification holds the host of each $id: the two specifications of the BFFs name one host,
// that of the platform's other services another.
func TestEventSchemas_haveTheHostOfTheirSpecification(t *testing.T) {
	t.Parallel()
	files, err := fs.Glob(eventschemas.Files, "*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d schemas, %v", len(files), err)
	}
	for _, file := range files {
		text := check.Got(eventschemas.Files.ReadFile(file)).Must(t)
		var schema struct {
			ID string `json:"$id"`
		}
		check.Must(t, json.Unmarshal(text, &schema), "%s", file)
		host := "https://schemas.melmastoon.io/"
		if strings.HasPrefix(file, "melmastoon.bff.") {
			host = "https://schemas.melmastoon.ghasi.io/"
		}
		if !strings.HasPrefix(schema.ID, host) {
			t.Errorf("%s has the $id %s, want one of %s", file, schema.ID, host)
		}
	}
}
