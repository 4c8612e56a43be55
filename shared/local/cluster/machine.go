package cluster

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// errPortTaken means that another program listens on the port.
var errPortTaken = errors.New("port taken")

// find returns the folder of the server's programs: of the version that created the data, or else the newest installed.
func find(data string) (string, error) {
	made, err := os.ReadFile(filepath.Join(data, "PG_VERSION"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", plainly("Cannot read the database folder: %w.", err)
	}
	want := strings.TrimSpace(string(made))
	found, err := installed()
	if err != nil {
		return "", err
	}
	for _, dir := range found {
		if want == "" || want == version(dir) {
			return dir, nil
		}
	}
	if len(found) == 0 {
		return "", plainly("PostgreSQL is not installed: on Debian, apt-get install postgresql.")
	}
	return "", fmt.Errorf("%w: %s was made by PostgreSQL %q, which is not installed here", ErrDamaged, data, want)
}

// installed returns the folders of complete installations, newest first. Debian does not add them to PATH.
func installed() ([]string, error) {
	dirs, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err != nil {
		return nil, err
	}
	if path, err := exec.LookPath("postgres"); err == nil {
		dirs = append(dirs, filepath.Dir(path))
	}
	dirs = slices.DeleteFunc(dirs, func(dir string) bool {
		return missing(filepath.Join(dir, "postgres")) || missing(filepath.Join(dir, "initdb"))
	})
	slices.SortStableFunc(dirs, func(a, b string) int { return cmp.Compare(number(version(b)), number(version(a))) })
	return dirs, nil
}

// version returns the major version of an installation, such as "15", or "" if it is unknown.
func version(dir string) string {
	if base := filepath.Base(filepath.Dir(dir)); number(base) > 0 {
		return base
	}
	out, err := exec.Command(filepath.Join(dir, "postgres"), "--version").Output()
	if err != nil {
		return ""
	}
	_, full, _ := strings.Cut(string(out), "(PostgreSQL) ")
	major, _, _ := strings.Cut(full, ".")
	return strings.TrimSpace(major)
}

func number(s string) int {
	n, _ := strconv.Atoi(s) // 0 if s is not a number, which sorts last
	return n
}

// A runner is the user that the server runs as. PostgreSQL refuses to run as root.
type runner struct {
	uid, gid int
	change   bool // the caller is root and must change to this user
}

// chooseUser returns the current user. For root, it returns the owner of the data or else an unprivileged system user.
func chooseUser(dir string) (runner, error) {
	if os.Geteuid() != 0 {
		return runner{uid: os.Geteuid(), gid: os.Getegid()}, nil
	}
	if info, err := os.Stat(filepath.Join(dir, "data")); err == nil {
		if owner, ok := info.Sys().(*syscall.Stat_t); ok && owner.Uid != 0 {
			return runner{uid: int(owner.Uid), gid: int(owner.Gid), change: true}, nil
		}
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, gid := number(u.Uid), number(u.Gid)
		if uid > 0 {
			return runner{uid: uid, gid: gid, change: true}, nil
		}
	}
	return runner{}, plainly("PostgreSQL refuses to run as root, and this system has no user postgres or nobody.")
}

// choosePort returns a free port on loopback, or checks that the wanted port is free.
func choosePort(want int) (int, error) {
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(want)))
	if errors.Is(err, syscall.EADDRINUSE) {
		return 0, plainly("The database's port %d is in use by another program.", want)
	}
	if err != nil {
		return 0, err
	}
	return l.Addr().(*net.TCPAddr).Port, l.Close()
}
