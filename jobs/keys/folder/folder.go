// Package folder stores versions of secrets as files of a folder, for the local cloud and for tests.
package folder

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"melmastoon.ghasi.io/jobs/keys"
)

// A Folder has one folder per secret, with one file per version.
type Folder struct {
	path string
	now  func() time.Time
}

// Open returns the store of a folder. Versions are created at the time that now returns.
func Open(path string, now func() time.Time) Folder { return Folder{path: path, now: now} }

// Versions implements [keys.Store].
func (f Folder) Versions(_ context.Context, secret string) (all []keys.Version, err error) {
	entries, err := os.ReadDir(filepath.Join(f.path, secret))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, keys.ErrNoSecret
	}
	if err != nil {
		return nil, fmt.Errorf("folder: %w", err)
	}
	for _, e := range entries {
		number, err := strconv.Atoi(e.Name())
		if err != nil {
			continue // a file that is being written
		}
		info, err := e.Info()
		if err != nil {
			return nil, fmt.Errorf("folder: %w", err)
		}
		all = append(all, keys.Version{Number: number, CreatedAt: info.ModTime(), Readable: info.Mode().Perm() != 0})
	}
	slices.SortFunc(all, func(a, b keys.Version) int { return a.Number - b.Number })
	return all, nil
}

// Read implements [keys.Store].
func (f Folder) Read(_ context.Context, secret string, number int) ([]byte, error) {
	value, err := os.ReadFile(f.file(secret, number))
	if err != nil {
		return nil, fmt.Errorf("folder: %w", err)
	}
	return value, nil
}

// Add implements [keys.Store]. The version appears complete, because a link to a complete file creates it.
func (f Folder) Add(_ context.Context, secret string, after int, value []byte) (int, error) {
	if err := os.MkdirAll(filepath.Join(f.path, secret), 0o700); err != nil {
		return 0, fmt.Errorf("folder: %w", err)
	}
	written, err := os.CreateTemp(filepath.Join(f.path, secret), "new-*")
	if err != nil {
		return 0, fmt.Errorf("folder: %w", err)
	}
	defer func() { _ = os.Remove(written.Name()) }() // the link stays
	_, err = written.Write(value)
	now := f.now()
	if err = errors.Join(err, written.Close(), os.Chtimes(written.Name(), now, now)); err == nil {
		err = os.Link(written.Name(), f.file(secret, after+1))
	}
	if errors.Is(err, fs.ErrExist) {
		return 0, keys.ErrConflict
	}
	if err != nil {
		return 0, fmt.Errorf("folder: %w", err)
	}
	return after + 1, nil
}

func (f Folder) file(secret string, number int) string {
	return filepath.Join(f.path, secret, strconv.Itoa(number))
}
