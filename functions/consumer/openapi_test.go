package consumer_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"melmastoon.ghasi.io/functions/consumer/consumertest"
	"melmastoon.ghasi.io/functions/consumer/readavailability"
	"melmastoon.ghasi.io/functions/consumer/readhotel"
	"melmastoon.ghasi.io/functions/consumer/search"
	"melmastoon.ghasi.io/functions/consumer/searchmap"
	"melmastoon.ghasi.io/schemas"
	"melmastoon.ghasi.io/shared/upstreamtest"
)

// described is the schema of a component of the published document. Members that it does not name are refused, wherever they are.
func described(t *testing.T, component string) *jsonschema.Schema {
	t.Helper()
	text, err := schemas.HTTP.ReadFile("http/consumer.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var tree map[string]any
	if err := yaml.Unmarshal(text, &tree); err != nil {
		t.Fatal(err)
	}
	closed(tree["components"])
	encoded, err := json.Marshal(tree)
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(encoded))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	if err := compiler.AddResource("https://openapi/consumer", value); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("https://openapi/consumer#/components/schemas/" + component)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// closed has no object take a member that is not described.
func closed(value any) {
	switch v := value.(type) {
	case map[string]any:
		if v["properties"] != nil && v["type"] != nil && v["additionalProperties"] == nil {
			v["additionalProperties"] = false
		}
		for _, inner := range v {
			closed(inner)
		}
	case []any:
		for _, inner := range v {
			closed(inner)
		}
	}
}

func TestWhatIsAnsweredIsAsItIsDescribed(t *testing.T) {
	t.Parallel()
	market := consumertest.OpenMarket(t, 3, search.Function, searchmap.Function, readhotel.Function, readavailability.Function)
	v, hotel := market.Traveller("Accept-Language", "fa-AF", "X-Currency", "USD"), "/hotels/"+market.Hotels[0].Property.String()
	checkIn, checkOut := market.Days(3, 2)
	const box = `{"mode":"bounding-box","boundingBox":{"swLat":34,"swLng":69,"neLat":35,"neLng":70}}`
	ask := func() map[string][]byte {
		return map[string][]byte{
			"SearchResults": v.Must(http.StatusOK, "POST", "/search", market.Wish()).Body,
			"MapResults":    v.Must(http.StatusOK, "POST", "/search/map", market.WishIn(box)).Body,
			"HotelDetail":   v.Must(http.StatusOK, "GET", hotel, nil).Body,
			"Vacancy":       v.Must(http.StatusOK, "GET", hotel+"/availability?adults=2&checkIn="+checkIn+"&checkOut="+checkOut, nil).Body,
		}
	}
	whole := ask()
	for _, stall := range []string{"previews", "brands", "calendar", "cheapest", "policies"} {
		market.Mood(stall, upstreamtest.Failing)
	}
	v.Headers = append(v.Headers, "X-Currency", "EUR") // of which nothing is known yet
	market.DB.Advance(3600e9)
	lacking := ask()
	for component, body := range whole {
		schema := described(t, component)
		for _, text := range [][]byte{body, lacking[component]} {
			value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
			if err == nil {
				err = schema.Validate(value)
			}
			if err != nil {
				t.Errorf("%s: %v\n%s", component, err, text)
			}
		}
		if strings.Contains(string(body), "degraded") || !strings.Contains(string(lacking[component]), "degraded") {
			t.Errorf("%s: whole %s, lacking %s", component, body, lacking[component])
		}
		more := bytes.Replace(body, []byte(`{`), []byte(`{"more":1,`), 1)
		if value, err := jsonschema.UnmarshalJSON(bytes.NewReader(more)); err != nil || schema.Validate(value) == nil {
			t.Errorf("%s takes a member that nobody described", component)
		}
	}
}
