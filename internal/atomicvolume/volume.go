package atomicvolume

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"time"
)

// volume is a directory, and the files that it should have.
type volume struct {
	root  *os.Root
	files map[string]File
}

// current returns whether ..data has these files and no others. A directory that it cannot read is not current.
func (v volume) current() bool {
	dir, err := v.root.Readlink(data)
	if err != nil {
		return false
	}
	seen := 0
	err = fs.WalkDir(v.root.FS(), dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		seen++
		want, ok := v.files[strings.TrimPrefix(name, dir+"/")]
		if !ok || !v.same(name, want) {
			return fs.ErrNotExist
		}
		return nil
	})
	return err == nil && seen == len(v.files)
}

func (v volume) same(name string, want File) bool {
	info, err := v.root.Lstat(name)
	if err != nil || info.Mode() != want.Mode {
		return false
	}
	content, err := v.root.ReadFile(name)
	return err == nil && bytes.Equal(content, want.Data)
}

// replace writes the files into a new directory, and has ..data point to it.
func (v volume) replace() (err error) {
	dir := time.Now().UTC().Format("..2006_01_02_15_04_05.") + rand.Text()
	if err := v.root.Mkdir(dir, dirMode); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, v.root.RemoveAll(dir))
		}
	}()
	if err := v.root.Chmod(dir, dirMode); err != nil { // whatever the umask is
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(v.files)) {
		if err := v.writeFile(dir, name, v.files[name]); err != nil {
			return err
		}
	}
	return v.symlink(dir, data)
}

func (v volume) writeFile(dir, name string, file File) error {
	if err := v.makeParents(dir, path.Dir(name)); err != nil {
		return err
	}
	name = dir + "/" + name
	if err := v.root.WriteFile(name, file.Data, 0o600); err != nil {
		return err
	}
	if file.GID != nil {
		if err := v.root.Lchown(name, -1, *file.GID); err != nil {
			return err
		}
	}
	return v.root.Chmod(name, file.Mode) // after chown, which may clear bits
}

// makeParents makes the directory below dir, and the directories that it is in.
func (v volume) makeParents(dir, below string) error {
	if below == "." {
		return nil
	}
	if err := v.makeParents(dir, path.Dir(below)); err != nil {
		return err
	}
	at := path.Join(dir, below)
	if err := v.root.Mkdir(at, dirMode); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return v.root.Chmod(at, dirMode)
}

// symlink makes name a link to target at once, in the place of a link or a file of that name.
func (v volume) symlink(target, name string) error {
	if err := v.root.Remove(temporary); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := v.root.Symlink(target, temporary); err != nil {
		return err
	}
	return v.root.Rename(temporary, name)
}

// link has the names that users see point through ..data.
func (v volume) link() error {
	var errs []error
	for _, name := range v.names() {
		target := data + "/" + name
		if got, err := v.root.Readlink(name); err == nil && got == target {
			continue
		}
		errs = append(errs, v.symlink(target, name))
	}
	return errors.Join(errs...)
}

// names returns the first elements of all paths.
func (v volume) names() []string {
	names := map[string]bool{}
	for name := range v.files {
		first, _, _ := strings.Cut(name, "/")
		names[first] = true
	}
	return slices.Sorted(maps.Keys(names))
}

// sweep removes the directories and links of other versions, also of a Write that did not end. It leaves files that
// users of the volume made.
func (v volume) sweep() error {
	dir, err := v.root.Readlink(data)
	if err != nil {
		return err
	}
	entries, err := fs.ReadDir(v.root.FS(), ".")
	if err != nil {
		return err
	}
	names := v.names()
	var errs []error
	for _, entry := range entries {
		name := entry.Name()
		switch {
		case name == data || name == dir || slices.Contains(names, name):
		case strings.HasPrefix(name, reserved), v.links(name):
			errs = append(errs, v.root.RemoveAll(name))
		}
	}
	return errors.Join(errs...)
}

// links returns whether a name is a link that link has made.
func (v volume) links(name string) bool {
	target, err := v.root.Readlink(name)
	return err == nil && target == data+"/"+name
}
