package showdocs

import (
	"testing"

	"melmastoon.ghasi.io/shared/testkit/check"
)

func TestEmbedded_deletedSchema(t *testing.T) {
	t.Parallel()
	want := map[string]any{"$ref": "./events/melmastoon.deleted.v1.json"}
	got, err := embedded(map[string]any{"$ref": want["$ref"]}, "#")
	check.Must(t, err)
	check.Equal(t, got, any(want), "embedded")
}
