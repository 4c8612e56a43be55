package main

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// journalLimit is the maximum size of a part of the log. There are two parts: the current and the previous one.
const journalLimit = 64 << 20

// A journal is the functions' log in a file, one JSON line per call. When the current part is full, it replaces the
// previous part, so the log never fills the disk. One observe.Log writes to it, line by line.
type journal struct {
	path  string
	file  *os.File
	size  int64
	limit int64
}

func openJournal(path string, limit int64) (*journal, error) {
	j := &journal{path: path, limit: limit}
	return j, j.open()
}

func (j *journal) open() (err error) {
	if j.file, err = os.OpenFile(j.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644); err != nil {
		return fmt.Errorf("log: %w", err)
	}
	info, err := j.file.Stat()
	if err != nil {
		return fmt.Errorf("log: %w", err)
	}
	j.size = info.Size()
	return nil
}

// Write appends a line to the current part, and begins a new part if it is full.
func (j *journal) Write(line []byte) (int, error) {
	if j.size > 0 && j.size+int64(len(line)) > j.limit {
		if err := j.turn(); err != nil {
			return 0, err
		}
	}
	n, err := j.file.Write(line)
	j.size += int64(n)
	return n, err
}

// turn begins a new part.
func (j *journal) turn() error {
	if err := j.file.Close(); err != nil {
		return err
	}
	if err := os.Rename(j.path, j.path+".1"); err != nil {
		return err
	}
	return j.open()
}

// parts reads the parts of the log, the previous one first.
type parts struct {
	io.Reader
	files []*os.File
}

// read opens the log for reading.
func (j *journal) read() (io.ReadCloser, error) {
	var p parts
	var readers []io.Reader
	for _, name := range []string{j.path + ".1", j.path} {
		file, err := os.Open(name)
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("log: %w", err), p.Close())
		}
		p.files, readers = append(p.files, file), append(readers, file)
	}
	p.Reader = io.MultiReader(readers...)
	return p, nil
}

// Close closes the files.
func (p parts) Close() error {
	var failed []error
	for _, file := range p.files {
		failed = append(failed, file.Close())
	}
	return errors.Join(failed...)
}
