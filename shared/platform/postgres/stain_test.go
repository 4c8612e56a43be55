package postgres

import "testing"

func TestLeavesState(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		sql  string
		want bool
	}{
		{"SELECT 1", false},
		{"\n\t\tINSERT INTO lodge.stays (stay_id) VALUES ($1)", false},
		{"\n\t\tUPDATE lodge.stays\n\t\tSET code = $1", false},
		{"WITH gone AS (DELETE FROM lodge.stays RETURNING stay_id) SELECT stay_id FROM gone", false},
		{forgetting, false},
		{"SET ROLE lodge_maintenance", true},
		{"set role lodge_maintenance", true},
		{"RESET ALL", true},
		{"SELECT set_config('app.tenant_id', $1, true)", true},
		{"SELECT SET_CONFIG('app.tenant_id', $1, false)", true},
		{"SELECT 1; SET ROLE lodge_maintenance", true},
		{"DO $$ BEGIN SET ROLE lodge_maintenance; END $$", true},
		{"SELECT", true}, // an incomplete statement may leave state
		{"", true},
	} {
		if got := leavesState(test.sql); got != test.want {
			t.Errorf("%q: %t, want %t", test.sql, got, test.want)
		}
	}
}
