package terraform

import (
	"bytes"
	"encoding/base64"
	"slices"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io/jobs/keys"
	"melmastoon.ghasi.io/jobs/keys/folder"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// TestAlerts_oldKeys evaluates the alert over the lines that the job prints about keys of several ages.
func TestAlerts_oldKeys(t *testing.T) {
	t.Parallel()
	s := ofTheProduction.system(t)
	for _, test := range []struct {
		name string
		days int
		want int // keyrings with a key that is too old
	}{
		{"below_90_days", 89, 0},
		{"90_days", 90, 1},
		{"below_365_days", 364, 1},
		{"365_days", 365, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			e := env.Of(nil)
			store := folder.Open(t.TempDir(), e.Now)
			for _, r := range keys.Rings {
				check.Got(store.Add(t.Context(), r.Secret(), 0, []byte("k1:"+base64.StdEncoding.EncodeToString(make([]byte, 32))))).Must(t)
			}
			e.Advance(time.Duration(test.days) * 24 * time.Hour)
			var out bytes.Buffer
			check.Must(t, keys.Run(t.Context(), keys.StoreKey.With(e, keys.Store(store)), nil, &out))
			var lines []map[string]any
			for text := range strings.Lines(out.String()) {
				lines = append(lines, map[string]any{"textPayload": strings.TrimSpace(text),
					"resource": map[string]any{"type": "cloud_run_job", "labels": map[string]any{"job_name": "keys-daily"}}})
			}
			evaluated := evaluator{t: t, s: s, lines: lines}
			check.Equal(t, slices.Contains(evaluated.raised(), "keys-old"), test.want > 0, "the alert is raised; the job printed %s", &out)
			named := map[string]bool{}
			for _, p := range evaluated.points("logging.googleapis.com/user/melmastoon/old_keys") {
				named[p.labels["metric.labels.keyring"]] = true
			}
			check.Equal(t, len(named), test.want, "keyrings with an old key")
			check.Equal(t, named["HANDOFF_KEYS"], test.want > 0, "HANDOFF_KEYS has an old key")
			check.Equal(t, named["PSEUDONYM_PEPPERS"], test.want > 1, "PSEUDONYM_PEPPERS has an old key")
		})
	}
}
