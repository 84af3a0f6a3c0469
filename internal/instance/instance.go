// Package instance manages the emulators on this machine. Each has a name, a directory for its
// files, a lock, and a description by which other commands find it.
//
// The lock, not the directory, shows whether an emulator runs: the kernel releases it when the
// process ends in any way. So the next emulator of the name detects and removes the files of a
// killed one.
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

	"github.com/cosi-emu/cosi-emu/emulator/description"
	"github.com/cosi-emu/cosi-emu/internal/atomicfile"
)

// DefaultName is the name of an emulator that is given none.
const DefaultName = "default"

// Kinds of errors.
var (
	ErrRunning    = errors.New("it is already running")
	ErrNotRunning = errors.New("it is not running")
	ErrName       = errors.New("it must be lower-case letters, digits and '-', begin and end with a letter or digit, " +
		"and have at most 63 characters")
	// ErrInUse: another running emulator uses the data directory.
	ErrInUse = errors.New("the directory is in use")
)

const (
	infoFile = "instance.json"
	dirMode  = 0o700
	fileMode = 0o600
)

// Info describes a running emulator to other processes. Its only secret is the token in UI.
type Info struct {
	Name    string    `json:"name"`
	Version string    `json:"version"`
	PID     int       `json:"pid"`
	Started time.Time `json:"started"`
	// Ready means that everything runs. Before, addresses may be missing.
	Ready bool `json:"ready"`

	description.Info

	// Control is the socket of the admin API.
	Control string `json:"control,omitempty"`
	// UI is the URL of the page about the emulator; empty without one. It contains a token: anyone
	// with the URL can control the emulator.
	UI string `json:"ui,omitempty"`
	// Recording is the file with the recording of the session; empty without one.
	Recording string `json:"recording,omitempty"`
}

// ValidateName checks the name of an emulator. The error is ErrName.
func ValidateName(name string) error {
	if len(validation.IsDNS1123Label(name)) > 0 {
		return fmt.Errorf("emulator name %q: %w", name, ErrName)
	}
	return nil
}

// Command returns the command line of a verb for the emulator of that name, for hints: `cosi-emu
// down --name mine`.
func Command(verb, name string) string {
	if name == "" || name == DefaultName {
		return "cosi-emu " + verb
	}
	return "cosi-emu " + verb + " --name " + name
}

// Root is the parent directory of the directories of all emulators of this user:
// cosi-emu in $XDG_STATE_HOME, which defaults to ~/.local/state on all platforms.
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

// Instance is an emulator of this process. It holds the lock of its name.
type Instance struct {
	name string
	dir  string
	lock *lock
}

// Acquire locks the name for this process, removes the files of a killed emulator of that name, and
// creates an empty directory. The error is ErrRunning if another process has the name.
//
// It calls clean with the directory of the killed emulator before it removes the directory, to end
// remaining processes.
func Acquire(name string, clean func(dir string) error) (*Instance, error) {
	if err := ValidateName(name); err != nil {
		return nil, err
	}
	root, err := Root()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(root, dirMode); err != nil {
		return nil, stateDirError(err)
	}
	i := &Instance{name: name, dir: filepath.Join(root, name)}
	i.lock, err = takeLock(lockFile(root, name))
	if errors.Is(err, errLocked) {
		return nil, Running(name)
	}
	if err != nil {
		return nil, stateDirError(err)
	}
	if err := i.reset(clean); err != nil {
		return nil, errors.Join(err, i.lock.release())
	}
	return i, nil
}

// Running returns ErrRunning for the emulator of that name, with advice.
func Running(name string) error {
	return fmt.Errorf("emulator %q: %w; stop it with '%s', or choose another --name", name, ErrRunning, Command("down", name))
}

// stateDirError adds advice about a state directory that cannot be written.
func stateDirError(err error) error {
	return fmt.Errorf("write to the state directory: %w; set XDG_STATE_HOME to a directory that you can write to", err)
}

func lockFile(root, name string) string { return filepath.Join(root, name+".lock") }

// reset replaces the directory of a killed emulator by an empty one.
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

// Dir is the directory of the emulator. Only this user can read it.
func (i *Instance) Dir() string { return i.dir }

// Publish writes the description for other processes, atomically.
func (i *Instance) Publish(info Info) error {
	info.Name, info.Dir = i.name, i.dir
	data, err := json.MarshalIndent(info, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.WriteFile(filepath.Join(i.dir, infoFile), append(data, '\n'), fileMode)
}

// Release removes the directory and unlocks the name. It may be called more than once.
func (i *Instance) Release() error {
	if i.lock == nil {
		return nil
	}
	err := errors.Join(os.RemoveAll(i.dir), i.lock.release())
	i.lock = nil
	return err
}

// Get returns the description of the running emulator of that name. The error is ErrNotRunning
// without one. The description of an emulator that is still starting may contain only its name.
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

// Read returns the description in an emulator's directory, whether the emulator runs
// or not. It may contain only the name.
func Read(dir string) (Info, error) {
	info := Info{Name: filepath.Base(dir), Info: description.Info{Dir: dir}}
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

// List returns the descriptions of all running emulators of this user, sorted by name.
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
