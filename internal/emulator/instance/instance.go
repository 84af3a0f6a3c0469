// Package instance keeps the books on the emulators that run on this machine:
// each has a name, a directory for its files, a lock that is held while it runs,
// and a description by which the other commands find it.
//
// The lock, not the directory, says whether an emulator runs: the kernel drops
// it when the process ends, however it ends. So what a killed emulator leaves
// behind is recognised, and removed by the next one of its name.
package instance

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/cosi-emu/cosi-emu/emulator"
)

// DefaultName is the name of an emulator that is given none.
const DefaultName = "default"

// Errors that callers tell apart with errors.Is.
var (
	// ErrRunning: an emulator of that name is running.
	ErrRunning = errors.New("it is already running")
	// ErrNotRunning: no emulator of that name is running.
	ErrNotRunning = errors.New("it is not running")
	// ErrName: no emulator can have that name.
	ErrName = errors.New("it must be lower-case letters, digits and '-', begin and end with a letter or digit, and have at most 63 characters")
	// ErrInUse: a data directory belongs to an emulator that is running.
	ErrInUse = errors.New("the directory is in use")
)

const (
	infoFile = "instance.json"
	dirMode  = 0o700
	fileMode = 0o600
)

// Info describes a running emulator to other processes. It holds no secrets.
type Info struct {
	Name    string    `json:"name"`
	Version string    `json:"version"`
	PID     int       `json:"pid"`
	Started time.Time `json:"started"`
	// Ready says that everything is up; before, the addresses may be missing.
	Ready bool `json:"ready"`

	emulator.Info

	// Control is the socket of the admin API.
	Control string `json:"control,omitempty"`
	// Recording is a file with all that has happened; empty if none is made.
	Recording string `json:"recording,omitempty"`
}

// ValidateName says whether an emulator may have this name. The error is ErrName.
func ValidateName(name string) error {
	if len(validation.IsDNS1123Label(name)) > 0 {
		return fmt.Errorf("emulator name %q: %w", name, ErrName)
	}
	return nil
}

// Root is the directory that holds the directories of all emulators of this
// user: cosi-emu in $XDG_STATE_HOME, which is ~/.local/state by default, on all
// platforms.
func Root() (string, error) {
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "cosi-emu"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("find the state directory: %w; set XDG_STATE_HOME to a directory of yours", err)
	}
	return filepath.Join(home, ".local", "state", "cosi-emu"), nil
}

// Instance is an emulator of this process: it holds the lock of its name.
type Instance struct {
	name string
	dir  string
	lock *lock
}

// Acquire takes the name for this process, removes what a killed emulator of
// that name has left, by way of clean, and makes an empty directory. The error
// is ErrRunning if another process has the name.
//
// clean is called with the directory of the dead emulator before it is removed,
// to end processes that have survived it.
func Acquire(name string, clean func(dir string) error) (*Instance, error) {
	if err := ValidateName(name); err != nil {
		return nil, err
	}
	root, err := Root()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(root, dirMode); err != nil {
		return nil, err
	}
	i := &Instance{name: name, dir: filepath.Join(root, name)}
	i.lock, err = takeLock(lockFile(root, name))
	if errors.Is(err, errLocked) {
		return nil, fmt.Errorf("emulator %q: %w", name, ErrRunning)
	}
	if err != nil {
		return nil, err
	}
	if err := i.reset(clean); err != nil {
		return nil, errors.Join(err, i.lock.release())
	}
	return i, nil
}

func lockFile(root, name string) string { return filepath.Join(root, name+".lock") }

// reset replaces what a dead emulator has left by an empty directory.
func (i *Instance) reset(clean func(dir string) error) error {
	if _, err := os.Stat(i.dir); err == nil {
		if err := clean(i.dir); err != nil {
			return fmt.Errorf("clean up after a killed emulator in %s: %w", i.dir, err)
		}
	}
	if err := os.RemoveAll(i.dir); err != nil {
		return err
	}
	return os.Mkdir(i.dir, dirMode)
}

// Dir is the directory for the emulator's files; only this user can read it.
func (i *Instance) Dir() string { return i.dir }

// Publish writes the description that other processes read, all at once.
func (i *Instance) Publish(info Info) error {
	info.Name, info.Dir = i.name, i.dir
	data, err := json.MarshalIndent(info, "", "  ")
	if err != nil {
		return err
	}
	next := filepath.Join(i.dir, infoFile+".next")
	if err := os.WriteFile(next, append(data, '\n'), fileMode); err != nil {
		return err
	}
	return os.Rename(next, filepath.Join(i.dir, infoFile))
}

// Release removes the directory and gives the name back. It may be called more
// than once.
func (i *Instance) Release() error {
	if i.lock == nil {
		return nil
	}
	err := errors.Join(os.RemoveAll(i.dir), i.lock.release())
	i.lock = nil
	return err
}

// Get returns the description of the running emulator of that name. The error
// is ErrNotRunning if there is none. The description of an emulator that is still
// starting may contain only its name.
func Get(name string) (Info, error) {
	if err := ValidateName(name); err != nil {
		return Info{}, err
	}
	root, err := Root()
	if err != nil {
		return Info{}, err
	}
	held, err := isLocked(lockFile(root, name))
	if err != nil {
		return Info{}, err
	}
	if !held {
		return Info{}, fmt.Errorf("emulator %q: %w", name, ErrNotRunning)
	}
	return Read(filepath.Join(root, name))
}

// Read returns the description that an emulator has left in its directory,
// whether it runs or not. It may be one with nothing but the name.
func Read(dir string) (Info, error) {
	info := Info{Name: filepath.Base(dir), Info: emulator.Info{Dir: dir}}
	data, err := os.ReadFile(filepath.Join(dir, infoFile))
	if errors.Is(err, fs.ErrNotExist) {
		return info, nil
	}
	if err != nil {
		return Info{}, err
	}
	err = json.Unmarshal(data, &info)
	return info, err
}

// List returns the descriptions of all running emulators of this user, in the
// order of their names.
func List() ([]Info, error) {
	root, err := Root()
	if err != nil {
		return nil, err
	}
	locks, err := filepath.Glob(lockFile(root, "*"))
	if err != nil {
		return nil, err
	}
	var infos []Info
	for _, file := range locks {
		base := filepath.Base(file)
		info, err := Get(base[:len(base)-len(filepath.Ext(base))])
		if errors.Is(err, ErrNotRunning) {
			continue
		}
		if err != nil {
			return nil, err
		}
		infos = append(infos, info)
	}
	return infos, nil
}
