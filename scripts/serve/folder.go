package main

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"melmastoon.ghasi.io/scripts/serve/cloud"
)

// A folder is .local/: the database, the secrets of this machine, and what other tools may read.
type folder struct {
	path    string
	lock    *os.File
	log     *os.File // what the functions log
	secrets secrets
}

// secrets are made once and kept, so that a token or a sealed answer of an earlier run still opens.
type secrets struct {
	Identity    []byte `json:"identity"`    // the local issuer's Ed25519 seed
	Idempotency []byte `json:"idempotency"` // AES-256 key that seals stored answers
}

// openFolder makes the folder or finds it again, and locks it: two local clouds never share one database.
func openFolder(path string, fresh bool) (*folder, error) {
	if err := os.MkdirAll(path, 0o755); err != nil {
		return nil, plainly("Cannot make %s: %w.", path, err)
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	f := &folder{path: abs}
	if err := f.acquire(); err != nil {
		return nil, err
	}
	if fresh {
		if err := f.forget(); err != nil {
			return nil, errors.Join(err, f.close())
		}
	}
	if err := f.loadSecrets(); err != nil {
		return nil, errors.Join(err, f.close())
	}
	if f.log, err = os.OpenFile(f.at("log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644); err != nil {
		return nil, errors.Join(err, f.close())
	}
	return f, nil
}

func (f *folder) at(name string) string { return filepath.Join(f.path, name) }

func (f *folder) acquire() (err error) {
	if f.lock, err = os.OpenFile(f.at("lock"), os.O_CREATE|os.O_RDWR, 0o644); err != nil {
		return err
	}
	if err := syscall.Flock(int(f.lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return errors.Join(plainly("The local cloud of this folder is running already: stop it first."), f.lock.Close())
	}
	return nil
}

// close gives the folder free; the kernel does the same for a process that was killed.
func (f *folder) close() error { return f.lock.Close() }

// forget removes the data of earlier runs. The built programs stay.
func (f *folder) forget() error {
	for _, name := range []string{"postgres", "secrets.json", "env", "log"} {
		if err := os.RemoveAll(f.at(name)); err != nil {
			return plainly("Cannot forget the earlier run: %w.", err)
		}
	}
	return nil
}

func (f *folder) loadSecrets() error {
	text, err := os.ReadFile(f.at("secrets.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return f.makeSecrets()
	}
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, &f.secrets); err != nil || len(f.secrets.Identity) != 32 || len(f.secrets.Idempotency) != 32 {
		return plainly("%s is damaged: start again with --fresh, which forgets the data of earlier runs.", f.at("secrets.json"))
	}
	return nil
}

func (f *folder) makeSecrets() error {
	f.secrets = secrets{Identity: make([]byte, 32), Idempotency: make([]byte, 32)}
	for _, key := range [][]byte{f.secrets.Identity, f.secrets.Idempotency} {
		if _, err := rand.Read(key); err != nil {
			return err
		}
	}
	text, err := json.Marshal(f.secrets)
	if err != nil {
		return err
	}
	return os.WriteFile(f.at("secrets.json"), text, 0o600)
}

func (f *folder) idempotencyKeys() string {
	return "local:" + base64.StdEncoding.EncodeToString(f.secrets.Idempotency)
}

// writeEnv leaves what a shell or another program needs to talk to this run, as KEY=VALUE.
func (f *folder) writeEnv(local *cloud.Cloud, db *database) error {
	token, err := local.Token()
	if err != nil {
		return err
	}
	text := fmt.Sprintf("BASE_URL=%s\nDATABASE_URL='%s'\nTOKEN=%s\n", local.URL(), db.url(), token)
	return os.WriteFile(f.at("env"), []byte(text), 0o600)
}
