package sandbox_test

import (
	"net/http"
	"reflect"
	"slices"
	"testing"

	"melmastoon.ghasi.io/functions/demo/sandbox/internal/directory"
)

func TestPublishTheme(t *testing.T) {
	t.Parallel()
	b := open(t)
	f := b.front(t)
	path := "/sandbox/theme/v1/tenants/" + kabul.Tenant.String() + "/theme"
	var before, after, read directory.Theme
	f.Get(path).Into(t, &before)
	if before.Version != 1 {
		t.Errorf("before.Version = %d, want 1", before.Version)
	}
	if before.Tokens != kabul.Theme.Tokens {
		t.Errorf("before.Tokens = %+v, want %+v", before.Tokens, kabul.Theme.Tokens)
	}
	if before.ID != kabul.Theme.ID {
		t.Errorf("before.ID = %v, want %v", before.ID, kabul.Theme.ID)
	}
	tokens := kabul.Theme.Tokens
	tokens.Primary = "#004d40"
	if got := f.Post(path+"/publish", body{"tokens": tokens}); got.Status != http.StatusCreated {
		t.Fatalf("publish: %d %s", got.Status, got.Body)
	} else {
		got.Into(t, &after)
	}
	f.Get(path).Into(t, &read)
	if !reflect.DeepEqual(read, after) {
		t.Errorf("read = %+v, want %+v", read, after)
	}
	if after.Version != 2 {
		t.Errorf("after.Version = %d, want 2", after.Version)
	}
	if after.ID != before.ID {
		t.Errorf("after.ID = %v, want %v", after.ID, before.ID)
	}
	if after.Published == before.Published {
		t.Errorf("after.Published = %v, want another value", after.Published)
	}
	if after.Tokens != tokens {
		t.Errorf("after.Tokens = %+v, want %+v", after.Tokens, tokens)
	}
	if got, want := b.notices(t), []string{"theme.published.v1 2", "search_aggregation.listing.indexed.v1 2"}; !slices.Equal(got, want) {
		t.Errorf("published %q, want %q", got, want)
	}
	for name, change := range map[string]func(*directory.Tokens){
		"a colour that ends the style sheet": func(k *directory.Tokens) { k.Text = "</style>" },
		"a font from elsewhere":              func(k *directory.Tokens) { k.Font = "url(https://evil.example)" },
		"a corner that is none":              func(k *directory.Tokens) { k.Corner = -1 },
	} {
		t.Run(name, func(t *testing.T) {
			bad := kabul.Theme.Tokens
			change(&bad)
			if got := f.Post(path+"/publish", body{"tokens": bad}); got.Code() != "GENERAL.VALIDATION_FAILED" {
				t.Errorf("%d %s", got.Status, got.Code())
			}
		})
	}
}
