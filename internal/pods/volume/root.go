package volume

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/cosi-emu/cosi-emu/internal/pods/environment"
)

// Root is the directory that stands for the file system of a container. It is empty except for links to volumes.
type Root struct {
	dir    string
	mounts []string // clean paths, the longest first
}

// Root makes the directory of a container, which must not exist. The volumes must be up to date.
func (v *Volumes) Root(dir string, container *corev1.Container, variables map[string]string) (*Root, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if err := os.MkdirAll(dir, dirMode); err != nil {
		return nil, err
	}
	r := &Root{dir: dir}
	mounts := slices.Clone(container.VolumeMounts)
	slices.SortFunc(mounts, func(a, b corev1.VolumeMount) int {
		return cmp.Compare(len(path.Clean(a.MountPath)), len(path.Clean(b.MountPath)))
	})
	for i := range mounts {
		if err := v.mount(r, &mounts[i], variables); err != nil {
			return nil, fmt.Errorf("mount volume %s at %s: %w", mounts[i].Name, mounts[i].MountPath, err)
		}
	}
	return r, nil
}

func (v *Volumes) mount(r *Root, mount *corev1.VolumeMount, variables map[string]string) error {
	at := path.Clean("/" + mount.MountPath)
	if at == "/" {
		return errors.New("a volume cannot replace the file system of this machine; use another mountPath")
	}
	source := v.content(mount.Name)
	if sub := cmp.Or(environment.Expand(mount.SubPathExpr, variables), mount.SubPath); sub != "" {
		var err error
		if source, err = v.subPath(r, mount.Name, sub); err != nil {
			return err
		}
	}
	target := filepath.Join(r.dir, filepath.FromSlash(at))
	if err := os.MkdirAll(filepath.Dir(target), dirMode); err != nil {
		return err
	}
	if err := os.Symlink(source, target); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	r.mounts = slices.Insert(r.mounts, 0, at)
	return nil
}

// subPath returns a file or directory of a volume. The kubelet mounts it once, so that it does not follow changes
// of an object: volumes that are made of objects are copied.
func (v *Volumes) subPath(r *Root, volume, sub string) (string, error) {
	if !filepath.IsLocal(sub) {
		return "", fmt.Errorf("subPath %q leads out of the volume", sub)
	}
	source := filepath.Join(v.content(volume), filepath.FromSlash(sub))
	if v.isWritable(volume) {
		if _, err := os.Stat(source); errors.Is(err, fs.ErrNotExist) {
			return source, os.MkdirAll(source, dirMode)
		}
		return source, nil
	}
	target, err := filepath.EvalSymlinks(source)
	if err != nil {
		return "", err
	}
	kept := filepath.Join(r.dir+".subpaths", volume, sub)
	if info, err := os.Stat(target); err == nil && info.IsDir() {
		return kept, os.CopyFS(kept, os.DirFS(target))
	}
	return kept, copyFile(target, kept)
}

// content returns the directory with the files of a volume.
func (v *Volumes) content(name string) string {
	if slices.ContainsFunc(v.pod.Spec.Volumes, func(volume corev1.Volume) bool { return volume.Name == name && volume.CSI != nil }) {
		return v.target(name)
	}
	return v.path(name)
}

func (v *Volumes) isWritable(name string) bool {
	return slices.ContainsFunc(v.pod.Spec.Volumes, func(volume corev1.Volume) bool { return volume.Name == name && volume.EmptyDir != nil })
}

func copyFile(from, to string) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }() // nothing was written
	info, err := source.Stat()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), dirMode); err != nil {
		return err
	}
	target, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, info.Mode().Perm())
	if err != nil {
		return err
	}
	_, err = io.Copy(target, source)
	return errors.Join(err, target.Close())
}

// Dir returns the directory of a path in the container, which Dir makes if it does not exist.
func (r *Root) Dir(at string) (string, error) {
	dir := filepath.Join(r.dir, filepath.FromSlash(path.Clean("/"+at)))
	return dir, os.MkdirAll(dir, dirMode)
}

// File returns the file of this machine for a path in the container, to which Path leads from then on.
func (r *Root) File(at string) (string, error) {
	at = path.Clean("/" + at)
	dir, err := r.Dir(path.Dir(at))
	if r.mountAt(at, 0) == "" {
		r.mounts = append(r.mounts, at)
	}
	return filepath.Join(dir, path.Base(at)), err
}

// Path replaces the paths of volumes in a text by those of this machine: paths that begin with the mountPath of a
// volume, where they begin and end as words do.
func (r *Root) Path(text string) string {
	var out strings.Builder
	for i := 0; i < len(text); {
		mount := r.mountAt(text, i)
		if mount == "" {
			out.WriteByte(text[i])
			i++
			continue
		}
		out.WriteString(r.dir + mount)
		i += len(mount)
	}
	return out.String()
}

// mountAt returns the mountPath that begins at an index of a text, or the empty one.
func (r *Root) mountAt(text string, at int) string {
	if text[at] != '/' || at > 0 && (isName(text[at-1]) || text[at-1] == '/') {
		return ""
	}
	for _, mount := range r.mounts {
		rest, ok := strings.CutPrefix(text[at:], mount)
		if ok && (rest == "" || !isName(rest[0])) {
			return mount
		}
	}
	return ""
}

// isName reports whether a character can belong to the name of a file that a path goes on with.
func isName(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("._-~", c) >= 0
}
