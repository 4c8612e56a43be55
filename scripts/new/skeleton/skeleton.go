// Package skeleton makes the skeleton of a function: its folder with code and test, and its lines in the catalogue and the contracts.
package skeleton

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A Wish describes a function: an HTTP function unless it has a subject or a schedule.
type Wish struct {
	Service, Name string
	Subject       string // of the consumed event
	Schedule      string // in cron's format
}

// Services are the services that a function can be added to. The sandbox, the storefront and the front desk are demonstrations.
var Services = []string{"consumer", "reservation", "tenantbooking"}

// Parse returns the wish of the arguments: service/name, and at most one of a subject and an interval or schedule.
func Parse(name, subject, every string) (w Wish, err error) {
	service, verb, found := strings.Cut(name, "/")
	switch {
	case !found:
		return w, fmt.Errorf("%q is not of the form SERVICE/NAME, for example reservation/expect", name)
	case !slices.Contains(Services, service):
		return w, fmt.Errorf("no service %q; a function can be added to %s", service, strings.Join(Services, ", "))
	case subject != "" && every != "":
		return w, errors.New("use only one of -event and -every")
	}
	w = Wish{Service: service, Name: verb, Subject: subject}
	if err := checkName(verb); err != nil {
		return w, err
	}
	if subject != "" && !subjects.MatchString(subject) {
		return w, fmt.Errorf("%q is not a subject like melmastoon.payment.transaction.failed.v1", subject)
	}
	if every != "" {
		w.Schedule, err = schedule(every)
	}
	return w, err
}

var subjects = regexp.MustCompile(`^melmastoon(\.[a-z_]+)+\.v[1-9][0-9]*$`)

// A change is a file and its new content.
type change struct {
	path    string // relative to the root
	content []byte
	isNew   bool
}

// Make writes the skeleton below root and returns the paths of the written files. It checks everything before it writes, and never
// overwrites a file of a function.
func Make(root string, w Wish) (written []string, err error) {
	changes, err := plan(root, w)
	if err != nil {
		return nil, err
	}
	// Mkdir fails if another run has made the folder since the check.
	if err := os.Mkdir(filepath.Join(root, w.folder()), 0o755); err != nil {
		return nil, err
	}
	for _, c := range changes {
		if err := c.write(root); err != nil {
			return written, fmt.Errorf("%w (written before: %s)", err, strings.Join(written, ", "))
		}
		written = append(written, c.path)
	}
	return written, nil
}

func (c change) write(root string) error {
	flags := os.O_WRONLY | os.O_TRUNC
	if c.isNew {
		flags = os.O_WRONLY | os.O_CREATE | os.O_EXCL
	}
	f, err := os.OpenFile(filepath.Join(root, c.path), flags, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(c.content)
	return errors.Join(err, f.Close())
}

func (w Wish) folder() string { return filepath.Join("functions", w.Service, w.Name) }

// plan returns the files of the skeleton. It changes nothing.
func plan(root string, w Wish) (changes []change, err error) {
	if _, err := os.Stat(filepath.Join(root, w.folder())); err == nil {
		return nil, fmt.Errorf("%s exists already; nothing was written", w.folder())
	}
	if _, err := os.Stat(filepath.Join(root, "functions", w.Service)); err != nil {
		return nil, fmt.Errorf("run it in the root of the tree: %w", err)
	}
	d := w.data()
	if w.Subject != "" {
		schema, err := consumedSchema(root, w, &d)
		if err != nil {
			return nil, err
		}
		changes = append(changes, schema...)
	}
	for file, template := range map[string]string{w.Name + ".go": d.kind() + ".go.tmpl", w.Name + "_test.go": d.kind() + "_test.go.tmpl"} {
		code, err := render(template, d)
		if err != nil {
			return nil, err
		}
		changes = append(changes, change{path: filepath.Join(w.folder(), file), content: code, isNew: true})
	}
	listed, err := edited(root, "catalogue.go", func(text string) (string, error) { return addToCatalogue(text, w) })
	if err != nil {
		return nil, err
	}
	changes = append(changes, listed)
	if d.kind() == httpKind {
		described, err := edited(root, filepath.Join("schemas", "http", w.Service+".yaml"), func(text string) (string, error) { return addOperation(text, d) })
		if err != nil {
			return nil, err
		}
		changes = append(changes, described)
	}
	slices.SortFunc(changes, func(a, b change) int { return strings.Compare(a.path, b.path) })
	return changes, nil
}

// edited returns the change of a file that exists.
func edited(root, path string, edit func(string) (string, error)) (change, error) {
	before, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		return change{}, err
	}
	after, err := edit(string(before))
	if err != nil {
		return change{}, fmt.Errorf("%s: %w", path, err)
	}
	return change{path: path, content: []byte(after)}, nil
}
