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

// A folder is .local/: the database, the secrets of this machine, and files for other tools.
type folder struct {
	path   string
	lock   *os.File
	log    *journal     // the functions' log
	secret cloud.Secret // created once and stored, so that tokens and encrypted responses of earlier runs stay valid
}

// openFolder creates or opens the folder, and locks it, so that two local clouds never share a database.
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

// close releases the lock. The kernel does the same if the process is killed.
func (f *folder) close() error { return f.lock.Close() }

// forget deletes the data of earlier runs. Built programs stay.
func (f *folder) forget() error {
	for _, name := range []string{"postgres", "secret", "env", "guide", "log", "log.1", "cookies"} {
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

// writeEnv writes the variables with which shells and other programs can use this run, as KEY=VALUE.
func (f *folder) writeEnv(local *cloud.Cloud, db *database, parts backend) error {
	token, err := local.Token()
	if err != nil {
		return err
	}
	text := fmt.Sprintf("BASE_URL=%s\nDATABASE_URL='%s'\nTOKEN=%s\nDEAD_LETTERS=%s\n", local.URL(), db.url(), token, replay.Listeners(local.Subscriptions())) + parts.variables()
	return os.WriteFile(f.at("env"), []byte(text), 0o600)
}
