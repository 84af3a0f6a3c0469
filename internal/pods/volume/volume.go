// Package volume makes the volumes of a Pod as directories, and shows them to containers, which have no file system
// of their own: each container has a directory with links to its volumes, and paths in its manifest lead there.
package volume

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/cosi-emu/cosi-emu/internal/atomicvolume"
	"github.com/cosi-emu/cosi-emu/internal/pods/csi"
	"github.com/cosi-emu/cosi-emu/internal/pods/environment"
)

const dirMode = 0o700

// Sources are the objects and tokens for volumes.
type Sources interface {
	environment.Objects
	// Token returns a token of the Pod's ServiceAccount, bound to the Pod, and when it expires.
	Token(ctx context.Context, pod *corev1.Pod, audience string, lifetime time.Duration) (token string, expires time.Time, err error)
}

// Volumes are the volumes of a Pod. They are safe for concurrent use.
type Volumes struct {
	sources Sources
	drivers csi.Drivers
	dir     string

	mu     sync.Mutex
	pod    *corev1.Pod
	tokens map[string]token // by volume and path
}

// token is a token of a volume, until it must be renewed.
type token struct {
	value          string
	expires, renew time.Time
}

// New returns the volumes of a Pod in a directory of their own.
func New(sources Sources, drivers csi.Drivers, pod *corev1.Pod, dir string) *Volumes {
	return &Volumes{sources: sources, drivers: drivers, pod: pod, dir: dir, tokens: map[string]token{}}
}

// MountError is the error of a volume that is not complete, with a kubelet's text.
type MountError struct {
	Volume string
	Err    error
}

// Error returns the text of a kubelet's Event.
func (e *MountError) Error() string {
	return fmt.Sprintf("MountVolume.SetUp failed for volume %q : %v", e.Volume, e.Err)
}

// Unwrap returns the cause.
func (e *MountError) Unwrap() error { return e.Err }

// UnmountError is the error of a volume that its CSI driver has not removed.
type UnmountError struct {
	Volume string
	Err    error
}

// Error returns a kubelet's text.
func (e *UnmountError) Error() string {
	return fmt.Sprintf("UnmountVolume.TearDown failed for volume %q : %v", e.Volume, e.Err)
}

// Unwrap returns the cause.
func (e *UnmountError) Unwrap() error { return e.Err }

// Update makes all volumes, or brings them up to date with the Pod and the objects that it refers to. It returns when
// it must be called again, although no object changes; zero means never. Errors are MountErrors, joined.
func (v *Volumes) Update(ctx context.Context, pod *corev1.Pod) (next time.Time, err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.pod = pod
	var failed []error
	for i := range v.pod.Spec.Volumes {
		volume := &v.pod.Spec.Volumes[i]
		again, err := v.update(ctx, volume)
		if err != nil {
			failed = append(failed, &MountError{volume.Name, err})
		}
		next = earlier(next, again)
	}
	for _, t := range v.tokens {
		next = earlier(next, t.renew)
	}
	return next, errors.Join(failed...)
}

// earlier returns the earlier of two times, of which zero is none.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

func (v *Volumes) update(ctx context.Context, volume *corev1.Volume) (again time.Time, err error) {
	dir := v.path(volume.Name)
	if err := os.MkdirAll(dir, dirMode); err != nil {
		return again, err
	}
	switch {
	case volume.EmptyDir != nil:
		return again, nil
	case volume.CSI != nil:
		return v.publish(ctx, volume)
	}
	files, err := v.files(ctx, volume)
	if err != nil {
		return again, err
	}
	_, err = atomicvolume.Write(dir, files)
	return again, err
}

// Remove removes all volumes. An UnmountError means that a CSI driver must be called again.
func (v *Volumes) Remove(ctx context.Context) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if err := v.unpublish(ctx); err != nil {
		return err
	}
	return os.RemoveAll(v.dir)
}

func (v *Volumes) path(volume string) string { return filepath.Join(v.dir, volume) }
