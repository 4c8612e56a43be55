package sandbox_test

import (
	"net/http"
	"reflect"
	"slices"
	"testing"

	"melmastoon.ghasi.io/functions/sandbox"
)

func TestPublishTheme(t *testing.T) {
	t.Parallel()
	b := open(t)
	f := b.front(t)
	path := "/sandbox/theme/v1/tenants/" + kabul.Tenant.String() + "/theme"
	var before, after, read sandbox.Theme
	f.Get(path).Into(t, &before)
	if before.Version != 1 || before.Tokens != kabul.Theme.Tokens || before.ID != kabul.Theme.ID {
		t.Errorf("the first theme is %+v", before)
	}
	tokens := kabul.Theme.Tokens
	tokens.Primary = "#004d40"
	if got := f.Post(path+"/publish", body{"tokens": tokens}); got.Status != http.StatusCreated {
		t.Fatalf("publish: %d %s", got.Status, got.Body)
	} else {
		got.Into(t, &after)
	}
	f.Get(path).Into(t, &read)
	if !reflect.DeepEqual(read, after) || after.Version != 2 || after.ID != before.ID || after.Published == before.Published || after.Tokens != tokens {
		t.Errorf("published %+v, read %+v", after, read)
	}
	if got, want := b.notices(t), []string{"theme.published.v1 2", "search_aggregation.listing.indexed.v1 2"}; !slices.Equal(got, want) {
		t.Errorf("published %q, want %q", got, want)
	}
	for name, change := range map[string]func(*sandbox.Tokens){
		"a colour that ends the style sheet": func(k *sandbox.Tokens) { k.Text = "</style>" },
		"a font from elsewhere":              func(k *sandbox.Tokens) { k.Font = "url(https://evil.example)" },
		"a corner that is none":              func(k *sandbox.Tokens) { k.Corner = -1 },
	} {
		bad := kabul.Theme.Tokens
		change(&bad)
		if got := f.Post(path+"/publish", body{"tokens": bad}); got.Code() != "GENERAL.VALIDATION_FAILED" {
			t.Errorf("%s: %d %s", name, got.Status, got.Code())
		}
	}
}
