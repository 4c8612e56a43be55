package handoff_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/handoff"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/keyring"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// vectors are published: other implementations test against them, so existing ones never change.
type vectors struct {
	Description string `json:"description"`
	Keys        []struct {
		ID     string `json:"id"`
		Base64 []byte `json:"base64"`
	} `json:"keys"`
	Accepted []accepted `json:"accepted"`
	Refused  []struct {
		Name   string        `json:"name"`
		Token  handoff.Token `json:"token"`
		Tenant id.Tenant     `json:"tenantId"`
		At     time.Time     `json:"at"`
		Code   string        `json:"code"`
	} `json:"refused"`
}

type accepted struct {
	Name        string          `json:"name"`
	Handoff     handoff.Handoff `json:"handoff"`
	Canonical   string          `json:"canonical"`
	Signature   string          `json:"signature"`
	Token       handoff.Token   `json:"token"`
	Fingerprint string          `json:"fingerprint"`
}

func published(t testing.TB) vectors {
	t.Helper()
	file := check.Got(os.ReadFile("testdata/vectors.json")).Must(t)
	var v vectors
	check.Must(t, json.Unmarshal(file, &v, json.RejectUnknownMembers(true)))
	check.MustEqual(t, len(v.Keys), 2)
	if len(v.Accepted) == 0 {
		t.Fatal("len(v.Accepted) = 0, want a value")
	}
	if len(v.Refused) == 0 {
		t.Fatal("len(v.Refused) = 0, want a value")
	}
	return v
}

// keys are those of the vectors with these ids, the first of them active.
func (v vectors) keys(t testing.TB, ids ...string) handoff.Keys {
	t.Helper()
	var entries []string
	for _, keyID := range ids {
		entries = append(entries, keyID+":"+base64.StdEncoding.EncodeToString(v.secret(t, keyID)))
	}
	return open(t, strings.Join(entries, ","))
}

func (v vectors) secret(t testing.TB, keyID string) []byte {
	t.Helper()
	for _, k := range v.Keys {
		if k.ID == keyID {
			return k.Base64
		}
	}
	t.Fatalf("vectors.json has no key %s", keyID)
	return nil
}

func open(t testing.TB, ring string) handoff.Keys {
	t.Helper()
	return handoff.KeysOf(check.Got(keyring.Parse(ring)).Must(t))
}

// TestVectors recomputes them from the words of the contract alone, without the code under test.
func TestVectors(t *testing.T) {
	t.Parallel()
	v := published(t)
	for _, a := range v.Accepted {
		t.Run(a.Name, func(t *testing.T) {
			t.Parallel()
			mac := hmac.New(sha256.New, v.secret(t, a.Handoff.KeyID))
			mac.Write([]byte(a.Canonical))
			signature := mac.Sum(nil)
			check.Equal(t, hex.EncodeToString(signature), a.Signature, "signature")
			base64url := base64.URLEncoding.WithPadding(base64.NoPadding)
			check.Equal(t, "v1."+base64url.EncodeToString([]byte(a.Canonical))+"."+base64url.EncodeToString(signature), a.Token.Reveal(), "token")
			sum := sha256.Sum256(signature)
			check.Equal(t, "sha256:"+hex.EncodeToString(sum[:]), a.Fingerprint, "fingerprint")
		})
	}
}

func TestMint_vectors(t *testing.T) {
	t.Parallel()
	v := published(t)
	for _, a := range v.Accepted {
		t.Run(a.Name, func(t *testing.T) {
			t.Parallel()
			asked := a.Handoff
			asked.MintedAt, asked.ExpiresAt, asked.KeyID = time.Time{}, time.Time{}, ""
			got, token, err := v.keys(t, a.Handoff.KeyID).Mint(asked, a.Handoff.MintedAt.Add(999*time.Microsecond))
			if err != nil || got != a.Handoff {
				t.Fatalf("got %+v, %v, want %+v", got, err, a.Handoff)
			}
			if token != a.Token {
				t.Errorf("got %s, want %s", token.Reveal(), a.Token.Reveal())
			}
			check.Equal(t, token.Fingerprint(), a.Fingerprint)
		})
	}
}

func TestVerify_vectors(t *testing.T) {
	t.Parallel()
	v := published(t)
	keys := v.keys(t, "hmac-2026-05", "hmac-2026-04")
	for _, a := range v.Accepted {
		t.Run(a.Name, func(t *testing.T) {
			t.Parallel()
			check.Got(keys.Verify(a.Token, a.Handoff.Tenant, a.Handoff.MintedAt)).Want(t, a.Handoff)
		})
	}
}

func TestVerify_invalidVectors(t *testing.T) {
	t.Parallel()
	v := published(t)
	keys := v.keys(t, "hmac-2026-05", "hmac-2026-04")
	for _, r := range v.Refused {
		t.Run(r.Name, func(t *testing.T) {
			t.Parallel()
			got, err := keys.Verify(r.Token, r.Tenant, r.At)
			f, ok := errors.AsType[*fault.Fault](err)
			if !ok || "MELMASTOON."+f.Code != r.Code {
				t.Errorf("got %+v, %v, want %s", got, err, r.Code)
			}
			if ok && f.Kind != fault.Gone && got != (handoff.Handoff{}) {
				t.Errorf("got %+v with %v, want nothing of a token that is not genuine", got, err)
			}
		})
	}
}
