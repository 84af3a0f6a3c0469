package checks

import (
	"fmt"
	"slices"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/oracle/evidence"
	"github.com/cosi-emu/cosi-emu/internal/oracle/rule"
)

// unknownNames finds calls for an ID whose name is not an object's. Two objects could have that
// name, and then share the bucket or account of the ID. (KEP, DriverGenerateBucketId and
// DriverGenerateBucketAccessId.)
func unknownNames(e *evidence.Evidence) []Finding {
	if e.Incomplete {
		return nil
	}
	var found []Finding
	for _, c := range e.Calls {
		resource, nameOf, broken := "", func(*evidence.Object) string { return "" }, rule.RequestBucketName
		switch {
		case c.AsksForBucket():
			resource, nameOf = evidence.Buckets, func(o *evidence.Object) string { return o.Metadata.Name }
		case c.AsksForAccount():
			resource, broken = evidence.Accesses, rule.RequestAccountName
			nameOf = func(o *evidence.Object) string { return v1alpha2.AccountNameForAccess(o.Metadata.UID) }
		}
		if resource == "" || everHad(e, resource, func(o *evidence.Object) bool { return nameOf(o) == c.Name }) {
			continue
		}
		found = append(found, Finding{
			Rule:    e.Rule(broken),
			Subject: c.Name, Events: []uint64{c.Seq},
			Message: fmt.Sprintf("%s was called with the name %q, which no %s has", c.Method, c.Name, evidence.KindOf(resource)),
		})
	}
	return found
}

// everHad reports whether any version of an object of a resource has a property.
func everHad(e *evidence.Evidence, resource string, has func(*evidence.Object) bool) bool {
	return slices.ContainsFunc(e.Of(resource), func(v evidence.Version) bool {
		return v.Got != nil && has(v.Got) || v.Asks(has)
	})
}
