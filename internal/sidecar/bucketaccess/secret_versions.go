package bucketaccess

import (
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// secretVersions has, for each access, the versions of the Secrets as the
// reconciler left them, with the driver's latest answer in them. A Secret of that
// version needs nothing. Any other version, and an access that is not in here,
// need another call to the driver. It is empty after each start of the sidecar, so
// that each access is granted once more then, which brings credentials that were
// rotated meanwhile.
//
// It has no value of a Secret. It is safe for concurrent use.
type secretVersions struct {
	mu   sync.Mutex
	left map[types.NamespacedName]versionsOf
}

// versionsOf are the Secrets of one access, nearly always one: a map of them for
// each of thousands of accesses would be most of the sidecar's own memory.
type versionsOf struct {
	access  types.UID
	secrets []namedVersion
}

type namedVersion struct {
	name string
	version
}

// version is one state of one Secret.
type version struct {
	uid             types.UID
	resourceVersion string
}

// before reports whether this is an earlier state of the same Secret.
func (v version) before(later version) bool {
	order, err := resourceversion.CompareResourceVersion(v.resourceVersion, later.resourceVersion)
	return err == nil && order < 0 && v.uid == later.uid
}

func versionOf(secret client.Object) version {
	return version{uid: secret.GetUID(), resourceVersion: secret.GetResourceVersion()}
}

func (s *secretVersions) set(access client.Object, secrets map[string]version) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.left == nil {
		s.left = map[types.NamespacedName]versionsOf{}
	}
	left := make([]namedVersion, 0, len(secrets))
	for name, v := range secrets {
		left = append(left, namedVersion{name: name, version: v})
	}
	s.left[client.ObjectKeyFromObject(access)] = versionsOf{access: access.GetUID(), secrets: left}
}

// get returns the version in which a Secret of an access was left.
func (s *secretVersions) get(access client.Object, secret string) (version, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found, ok := s.left[client.ObjectKeyFromObject(access)]
	if !ok || found.access != access.GetUID() {
		return version{}, false
	}
	i := slices.IndexFunc(found.secrets, func(v namedVersion) bool { return v.name == secret })
	if i < 0 {
		return version{}, false
	}
	return found.secrets[i].version, true
}

func (s *secretVersions) forget(access types.NamespacedName) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.left, access)
}
