package cache

import (
	"slices"

	"melmastoon.ghasi.io/shared/document"
	"melmastoon.ghasi.io/shared/env"
)

// A Mark tells one kept value from every other, also from those that are kept in its place later. The zero Mark is of what is
// not kept.
type Mark struct{ serial uint64 }

// Forms are what was made of kept values, in this process's memory: what takes long to make of the same values is made of
// them once. A form holds no longer than the very values that it was made of.
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

// Of returns the key's form of these values, and makes it where there is none. Everything that it depends on besides them is
// in the key. Of what is not kept there is no form. Make also says how many bytes it takes.
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
