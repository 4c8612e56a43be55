package payments

import (
	"os"
	"testing"

	"melmastoon.ghasi.io/test/system"
)

// TestMain lets the binary of these tests be the second process of those that need one.
func TestMain(m *testing.M) { os.Exit(system.Main(m)) }
