package main

import "fmt"

// plainly makes an error that is read by a person as it stands: one whole sentence.
func plainly(sentence string, args ...any) error { return fmt.Errorf(sentence, args...) }
