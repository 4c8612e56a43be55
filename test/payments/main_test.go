package payments

import (
	"os"
	"testing"

	"melmastoon.ghasi.io/test/system"
)

// TestMain runs the tests, or the second process that a test system starts from this binary.
func TestMain(m *testing.M) { os.Exit(system.Main(m)) }
