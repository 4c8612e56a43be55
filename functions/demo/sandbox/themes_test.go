package sandbox_test

import (
	"net/http"
	"testing"

	"melmastoon.ghasi.io/functions/demo/sandbox/internal/directory"
	"melmastoon.ghasi.io/shared/testkit/check"
)

func TestPublishTheme(t *testing.T) {
	t.Parallel()
	b := open(t)
	f := b.front(t)
	path := "/sandbox/theme/v1/tenants/" + kabul.Tenant.String() + "/theme"
	var before, after, read directory.Theme
	f.Get(path).Into(t, &before)
	check.Equal(t, before.Version, 1)
	check.Equal(t, before.Tokens, kabul.Theme.Tokens)
	check.Equal(t, before.ID, kabul.Theme.ID)
	tokens := kabul.Theme.Tokens
	tokens.Primary = "#004d40"
	if got := f.Post(path+"/publish", body{"tokens": tokens}); got.Status != http.StatusCreated {
		t.Fatalf("publish: %d %s", got.Status, got.Body)
	} else {
		got.Into(t, &after)
	}
	f.Get(path).Into(t, &read)
	check.Equal(t, read, after)
	check.Equal(t, after.Version, 2)
	check.Equal(t, after.ID, before.ID)
	check.NotEqual(t, after.Published, before.Published)
	check.Equal(t, after.Tokens, tokens)
	check.Equal(t, b.notices(t), []string{"theme.published.v1 2", "search_aggregation.listing.indexed.v1 2"})
	for name, change := range map[string]func(*directory.Tokens){
		"a colour that ends the style sheet": func(k *directory.Tokens) { k.Text = "</style>" },
		"a font from elsewhere":              func(k *directory.Tokens) { k.Font = "url(https://evil.example)" },
		"a corner that is none":              func(k *directory.Tokens) { k.Corner = -1 },
	} {
		t.Run(name, func(t *testing.T) {
			bad := kabul.Theme.Tokens
			change(&bad)
			check.Equal(t, f.Post(path+"/publish", body{"tokens": bad}).Code(), "GENERAL.VALIDATION_FAILED")
		})
	}
}
