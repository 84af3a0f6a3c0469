package secretstore

import (
	"context"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Versions has, for each access, the versions in which the reconciler left the Secrets, with the
// driver's latest answer in them. A Secret of that version is up to date. Any other version, and an
// unknown access, need another call to the driver. Versions is empty after each start of the
// sidecar, so that each access is granted once more then, which updates credentials that were
// rotated meanwhile.
//
// It stores no value of a Secret. It is safe for concurrent use.
type Versions struct {
	mu   sync.Mutex
	left map[types.NamespacedName]versionsOf
}

// versionsOf are the Secrets of one access, nearly always one: a map for each of thousands of
// accesses would be most of the sidecar's own memory.
type versionsOf struct {
	access  types.UID
	secrets []namedVersion
}

type namedVersion struct {
	name string
	Version
}

// Version is one state of one Secret.
type Version struct {
	uid             types.UID
	resourceVersion string
}

// Before reports whether this is an earlier state of the same Secret.
func (v Version) Before(later Version) bool {
	order, err := resourceversion.CompareResourceVersion(v.resourceVersion, later.resourceVersion)
	return err == nil && order < 0 && v.uid == later.uid
}

// VersionOf returns the state of a Secret.
func VersionOf(secret client.Object) Version {
	return Version{uid: secret.GetUID(), resourceVersion: secret.GetResourceVersion()}
}

// Set remembers the versions in which the Secrets of an access were left.
func (vs *Versions) Set(access client.Object, secrets map[string]Version) {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	if vs.left == nil {
		vs.left = map[types.NamespacedName]versionsOf{}
	}
	left := make([]namedVersion, 0, len(secrets))
	for name, v := range secrets {
		left = append(left, namedVersion{name: name, Version: v})
	}
	vs.left[client.ObjectKeyFromObject(access)] = versionsOf{access: access.GetUID(), secrets: left}
}

// Get returns the version in which a Secret of an access was left.
func (vs *Versions) Get(access client.Object, secret string) (Version, bool) {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	found, ok := vs.left[client.ObjectKeyFromObject(access)]
	if !ok || found.access != access.GetUID() {
		return Version{}, false
	}
	i := slices.IndexFunc(found.secrets, func(v namedVersion) bool { return v.name == secret })
	if i < 0 {
		return Version{}, false
	}
	return found.secrets[i].Version, true
}

// Forget drops the versions of an access.
func (vs *Versions) Forget(access types.NamespacedName) {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	delete(vs.left, access)
}

// ReadVersion returns the version of a Secret, or none if it does not exist.
func ReadVersion(ctx context.Context, from client.Reader, key client.ObjectKey) (Version, error) {
	secret := Metadata()
	if err := from.Get(ctx, key, secret); err != nil {
		return Version{}, client.IgnoreNotFound(err)
	}
	return VersionOf(secret), nil
}
