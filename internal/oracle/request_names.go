package oracle

import (
	"fmt"
	"slices"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// unknownNames finds calls for an ID whose name is not an object's. Two objects could have that
// name, and then share the bucket or account of the ID. (KEP, DriverGenerateBucketId and
// DriverGenerateBucketAccessId.)
func (e *evidence) unknownNames() []Finding {
	if e.Incomplete {
		return nil
	}
	var found []Finding
	for _, c := range e.calls {
		resource, nameOf := "", func(*object) string { return "" }
		switch {
		case c.asksForBucket():
			resource, nameOf = buckets, func(o *object) string { return o.Metadata.Name }
		case c.asksForAccount():
			resource, nameOf = accesses, func(o *object) string { return v1alpha2.AccountNameForAccess(o.Metadata.UID) }
		}
		if resource == "" || e.names(resource, func(o *object) bool { return nameOf(o) == c.name }) {
			continue
		}
		found = append(found, Finding{
			Subject: c.name, Events: []uint64{c.seq},
			Message: fmt.Sprintf("%s was called with the name %q, which no %s has", c.method, c.name, kinds[resource]),
		})
	}
	return found
}

// names reports whether any version of an object of a resource has a property.
func (e *evidence) names(resource string, has func(*object) bool) bool {
	return slices.ContainsFunc(e.of(resource), func(v version) bool {
		return v.got != nil && has(v.got) || v.asks(has)
	})
}
