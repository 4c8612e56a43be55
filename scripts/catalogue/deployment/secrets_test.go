package deployment_test

import (
	"io/fs"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"melmastoon.ghasi.io/scripts/catalogue/deployment"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// keyring matches a variable of keys in the code.
var keyring = regexp.MustCompile(`(?:keyring\.Ring|Peppers)\s+` + "`" + `env:"([A-Z_]+),required"` + "`")

// TestSecrets_everyKeyring finds the keyrings in the code. Each must be listed in Secrets and be used by a function.
func TestSecrets_everyKeyring(t *testing.T) {
	t.Parallel()
	read := map[string]bool{}
	for _, top := range []string{"functions", "shared", "jobs"} {
		tree := os.DirFS(root)
		check.Must(t, fs.WalkDir(tree, top, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") {
				return err
			}
			source, err := fs.ReadFile(tree, path)
			for _, found := range keyring.FindAllSubmatch(source, -1) {
				read[string(found[1])] = true
			}
			return err
		}))
	}
	if found := slices.Sorted(maps.Keys(read)); !slices.Equal(found, deployment.Secrets) {
		t.Errorf("the code reads %v, and secrets are %v", found, deployment.Secrets)
	}
	needed := map[string]bool{}
	for _, f := range whole(t).Functions {
		for _, name := range f.Secrets {
			needed[name] = true
		}
	}
	for _, name := range deployment.Secrets {
		if !needed[name] {
			t.Errorf("no function needs %s", name)
		}
	}
}

// TestSecrets_users pins the users of the most sensitive secrets: handoff keys can sign handoffs, and the guests'
// salt is for their names only.
func TestSecrets_users(t *testing.T) {
	t.Parallel()
	holders := map[string][]string{}
	for name, f := range whole(t).Functions {
		for _, secret := range f.Secrets {
			holders[secret] = append(holders[secret], name)
		}
	}
	for secret, want := range map[string][]string{
		"GUEST_SALT_KEYS":  {"reservation-setguest", "reservation-walkin"},
		"HANDOFF_KEYS":     {"consumer-minthandoff", "tenantbooking-bootstrap", "tenantbooking-consumehandoff"},
		"VIEW_TOKEN_KEYS":  {"tenantbooking-cancel", "tenantbooking-change", "tenantbooking-confirmcash", "tenantbooking-confirmpayment", "tenantbooking-paybalance", "tenantbooking-readconfirmation", "tenantbooking-readlink"},
		"RETURN_LINK_KEYS": {"tenantbooking-confirmpayment", "tenantbooking-openintent", "tenantbooking-paybalance"},
	} {
		t.Run(secret, func(t *testing.T) {
			check.Equal(t, slices.Sorted(slices.Values(holders[secret])), want, "holders of %s", secret)
		})
	}
	for secret, prefix := range map[string]string{"CONSUMER_SESSION_KEYS": "consumer-", "TENANT_SESSION_KEYS": "tenantbooking-"} {
		t.Run(secret, func(t *testing.T) {
			for _, name := range holders[secret] {
				if !strings.HasPrefix(name, prefix) {
					t.Errorf("%s holds %s", name, secret)
				}
			}
		})
	}
}
