package main

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"melmastoon.ghasi.io/jobs/replay"
	"melmastoon.ghasi.io/scripts/serve/cloud"
)

// A folder is .local/: the database, the secrets of this machine, and what other tools may read.
type folder struct {
	path   string
	lock   *os.File
	log    *journal     // what the functions log
	secret cloud.Secret // made once and kept: a token or a sealed answer of an earlier run still opens
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
	if err := f.loadSecret(); err != nil {
		return nil, errors.Join(err, f.close())
	}
	if f.log, err = openJournal(f.at("log"), journalLimit); err != nil {
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
	for _, name := range []string{"postgres", "secret", "env", "log", "log.1", "cookies"} {
		if err := os.RemoveAll(f.at(name)); err != nil {
			return plainly("Cannot forget the earlier run: %w.", err)
		}
	}
	return nil
}

// secretSize is the length of a secret in bytes.
const secretSize = 32

func (f *folder) loadSecret() error {
	text, err := os.ReadFile(f.at("secret"))
	if errors.Is(err, fs.ErrNotExist) {
		return f.makeSecret()
	}
	if err != nil {
		return err
	}
	f.secret, err = hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(f.secret) != secretSize {
		return plainly("%s is damaged: start again with --fresh, which forgets the data of earlier runs.", f.at("secret"))
	}
	return nil
}

func (f *folder) makeSecret() error {
	f.secret = make(cloud.Secret, secretSize)
	if _, err := rand.Read(f.secret); err != nil {
		return err
	}
	return os.WriteFile(f.at("secret"), []byte(hex.EncodeToString(f.secret)+"\n"), 0o600)
}

// writeEnv leaves what a shell or another program needs to talk to this run, as KEY=VALUE.
func (f *folder) writeEnv(local *cloud.Cloud, db *database, parts backend) error {
	token, err := local.Token()
	if err != nil {
		return err
	}
	text := fmt.Sprintf("BASE_URL=%s\nDATABASE_URL='%s'\nTOKEN=%s\nDEAD_LETTERS=%s\n", local.URL(), db.url(), token, replay.Listeners(local.Subscriptions())) + parts.variables()
	return os.WriteFile(f.at("env"), []byte(text), 0o600)
}
