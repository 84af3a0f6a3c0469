package oracle

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/hub"
	cosiv1alpha1 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
)

// wrongRequestsV1alpha1 finds calls of v1alpha1 whose contents do not follow from their object. An
// access has only references: its grant follows from its class and the Bucket of its claim, in any
// of their versions.
func (e *evidence) wrongRequestsV1alpha1() []Finding {
	var found []Finding
	for _, c := range e.calls {
		var wrong []Finding
		switch c.method {
		case createBucket:
			wrong = e.wrongCreate(c)
		case grantAccess:
			if access := e.latestAccess(c.isFor); access != nil {
				wrong = append(e.wrongClass(c, access), e.wrongBucket(c, access)...)
			}
		case revokeAccess:
			if access := e.withAccount(c.id); access != nil {
				wrong = e.wrongBucket(c, access)
			}
		}
		found = append(found, wrong[:min(1, len(wrong))]...)
	}
	return found
}

// wrongCreate compares the parameters with the Bucket's.
func (e *evidence) wrongCreate(c call) []Finding {
	var follows []fields
	key := ""
	for _, v := range e.of(buckets) {
		if v.got != nil && v.got.Metadata.Name == c.name {
			follows, key = append(follows, fields{fieldParameters: parametersOf(v.got.Spec.Parameters)}), v.key
		}
	}
	return deviation(c, buckets, key, fields{fieldParameters: parametersOf(c.parameters)}, follows)
}

func (e *evidence) wrongClass(c call, access *object) []Finding {
	unknown := cosiv1alpha1.AuthenticationType_UnknownAuthenticationType.String() // requests have no zero values
	said := fields{
		fieldParameters: parametersOf(c.parameters), fieldAuthentication: quote(cmp.Or(c.request.AuthenticationType.Type, unknown)),
	}
	follows := e.classFields(access.Spec.BucketAccessClassName)
	if len(follows) > 0 && e.releasedWithoutClass(c, access) && said[fieldParameters] == parametersOf(nil) {
		without := maps.Clone(follows[len(follows)-1])
		without[fieldParameters] = said[fieldParameters]
		follows = append(follows, without)
	}
	return deviation(c, accesses, access.key(), said, follows)
}

// releasedWithoutClass reports whether a grant is for an access that is being deleted, and whose
// class does not exist any more. The sidecar repeats a grant to learn the account that it must
// revoke. It has recorded the authentication type on the access, but no parameters.
func (e *evidence) releasedWithoutClass(c call, access *object) bool {
	deleting := slices.ContainsFunc(e.of(accesses), func(v version) bool {
		return v.seq < c.seq && v.got != nil && v.got.Metadata.UID == access.Metadata.UID && v.got.deleting()
	})
	return deleting && e.hadNoClass(access.Spec.BucketAccessClassName)
}

// hadNoClass reports whether a known class was missing later.
func (e *evidence) hadNoClass(name string) bool {
	existed := false
	for _, m := range e.moments() {
		exists := m.Objects.AccessClass(name) != nil
		if existed && !exists {
			return true
		}
		existed = existed || exists
	}
	return slices.ContainsFunc(e.of(accessClasses), func(v version) bool {
		return v.key == name && v.verb == "delete" && v.result != rejected
	})
}

// classFields returns the fields from all known versions of a BucketAccessClass.
func (e *evidence) classFields(name string) []fields {
	var all []fields
	for _, m := range e.moments() {
		if class := m.Objects.AccessClass(name); class != nil {
			all = append(all, fields{
				fieldParameters: parametersOf(class.Spec.Parameters), fieldAuthentication: quote(wireNameV1alpha1(class.Spec.AuthenticationType)),
			})
		}
	}
	for _, v := range e.of(accessClasses) {
		if v.key == name && v.got != nil && v.got.v1alpha1Fields.DriverName != "" {
			authentication := hub.AuthenticationType(v.got.v1alpha1Fields.AuthenticationType)
			all = append(all, fields{
				fieldParameters:     parametersOf(v.got.v1alpha1Fields.Parameters),
				fieldAuthentication: quote(wireNameV1alpha1(authentication)),
			})
		}
	}
	return all
}

// wireNameV1alpha1 returns the name of an authentication type in a call of v1alpha1.
func wireNameV1alpha1(name v1alpha2.AuthenticationType) string {
	switch name {
	case v1alpha2.AuthenticationTypeServiceAccount:
		return cosiv1alpha1.AuthenticationType_IAM.String()
	case v1alpha2.AuthenticationTypeKey:
		return cosiv1alpha1.AuthenticationType_Key.String()
	default:
		return cosiv1alpha1.AuthenticationType_UnknownAuthenticationType.String()
	}
}

// wrongBucket compares the bucket of a call with the Buckets that the claim of the access was ever
// bound to, and with the sidecar's record.
func (e *evidence) wrongBucket(c call, access *object) []Finding {
	var follows []fields
	for _, id := range e.bucketsFor(access) {
		follows = append(follows, fields{fieldBuckets: listOf([]string{id})})
	}
	return deviation(c, accesses, access.key(), fields{fieldBuckets: listOf(c.buckets)}, follows)
}

// bucketsFor returns the possible IDs of the buckets of an access.
func (e *evidence) bucketsFor(access *object) []string {
	var ids []string
	for _, v := range e.of(accesses) {
		if v.got == nil || v.got.Metadata.UID != access.Metadata.UID {
			continue
		}
		for _, accessed := range v.got.Status.AccessedBuckets {
			ids = append(ids, accessed.BucketID)
		}
	}
	for _, v := range e.of(buckets) {
		ref := v.got
		if ref != nil && ref.bucketID() != "" && ref.Spec.BucketClaimRef.Namespace == access.Metadata.Namespace &&
			ref.Spec.BucketClaimRef.Name == access.Spec.BucketClaimName {
			ids = append(ids, ref.bucketID())
		}
	}
	return ids
}

// deviation returns the difference to the last of the allowed contents of a call, or nothing if
// none are known.
func deviation(c call, resource, key string, said fields, follows []fields) []Finding {
	if len(follows) == 0 || slices.ContainsFunc(follows, func(wanted fields) bool { return maps.Equal(said, wanted) }) {
		return nil
	}
	nearest := follows[len(follows)-1]
	var found []Finding
	for _, name := range slices.Sorted(maps.Keys(nearest)) {
		if said[name] != nearest[name] {
			found = append(found, Finding{
				Subject: subjectOf(resource, key), Events: []uint64{c.seq},
				Message: fmt.Sprintf("%s was called with %s %s, but from %s %q follows %s",
					c.method, name, said[name], kinds[resource], key, nearest[name]),
			})
		}
	}
	return found
}
