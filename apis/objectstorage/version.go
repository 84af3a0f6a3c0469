// Package objectstorage has the versions of API group objectstorage.k8s.io, so that a program can
// serve each of them.
package objectstorage

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// Version is a version of the API. A cluster has the kinds of one version. The gRPC protocol of
// its drivers has the same version.
type Version string

// The versions.
const (
	// V1alpha1 is the version that most deployments run.
	V1alpha1 Version = "v1alpha1"
	// V1alpha2 is the version of KEP-1979.
	V1alpha2 Version = "v1alpha2"
)

// ErrVersion is the error of a version that does not exist.
var ErrVersion = errors.New("unknown version of objectstorage.k8s.io")

// Versions returns all versions, oldest first.
func Versions() []Version { return []Version{V1alpha1, V1alpha2} }

// ParseVersion returns the version with a name. The error wraps ErrVersion.
func ParseVersion(name string) (Version, error) {
	switch v := Version(name); v {
	case V1alpha1, V1alpha2:
		return v, nil
	default:
		return "", fmt.Errorf("%w %q: must be %s or %s", ErrVersion, name, V1alpha1, V1alpha2)
	}
}

// GroupVersion returns the group and version of the kinds.
func (v Version) GroupVersion() schema.GroupVersion {
	return schema.GroupVersion{Group: v1alpha2.GroupName, Version: string(v)}
}

// AddToScheme registers the kinds of all versions with a scheme.
func AddToScheme(scheme *runtime.Scheme) error {
	return errors.Join(v1alpha1.AddToScheme(scheme), v1alpha2.AddToScheme(scheme))
}
