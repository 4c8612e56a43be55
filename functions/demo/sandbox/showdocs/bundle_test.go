package showdocs

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEmbedded_deletedSchema(t *testing.T) {
	t.Parallel()
	want := map[string]any{"$ref": "./events/melmastoon.deleted.v1.json"}
	got, err := embedded(map[string]any{"$ref": want["$ref"]}, "#")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(any(want), got); diff != "" {
		t.Errorf("embedded (-want +got):\n%s", diff)
	}
}
