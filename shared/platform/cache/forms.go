package cache

import (
	"slices"

	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
)

// A Mark identifies one value in this process's memory. A value that takes its place later has another Mark. The zero Mark is
// that of values which are not kept.
type Mark struct{ serial uint64 }

// Forms keeps, in this process's memory, what is expensive to make from kept values: an encoded and compressed answer, for
// example. A form is used only while the values that it was made from are the kept ones.
type Forms[F any] struct {
	memory *memory
	name   string
}

// A form is what was made, and of what.
type form[F any] struct {
	of   []Mark
	made F
}

// OpenForms opens the forms of one kind. Of one name there is one type.
func OpenForms[F any](e env.Env, name string) Forms[F] {
	return Forms[F]{openMemory(e), "form of " + name}
}

// Of returns the key's form of the values with these marks, and calls make where there is none. The key names everything else
// that the form depends on. Make returns the form and its size in bytes; its error is returned. If a mark is zero, ok is false
// and make is not called.
func (f Forms[F]) Of(key document.Key, marks []Mark, make func() (F, int, error)) (made F, ok bool, err error) {
	if slices.Contains(marks, Mark{}) {
		return made, false, nil
	}
	where := place{f.name, key}
	if known, there := f.memory.find(where); there {
		if old, typed := known.value.(*form[F]); typed && slices.Equal(old.of, marks) {
			return old.made, true, nil
		}
	}
	made, weight, err := make()
	if err != nil {
		return made, false, err
	}
	f.memory.remember(where, &form[F]{slices.Clone(marks), made}, weight)
	return made, true, nil
}
