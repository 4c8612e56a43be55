package measure

import (
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

func TestTree_countsEachHabit(t *testing.T) {
	t.Parallel()
	tree := fstest.MapFS{
		"shared/money/money.go":   {Data: []byte("// Package money says what whoever pays.\npackage money\n\nvar p = Point{1, 2, 3, 4, 5, 6}\n\nvar q = Point{X: 1}\n")},
		"shared/local/bus/bus.go": {Data: []byte("package bus\n")},
		"shared/testkit/kit/k.go": {Data: []byte("package kit\n\n// What is not counted.\n")},
		".cache/broken.go":        {Data: []byte("no Go")},
		"shared/money/row_test.go": {Data: []byte(`package money

func TestOfFourWordsHere(t *testing.T) {
	for _, row := range []int{1} {
		if row == 1 || row == 2 || row == 3 {
			t.Error(row)
		}
	}
}

func TestRow_sequence(t *testing.T) {
	for _, step := range []int{1} {
		if step == 1 {
			t.Error(step)
		}
	}
	for _, statement := range []string{""} {
		if err := run(statement); err != nil {
			t.Fatal(err)
		}
	}
}

func TestRow_condition(t *testing.T) {
	for _, row := range []int{1} {
		t.Run("row", func(t *testing.T) {
			if row == 1 {
				t.Error(row)
			}
		})
	}
}
`)},
	}
	got, err := Tree(tree)
	if err != nil {
		t.Fatal(err)
	}
	want := Figures{
		Words: 6, Shared: 6, Unkeyed: 1, WideUnkeyed: 1, Assertions: 4, Combined: 1, Tables: 2, TablesWithoutRun: 1, Tests: 3, Sentences: 1,
		Places: []string{
			"shared/money/money.go:4:9: a literal of six or more fields has no keys",
			"shared/money/row_test.go:3:1: TestOfFourWordsHere is a sentence",
			"shared/money/row_test.go:5:3: an assertion joins three or more conditions",
		},
		counts: map[string]int{"package": 1, "money": 1, "says": 1, "what": 1, "whoever": 1, "pays": 1},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(Figures{})); diff != "" {
		t.Errorf("figures (-want +got):\n%s", diff)
	}
}

func TestTree_unreadableFile(t *testing.T) {
	t.Parallel()
	if _, err := Tree(fstest.MapFS{"a.go": {Data: []byte("no Go")}}); err == nil {
		t.Error("err = nil, want a syntax error")
	}
}
