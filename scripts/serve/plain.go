package main

import "fmt"

// plainly returns an error whose text is one sentence for a person.
func plainly(sentence string, args ...any) error { return fmt.Errorf(sentence, args...) }
