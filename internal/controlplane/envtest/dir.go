//go:build unix

package envtest

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"github.com/cosi-emu/cosi-emu/internal/controlplane"
)

// layout has the paths below a control plane's directory.
type layout struct {
	dir string
	// id is unique for each start, so that the watchdog of a killed control plane does not affect
	// the next.
	id string
}

func newLayout(dir string) layout {
	return layout{dir: dir, id: rand.Text()}
}

// etcdDir is the directory of etcd's data.
const etcdDir = "etcd"

func (l layout) data() string  { return filepath.Join(l.dir, etcdDir) }
func (l layout) certs() string { return filepath.Join(l.dir, "certs") }
func (l layout) logs() string  { return filepath.Join(l.dir, "logs") }

// runs has a directory for each start, which is removed at its end. Killed processes leave theirs.
// run is the directory of this start.
func (l layout) runs() string { return filepath.Join(l.dir, "run") }
func (l layout) run() string  { return filepath.Join(l.runs(), l.id) }

func (l layout) log(component string) string {
	return filepath.Join(l.logs(), component+".log")
}

func (l layout) pid(component string) string {
	return filepath.Join(l.run(), component+".pid")
}

func (l layout) launcher(component string) string {
	return filepath.Join(l.run(), component+".sh")
}

// claim locks the directory for this control plane. The lock ends with the process.
func (l layout) claim(ctx context.Context, keep bool) (*flock.Flock, error) {
	lock, err := controlplane.Claim(l.dir, keep)
	if err != nil {
		return nil, err
	}
	if err := l.renew(ctx); err != nil {
		return nil, errors.Join(err, lock.Unlock())
	}
	return lock, nil
}

// renew removes the files of an earlier run, except data and logs. It also removes certificates,
// because envtest keeps existing ones without knowing their certificate authority.
func (l layout) renew(ctx context.Context) error {
	if err := os.Chmod(l.dir, 0o700); err != nil { //nolint:gosec // a directory
		return err
	}
	if err := l.endOrphans(ctx); err != nil {
		return err
	}
	for _, dir := range []string{l.certs(), l.runs()} {
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	for _, dir := range []string{l.certs(), l.run(), l.logs(), l.data()} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	return nil
}

// adopt takes over the data that SaveData has written.
func (l layout) adopt(saved string) error {
	if err := os.Remove(l.data()); err != nil { // it is empty
		return err
	}
	return os.Rename(filepath.Join(saved, etcdDir), l.data())
}

// leave removes the temporary files.
func (l layout) leave(keep bool) error {
	if !keep {
		return os.RemoveAll(l.dir)
	}
	return errors.Join(os.RemoveAll(l.certs()), os.RemoveAll(l.runs()))
}
