// Package peers measures what things cost beside the barest program that does the same, in turns, in one process, on the
// same data. It is a module of its own, so that what is only compared with never becomes a dependency.
//
//	cd test/load/peers && go test -run '^$' -bench . -benchtime 1x
//
// prints a table of ratios beside their targets. -scale 0.02 takes a fiftieth of everything, to see that it works.
package peers
