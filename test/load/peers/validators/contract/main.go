// Program contract validates events as our functions do.
package main

import (
	"fmt"
	"os"

	"melmastoon.ghasi.io/shared/platform/contract"
	"melmastoon.ghasi.io/test/load/peers/validators"
)

func main() {
	for subject, payload := range validators.Payloads {
		if err := contract.ValidateOutgoing(subject, []byte(payload)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}
