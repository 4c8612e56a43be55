package keyring_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"melmastoon.ghasi.io/shared/keyring"
	"melmastoon.ghasi.io/shared/testkit/check"
)

func TestTag_parts(t *testing.T) {
	t.Parallel()
	one, two := "one:"+base64.StdEncoding.EncodeToString([]byte(strings.Repeat("1", 32))), "two:"+base64.StdEncoding.EncodeToString([]byte(strings.Repeat("2", 32)))
	ring := func(s string) keyring.Ring { return check.Got(keyring.Parse(s)).Must(t) }
	tag := check.Got(ring(one).Tag("cookie", "session")).Must(t)
	for _, test := range []struct {
		name  string
		ring  keyring.Ring
		tag   string
		parts []string
		want  bool
	}{
		{"as it was made", ring(one), tag, []string{"cookie", "session"}, true},
		{"by a key in its grace period", ring(two + "," + one), tag, []string{"cookie", "session"}, true},
		{"by a key that is gone", ring(two), tag, []string{"cookie", "session"}, false},
		{"for something else", ring(one), tag, []string{"token", "session"}, false},
		{"of other parts", ring(one), tag, []string{"cookie", "sessiom"}, false},
		{"of fewer", ring(one), tag, []string{"cookie"}, false},
		{"under another key's name", ring(one + "," + two), "two" + strings.TrimPrefix(tag, "one"), []string{"cookie", "session"}, false},
		{"cut short", ring(one), tag[:len(tag)-1], []string{"cookie", "session"}, false},
		{"with more behind", ring(one), tag + "A", []string{"cookie", "session"}, false},
		{"without a key", ring(one), tag[4:], []string{"cookie", "session"}, false},
		{"none", ring(one), "", []string{"cookie", "session"}, false},
	} {
		t.Run(test.name, func(t *testing.T) { check.Equal(t, test.ring.Tagged(test.tag, test.parts...), test.want) })
	}
	check.Got((keyring.Ring{}).Tag("cookie")).Fails(t, "a tag of an empty ring")
}

func TestTagged_oneSpelling(t *testing.T) {
	t.Parallel()
	r := ring(t, "a:"+base64.StdEncoding.EncodeToString(make([]byte, 32)))
	tag, err := r.Tag("purpose", "thing")
	if err != nil || !r.Tagged(tag, "purpose", "thing") {
		t.Fatalf("Tag() = %q, %v", tag, err)
	}
	for _, other := range []string{tag + "\n", tag + "\r\n", tag[:8] + "\n" + tag[8:], tag + "=", " " + tag, tag + "."} {
		t.Run(fmt.Sprintf("%q", other), func(t *testing.T) {
			if r.Tagged(other, "purpose", "thing") {
				t.Errorf("%q is taken for %q", other, tag)
			}
		})
	}
}
