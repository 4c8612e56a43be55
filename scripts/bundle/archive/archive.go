// Package archive builds the archives from which functions and jobs are deployed. An archive contains the packages that
// the function needs, a generated root package with the drivers that its Spec lists, and a go.mod without unused
// modules.
//
// Google's Go builder expects one package at the root of the upload, which is not main and has no tests. It generates a
// program that imports this package and starts the functions framework. For a job it builds the program that
// GOOGLE_BUILDABLE names.
//
// Archives contain no vendor folder, because it would change all of them with each dependency: the builder fetches
// modules by go.sum.
package archive

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"melmastoon.ghasi.io/jobs/command"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// An Archive is the upload of one function or job: files by their slash-separated paths.
type Archive struct {
	Name     string
	Files    map[string][]byte
	Packages int // packages of this module, without the generated root
}

// Function returns the archive of a function.
func (t *Tree) Function(ctx context.Context, s fn.Spec, h Hot) (Archive, error) {
	verb, err := t.verb(s.Name)
	if err != nil {
		return Archive{}, err
	}
	source, imports, err := rootOf(s, verb, h)
	if err != nil {
		return Archive{}, fmt.Errorf("bundle: %s: %w", s.Name, err)
	}
	if slices.Contains(t.packages[verb].Imports, module+"/"+eventFolder) {
		return t.pack(ctx, s.Name, imports, map[string][]byte{rootFile: source}, nil) // it shows all schemas
	}
	return t.pack(ctx, s.Name, imports, map[string][]byte{rootFile: source}, subjectsOf(s))
}

// Job returns the archive of a job, whose program is jobs/<job>/main.
func (t *Tree) Job(ctx context.Context, j command.Job) (Archive, error) {
	return t.pack(ctx, "jobs-"+j.Name, []string{module + "/jobs/" + j.Name + "/main"}, map[string][]byte{}, nil)
}

// pack returns an archive with the schemas of the events of some subjects, or for nil of all.
func (t *Tree) pack(ctx context.Context, name string, imports []string, files map[string][]byte, subjects []string) (a Archive, err error) {
	ours, outside, err := t.needs(imports)
	if err != nil {
		return a, err
	}
	m, err := t.require(ctx, outside)
	if err != nil {
		return a, err
	}
	files["go.mod"], files["go.sum"] = m.mod, m.sum
	for _, p := range ours {
		if err := t.collect(files, p); err != nil {
			return a, err
		}
	}
	if subjects != nil {
		keepSchemas(files, subjects)
	}
	a = Archive{Name: name, Files: files, Packages: len(ours)}
	files[versionFile] = []byte(a.hash() + "\n")
	return a, nil
}

// versionFile is the file with the archive's hash, from which a job's -version and a function's /-/ready read it. The hash does not include the file.
const versionFile = "jobs/command/version/archive.txt"

func (t *Tree) collect(files map[string][]byte, p pkg) error {
	for _, name := range p.files() {
		path := filepath.Join(p.Dir, name)
		inside, err := filepath.Rel(t.dir, path)
		if err != nil {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files[filepath.ToSlash(inside)] = content
	}
	return nil
}

// hashLength is 64 bits. Collisions matter only among the versions of one function.
const hashLength = 8

// Object returns the archive's name in a bucket. It changes if and only if the content changes.
func (a Archive) Object() string { return a.Name + "-" + a.hash() + ".zip" }

func (a Archive) hash() string {
	h := sha256.New()
	for _, path := range slices.Sorted(maps.Keys(a.Files)) {
		if path == versionFile {
			continue
		}
		for _, part := range [][]byte{[]byte(path), a.Files[path]} {
			h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
			h.Write(part)
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:hashLength])
}

// epoch is the earliest time that a zip can store. It replaces the build time, so that the bytes are reproducible.
var epoch = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// WriteTo writes the archive as a zip. The bytes are the same each time.
func (a Archive) WriteTo(w io.Writer) (int64, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, path := range slices.Sorted(maps.Keys(a.Files)) {
		f, err := z.CreateHeader(&zip.FileHeader{Name: path, Method: zip.Deflate, Modified: epoch})
		if err != nil {
			return 0, err
		}
		if _, err := f.Write(a.Files[path]); err != nil {
			return 0, err
		}
	}
	if err := z.Close(); err != nil {
		return 0, err
	}
	return b.WriteTo(w)
}

// Save writes the archive into a folder unless it exists, and returns its path.
func (a Archive) Save(dir string) (path string, err error) {
	path = filepath.Join(dir, a.Object())
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	f, err := os.CreateTemp(dir, ".bundle-")
	if err != nil {
		return "", err
	}
	_, err = a.WriteTo(f)
	if err = errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(err, os.Remove(f.Name()))
	}
	return path, os.Rename(f.Name(), path) // atomic: readers rely on the name
}
