package sandbox_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/stay"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// notices returns the shortened subjects of Kabul's tenant in the outbox with their aggregate versions, in order.
func (b books) notices(t *testing.T) []string {
	t.Helper()
	rows, _ := b.owner.Query(t.Context(), `
		SELECT replace(subject, 'melmastoon.', '') || ' ' || (envelope -> 'metadata' ->> 'aggregateVersion')
		FROM sandbox.outbox WHERE tenant_id = $1 ORDER BY seq`, kabul.Tenant)
	all, err := pgx.CollectRows(rows, pgx.RowTo[string])
	check.Must(t, err)
	return all
}

func TestSuspendReinstate_once(t *testing.T) {
	t.Parallel()
	b := open(t)
	f := b.front(t)
	base := "/sandbox/tenant/v1/tenants/" + kabul.Tenant.String()
	for _, step := range []struct {
		act  string
		in   any
		want string
	}{
		{"reinstate", nil, "active"},
		{"suspend", body{"reason": "billing-overdue"}, "suspended"},
		{"suspend", body{"reason": "another reason"}, "suspended"},
		{"reinstate", nil, "active"},
		{"reinstate", nil, "active"},
	} {
		var got, read struct {
			Status string `json:"status"`
		}
		f.Post(base+"/"+step.act, step.in).Into(t, &got)
		f.Get(base).Into(t, &read)
		check.Equal(t, got.Status, step.want, "%s", step.act)
		check.Equal(t, read.Status, step.want, "%s", step.act)
	}
	check.Equal(t, b.notices(t), []string{"tenant.suspended.v1 2", "tenant.reinstated.v1 3"}, "published")
	for path, in := range map[string]any{
		base + "/suspend": body{"reason": ""},
		"/sandbox/tenant/v1/tenants/" + id.New[id.Tenant]().String() + "/reinstate": nil,
	} {
		t.Run(path, func(t *testing.T) {
			if got := f.Post(path, in); got.Status != http.StatusBadRequest && got.Code() != "TENANT.UNKNOWN" {
				t.Errorf("%d %s", got.Status, got.Code())
			}
		})
	}
}

func TestConfigure_changedMembers(t *testing.T) {
	t.Parallel()
	b := open(t)
	f := b.front(t)
	path := "/sandbox/tenant/v1/tenants/" + kabul.Tenant.String() + "/config"
	patch := func(in body) (out struct {
		BrandName     string   `json:"brandName"`
		BrandTagline  string   `json:"brandTagline"`
		Locales       []string `json:"locales"`
		ConfigVersion int      `json:"configVersion"`
	}) {
		t.Helper()
		f.Send(http.MethodPatch, path, in).Into(t, &out)
		return out
	}
	got := patch(body{"brandName": "Kabul Grand", "locales": []string{"ps-AF", "en"}, "brandTagline": kabul.Tagline})
	check.Equal(t, got.BrandName, "Kabul Grand")
	check.Equal(t, got.BrandTagline, kabul.Tagline)
	check.Equal(t, len(got.Locales), 2)
	check.Equal(t, got.ConfigVersion, 2)
	check.Equal(t, patch(body{"brandName": "Kabul Grand"}).ConfigVersion, 2, "version without a change")
	var published string
	err := b.owner.QueryRow(t.Context(), `SELECT payload ->> 'changedKeys' FROM sandbox.outbox WHERE tenant_id = $1`, kabul.Tenant).Scan(&published)
	check.Must(t, err)
	check.Equal(t, published, `["brandName", "locales"]`)
	for name, in := range map[string]body{
		"without its own currency": {"currencies": []string{"USD"}},
		"without a language":       {"locales": []string{}},
		"a language that is none":  {"locales": []string{"!"}},
		"something unknown":        {"slug": "other"},
	} {
		t.Run(name, func(t *testing.T) {
			f.Send(http.MethodPatch, path, in).Want(t, http.StatusBadRequest)
		})
	}
}

func TestConfigure_limits(t *testing.T) {
	t.Parallel()
	b := open(t)
	f := b.front(t)
	shortest, longest := int(stay.MinHold/time.Second), int(stay.MaxHold/time.Second)
	for _, test := range []struct {
		name                string
		hold, grace, status int
	}{
		{"shortest", shortest, 0, http.StatusOK},
		{"longest", longest, stay.MaxGraceHours, http.StatusOK},
		{"a second less", shortest - 1, 0, http.StatusBadRequest},
		{"a second more", longest + 1, 0, http.StatusBadRequest},
		{"a grace below nothing", shortest, -1, http.StatusBadRequest},
		{"an hour more", shortest, stay.MaxGraceHours + 1, http.StatusBadRequest},
	} {
		t.Run(test.name, func(t *testing.T) {
			in := body{"settings": body{"holdTtlSeconds": test.hold, "noShowGraceHours": test.grace, "cancellationPolicyVersion": 1}}
			f.Send(http.MethodPatch, "/sandbox/tenant/v1/tenants/"+kabul.Tenant.String()+"/config", in).Want(t, test.status)
		})
	}
}

func TestConfigure_settingsChanged(t *testing.T) {
	t.Parallel()
	b := open(t)
	f := b.front(t)
	path := "/sandbox/tenant/v1/tenants/" + kabul.Tenant.String()
	settings := func(hold, grace, policy int) body {
		return body{"holdTtlSeconds": hold, "noShowGraceHours": grace, "cancellationPolicyVersion": policy}
	}
	for _, step := range []struct {
		name string
		in   body
		want int // events of settings so far
	}{
		{"the same settings", body{"settings": settings(600, 6, 1)}, 0},
		{"a name", body{"brandName": "Kabul Grand"}, 0},
		{"another policy", body{"settings": settings(600, 6, 2)}, 1},
		{"a longer wait", body{"settings": settings(600, 8, 2)}, 2},
		{"a shorter hold", body{"settings": settings(300, 8, 2)}, 3},
		{"the same again", body{"settings": settings(300, 8, 2)}, 3},
	} {
		f.Send(http.MethodPatch, path+"/config", step.in).Must(t, http.StatusOK)
		if n := b.count(t, `SELECT count(*) FROM sandbox.outbox WHERE subject = 'melmastoon.tenant.settings.changed.v1'`); n != step.want {
			t.Errorf("%s: %d events, want %d", step.name, n, step.want)
		}
	}
	var published string
	err := b.owner.QueryRow(t.Context(), `
		SELECT (payload - 'changedAt')::text FROM sandbox.outbox WHERE subject = 'melmastoon.tenant.settings.changed.v1' ORDER BY seq DESC LIMIT 1`).Scan(&published)
	check.Must(t, err)
	want := `{"tenantId": "` + kabul.Tenant.String() + `", "holdTtlSeconds": 300, "noShowGraceHours": 8, "cancellationPolicyVersion": 2}`
	check.Equal(t, published, want)
	var read struct {
		Settings struct {
			Policy int `json:"cancellationPolicyVersion"`
		} `json:"settings"`
	}
	f.Get(path).Into(t, &read)
	check.Equal(t, read.Settings.Policy, 2, "the tenant's policy version")
}
