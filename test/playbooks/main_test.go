// Package playbooks runs every command of every page in terraform/playbooks against the local system. A test makes the trouble of a page,
// pastes its commands into a shell, and checks that their output names the trouble or that the trouble is gone.
//
// The programs of the commands, such as gcloud, are stand-ins: this test binary under another name. Their log is the log of the local
// system, their jobs are the real jobs, their schedules call the real functions. The other resources are facts that a test sets.
package playbooks

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// programs are the stand-ins by the name under which the binary was started.
var programs = map[string]func(*facts, []string) error{
	"gcloud":    runGcloud,
	"terraform": runTerraform,
	"dig":       runDig,
	"curl":      runCurl,
	"redis-cli": runRedis,
	"job":       runJob,
	"function":  runFunction,
}

// TestMain runs the tests, or a stand-in.
func TestMain(m *testing.M) {
	program, ok := programs[filepath.Base(os.Args[0])]
	if !ok {
		os.Exit(m.Run())
	}
	f, err := readFacts(os.Getenv("FACTS"))
	if err == nil {
		err = program(f, os.Args[1:])
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "ERROR: %s: %v\n", filepath.Base(os.Args[0]), err)
		os.Exit(1)
	}
}
