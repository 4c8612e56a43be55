package cache

import (
	"slices"

	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
)

// A EntryID identifies one value in this process's memory. A value that takes its place later has another Mark. The zero Mark is
// that of values which are not kept.
type EntryID struct{ serial uint64 }

// Rendered keeps, in this process's memory, what is expensive to make from kept values: an encoded and compressed answer, for
// example. A form is used only while the values that it was made from are the kept ones.
type Rendered[F any] struct {
	memory *memory
	name   string
}

// A rendered is what was made, and of what.
type rendered[F any] struct {
	of   []EntryID
	made F
}

// OpenRendered opens the forms of one kind. Of one name there is one type.
func OpenRendered[F any](e env.Env, name string) Rendered[F] {
	return Rendered[F]{openMemory(e), "form of " + name}
}

// Of returns the key's form of the values with these marks, and calls make where there is none. The key names everything else
// that the form depends on. Make returns the form and its size in bytes; its error is returned. If a mark is zero, ok is false
// and make is not called.
func (f Rendered[F]) Of(key document.Key, marks []EntryID, make func() (F, int, error)) (made F, ok bool, err error) {
	if slices.Contains(marks, EntryID{}) {
		return made, false, nil
	}
	where := place{f.name, key}
	if known, there := f.memory.find(where); there {
		if old, typed := known.value.(*rendered[F]); typed && slices.Equal(old.of, marks) {
			return old.made, true, nil
		}
	}
	made, weight, err := make()
	if err != nil {
		return made, false, err
	}
	f.memory.remember(where, &rendered[F]{slices.Clone(marks), made}, weight)
	return made, true, nil
}
