package emulators

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
)

// Firestore starts Google's Firestore emulator. It accepts any project name.
func Firestore(ctx context.Context) (*Server, error) {
	return program{
		name: "the Firestore emulator",
		command: func(host, port string) (*exec.Cmd, error) {
			return java(firestoreJar, firestorePackage,
				"com.google.cloud.datastore.emulator.firestore.CloudFirestore", "start", "--host="+host, "--port="+port)
		},
		ready: "Dev App Server is now running",
		taken: "BindException",
	}.start(ctx)
}

// PubSub starts Google's Pub/Sub emulator. It accepts any project name.
func PubSub(ctx context.Context) (*Server, error) {
	return program{
		name: "the Pub/Sub emulator",
		command: func(host, port string) (*exec.Cmd, error) {
			return java(pubsubJar, pubsubPackage,
				"com.google.cloud.pubsub.testing.v1.Main", "--host="+host, "--port="+port)
		},
		ready: "Server started, listening on",
		taken: "BindException",
	}.start(ctx)
}

// Redis starts a Redis server without persistence.
func Redis(ctx context.Context) (*Server, error) {
	return program{
		name: "Redis",
		command: func(host, port string) (*exec.Cmd, error) {
			binary, err := exec.LookPath("redis-server")
			if err != nil {
				return nil, fmt.Errorf("redis-server %w: on Debian, apt-get install redis-server", ErrMissing)
			}
			cmd := exec.Command(binary, "--bind", host, "--port", port, "--save", "", "--appendonly", "no", "--daemonize", "no")
			cmd.Dir = "/"
			return cmd, nil
		},
		ready: "Ready to accept connections",
		taken: "Address already in use",
	}.start(ctx)
}

// Missing returns an error that lists missing programs and how to install them, or nil.
func Missing() error {
	_, err := java(pubsubJar, pubsubPackage, "")
	_, again := java(firestoreJar, firestorePackage, "")
	return errors.Join(err, again)
}

// Paths of the emulators' jars below the platform folder of an SDK, and names of their Debian packages.
const (
	firestoreJar, firestorePackage = "cloud-firestore-emulator/cloud-firestore-emulator.jar", "google-cloud-cli-firestore-emulator"
	pubsubJar, pubsubPackage       = "pubsub-emulator/lib/cloud-pubsub-emulator-*-all.jar", "google-cloud-cli-pubsub-emulator"
)

// places lists the usual roots of a Google Cloud SDK.
var places = []string{"/usr/lib/google-cloud-sdk", "/usr/share/google-cloud-sdk", "/opt/google-cloud-sdk", "/snap/google-cloud-cli/current"}

// java returns the command that runs an emulator's jar directly: the wrapper scripts would not forward signals.
func java(jar, debian, class string, args ...string) (*exec.Cmd, error) {
	binary, err := exec.LookPath("java")
	if err != nil {
		return nil, fmt.Errorf("java %w: on Debian, apt-get install default-jre-headless", ErrMissing)
	}
	path, ok := find(jar)
	if !ok {
		return nil, fmt.Errorf("it %w: apt-get install %s from Google's package source (https://cloud.google.com/sdk/docs/install#deb)", ErrMissing, debian)
	}
	return exec.Command(binary, append([]string{
		"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx512m", "-Duser.language=en", // fast start, English output
		"-cp", path, class,
	}, args...)...), nil
}

// find searches the roots of SDKs for a jar, that of the gcloud in the PATH first.
func find(jar string) (string, bool) {
	roots := places
	if gcloud, err := exec.LookPath("gcloud"); err == nil {
		if path, err := filepath.EvalSymlinks(gcloud); err == nil {
			roots = append([]string{filepath.Dir(filepath.Dir(path))}, roots...)
		}
	}
	for _, root := range roots {
		if found, _ := filepath.Glob(filepath.Join(root, "platform", jar)); len(found) > 0 {
			return found[len(found)-1], true
		}
	}
	return "", false
}
