package newcomer

import (
	"os"
	"testing"

	"melmastoon.ghasi.io/test/system"
)

// TestMain deletes the program of the local cloud after the tests.
func TestMain(m *testing.M) { os.Exit(system.Main(m)) }
