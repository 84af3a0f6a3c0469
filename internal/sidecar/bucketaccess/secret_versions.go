package bucketaccess

import (
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// memory has, for each access, the versions of the Secrets as the reconciler has
// left them, with the driver's latest answer in them. A Secret of that version
// needs nothing; any other version, and an access that is not remembered, need
// the driver to be asked again. It begins empty with each start of the sidecar,
// so that each access is granted once more then, which brings credentials that
// were rotated meanwhile.
//
// No value of a Secret is in it. It is safe for concurrent use.
type memory struct {
	mu   sync.Mutex
	left map[types.NamespacedName]remembered
}

// remembered are the Secrets of one access, nearly always one: a map of them for
// each of thousands of accesses would be most of the sidecar's own memory.
type remembered struct {
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

func (m *memory) remember(access client.Object, secrets map[string]version) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.left == nil {
		m.left = map[types.NamespacedName]remembered{}
	}
	left := make([]namedVersion, 0, len(secrets))
	for name, v := range secrets {
		left = append(left, namedVersion{name: name, version: v})
	}
	m.left[client.ObjectKeyFromObject(access)] = remembered{access: access.GetUID(), secrets: left}
}

// recall returns the version in which a Secret of an access was left.
func (m *memory) recall(access client.Object, secret string) (version, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	found, ok := m.left[client.ObjectKeyFromObject(access)]
	if !ok || found.access != access.GetUID() {
		return version{}, false
	}
	i := slices.IndexFunc(found.secrets, func(v namedVersion) bool { return v.name == secret })
	if i < 0 {
		return version{}, false
	}
	return found.secrets[i].version, true
}

func (m *memory) forget(access types.NamespacedName) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.left, access)
}
