package hub

import (
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// object is a pointer to a kind.
type object[T any] interface {
	*T
	client.Object
}

// Names returns the names of objects.
func Names[T any, O object[T]](all []T) []string {
	names := make([]string, len(all))
	for i := range all {
		names[i] = O(&all[i]).GetName()
	}
	return names
}

// Has reports whether one of the objects has a name.
func Has[T any, O object[T]](all []T, name string) bool {
	return slices.Contains(Names[T, O](all), name)
}

// Claim returns the BucketClaim of a name, or nil.
func (l *Lists) Claim(namespace, name string) *v1alpha2.BucketClaim {
	return find(l.Claims, func(c *v1alpha2.BucketClaim) bool { return c.Namespace == namespace && c.Name == name })
}

// ClaimNames returns the names of the BucketClaims in a namespace.
func (l *Lists) ClaimNames(namespace string) []string {
	var names []string
	for i := range l.Claims {
		if l.Claims[i].Namespace == namespace {
			names = append(names, l.Claims[i].Name)
		}
	}
	return names
}
