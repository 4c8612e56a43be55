// Package processes builds the deployed archives offline in the same way as the cloud's builder, and runs each function as a
// process of its own, which is restarted when it dies.
package processes

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"melmastoon.ghasi.io/scripts/bundle/archive"
)

// appDir is the folder inside the upload in which the builder writes its main program.
const appDir = "functions.local/app"

// program is the main program that the builder writes for functions that register themselves.
const program = `package main

import (
	"log"
	"net/http"
	"os"

	"github.com/GoogleCloudPlatform/functions-framework-go/funcframework"
	_ "melmastoon.ghasi.io"
)

func main() {
	http.HandleFunc("/robots.txt", http.NotFound)
	http.HandleFunc("/favicon.ico", http.NotFound)
	if err := funcframework.Start(os.Getenv("PORT")); err != nil {
		log.Fatal(err)
	}
}
`

// BuildFunction builds a function's archive as the builder does, in an empty folder, and returns the path of the program. The
// go.mod must be complete and tidy: the builder runs go mod tidy, here without network. A program of the same archive in the folder
// BUILT_PROGRAMS is not built again.
func BuildFunction(ctx context.Context, dir string, a archive.Archive) (string, error) {
	if path, built := sharedPath(a); built {
		return path, nil
	}
	if err := unpack(a, dir); err != nil {
		return "", err
	}
	roots, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(roots) != 1 {
		return "", fmt.Errorf("processes: the builder requires one package at the root; got %v", roots)
	}
	if err := write(filepath.Join(dir, appDir, "main.go"), []byte(program)); err != nil {
		return "", err
	}
	if err := command(ctx, dir, "mod", "tidy"); err != nil {
		return "", err
	}
	tidied, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err == nil && !bytes.Equal(tidied, a.Files["go.mod"]) {
		err = errors.New("processes: the builder had to change go.mod")
	}
	if err != nil {
		return "", err
	}
	return compile(ctx, dir, a, "./"+appDir)
}

// builtPrograms is the folder in which the test programs of one run share what they have built. Without it nothing is shared.
var builtPrograms = os.Getenv("BUILT_PROGRAMS")

// sharedPath returns the path at which a run shares the archive's program, and whether the program is there. The path is ""
// if nothing is shared.
func sharedPath(a archive.Archive) (path string, built bool) {
	if builtPrograms == "" {
		return "", false
	}
	path = filepath.Join(builtPrograms, strings.TrimSuffix(a.Object(), ".zip"))
	_, err := os.Stat(path)
	return path, err == nil
}

// BuildJob builds the package in GOOGLE_BUILDABLE.
func BuildJob(ctx context.Context, dir string, a archive.Archive, job string) (string, error) {
	if path, built := sharedPath(a); built {
		return path, nil
	}
	if err := unpack(a, dir); err != nil {
		return "", err
	}
	return compile(ctx, dir, a, "./jobs/"+job+"/main")
}

// compile builds a program, and moves it when it is complete to the folder that the run shares.
func compile(ctx context.Context, dir string, a archive.Archive, target string) (string, error) {
	built := filepath.Join(dir, "program")
	err := command(ctx, dir, "build", "-trimpath", "-ldflags=-s -w", "-o", built, target)
	shared, _ := sharedPath(a)
	if err != nil || shared == "" {
		return built, err
	}
	return shared, os.Rename(built, shared)
}

// command runs the go command without network access for modules.
func command(ctx context.Context, dir string, args ...string) error {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS=-mod=mod", "GOWORK=off", "GOTOOLCHAIN=local")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("processes: go %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return nil
}

// unpack extracts an uploaded archive into a folder.
func unpack(a archive.Archive, dir string) error {
	var upload bytes.Buffer
	if _, err := a.WriteTo(&upload); err != nil {
		return err
	}
	z, err := zip.NewReader(bytes.NewReader(upload.Bytes()), int64(upload.Len()))
	if err != nil {
		return err
	}
	for _, f := range z.File {
		if err := unpackFile(f, filepath.Join(dir, filepath.FromSlash(f.Name))); err != nil {
			return err
		}
	}
	return nil
}

func unpackFile(f *zip.File, path string) error {
	r, err := f.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	content, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	return write(path, content)
}

func write(path string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, content, 0o600)
}
