// Package atomicvolume writes the files of a volume all at once, as the kubelet does for the volumes of Secrets
// and ConfigMaps: a program that reads the volume sees all files of one version.
//
// The files are in a directory with a time in its name, the link ..data points to it, and each name that users see
// is a link through ..data. A new version is a new directory, and one rename of ..data makes it current. Programs
// that watch ..data for changes work as in a volume of the kubelet.
package atomicvolume

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

const (
	data      = "..data"
	temporary = "..data_tmp" // a link before its rename
	reserved  = ".."         // prefix of all names that are not for users
	dirMode   = 0o755        // as in the kubelet's volumes; the modes of the files protect them
)

// File is a file of a volume.
type File struct {
	Data []byte
	Mode fs.FileMode
	GID  *int // nil for the group of the process
}

// Write makes the files, by their paths below dir, the only ones of the volume in dir, which must exist. Paths have
// slashes, and no path starts with "..". It returns whether the files have changed.
//
// If the process ends meanwhile, the volume has the old files or the new ones, and the next Write removes the rest.
// Only one Write for a volume may run at a time. A link that a user of the volume made never leads it out of dir.
func Write(dir string, files map[string]File) (changed bool, err error) {
	if err := validate(files); err != nil {
		return false, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	v := volume{root: root, files: files}
	if !v.current() {
		changed = true
		if err := v.replace(); err != nil {
			return false, fmt.Errorf("write the volume %s: %w", dir, err)
		}
	}
	if err := errors.Join(v.link(), v.sweep()); err != nil {
		return changed, fmt.Errorf("write the volume %s: %w", dir, err)
	}
	return changed, nil
}

// Is reports whether a directory has files that Write has made.
func Is(dir string) bool {
	_, err := os.Readlink(filepath.Join(dir, data))
	return err == nil
}
