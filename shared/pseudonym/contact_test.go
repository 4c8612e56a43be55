package pseudonym_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"melmastoon.ghasi.io/shared/pseudonym"
	"melmastoon.ghasi.io/shared/testkit/guesttest"
)

func TestEmail_forms(t *testing.T) {
	t.Parallel()
	for _, test := range guesttest.Emails() {
		t.Run(fmt.Sprintf("%+q", test.Text), func(t *testing.T) {
			t.Parallel()
			if _, err := pseudonym.Email(test.Text); (err == nil) != test.Valid || err != nil && !errors.Is(err, pseudonym.ErrEmail) {
				t.Errorf("Email() error = %v, want valid: %t", err, test.Valid)
			}
		})
	}
}

func TestMailbox(t *testing.T) {
	t.Parallel()
	if got, err := pseudonym.Mailbox(" Zoe\u0308@Example.com "); err != nil || got != "Zo\u00eb@Example.com" {
		t.Errorf("Mailbox() = %+q, %v, want it in NFC without outer white space", got, err)
	}
}

func TestName(t *testing.T) {
	t.Parallel()
	for _, test := range guesttest.Names() {
		t.Run(fmt.Sprintf("%+q", test.Text), func(t *testing.T) {
			t.Parallel()
			name, err := pseudonym.Name(test.Text)
			if valid := err == nil && pseudonym.HasLetter(name); valid != test.Valid {
				t.Errorf("Name() = %+q, %v, want valid: %t", name, err, test.Valid)
			}
			if strings.TrimSpace(name) != name {
				t.Errorf("Name() = %+q, with outer white space", name)
			}
		})
	}
}
