package cache

import (
	"slices"

	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
)

// An EntryID identifies one value in this process's memory. A value that replaces it has another EntryID. The zero EntryID
// belongs to values that are not cached.
type EntryID struct{ serial uint64 }

// Rendered caches, in this process's memory, results that are expensive to compute from cached values, for example an encoded
// and compressed answer. A result is used only while the values it was made from are the cached ones.
type Rendered[F any] struct {
	memory *memory
	name   string
}

// A rendered is a result and the ids of its source values.
type rendered[F any] struct {
	of   []EntryID
	made F
}

// OpenRendered opens the results of one kind. A name always has the same type.
func OpenRendered[F any](e env.Env, name string) Rendered[F] {
	return Rendered[F]{openMemory(e), "form of " + name}
}

// Of returns the key's result for the values with these ids, and calls make if there is none. The key must contain everything
// else that the result depends on. Make returns the result and its size in bytes; its error is returned. If an id is zero, Of
// returns false and does not call make.
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
