package checks

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/hub"
	"github.com/cosi-emu/cosi-emu/internal/oracle/evidence"
	cosiv1alpha1 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
)

// wrongRequestsV1alpha1 finds calls of v1alpha1 whose contents do not follow from their object. An
// access has only references: its grant follows from its class and the Bucket of its claim, in any
// of their versions.
func wrongRequestsV1alpha1(e *evidence.Evidence) []Finding {
	var found []Finding
	for _, c := range e.Calls {
		var wrong []Finding
		switch c.Method {
		case evidence.CreateBucket:
			wrong = wrongCreate(e, c)
		case evidence.GrantAccess:
			if access := latestAccess(e, c.IsFor); access != nil {
				wrong = append(wrongClass(e, c, access), wrongBucket(e, c, access)...)
			}
		case evidence.RevokeAccess:
			if access := withAccount(e, c.ID); access != nil {
				wrong = wrongBucket(e, c, access)
			}
		}
		found = append(found, wrong[:min(1, len(wrong))]...)
	}
	return found
}

// wrongCreate compares the parameters with the Bucket's.
func wrongCreate(e *evidence.Evidence, c evidence.Call) []Finding {
	var follows []fields
	key := ""
	for _, v := range e.Of(evidence.Buckets) {
		if v.Got != nil && v.Got.Metadata.Name == c.Name {
			follows, key = append(follows, fields{fieldParameters: parametersOf(v.Got.Spec.Parameters)}), v.Key
		}
	}
	return deviation(e, c, evidence.Buckets, key, fields{fieldParameters: parametersOf(c.Parameters)}, follows)
}

func wrongClass(e *evidence.Evidence, c evidence.Call, access *evidence.Object) []Finding {
	unknown := cosiv1alpha1.AuthenticationType_UnknownAuthenticationType.String() // requests have no zero values
	said := fields{
		fieldParameters: parametersOf(c.Parameters), fieldAuthentication: quote(cmp.Or(c.Request.AuthenticationType.Type, unknown)),
	}
	follows := classFields(e, access.Spec.BucketAccessClassName)
	if len(follows) > 0 && releasedWithoutClass(e, c, access) && said[fieldParameters] == parametersOf(nil) {
		without := maps.Clone(follows[len(follows)-1])
		without[fieldParameters] = said[fieldParameters]
		follows = append(follows, without)
	}
	return deviation(e, c, evidence.Accesses, access.Key(), said, follows)
}

// releasedWithoutClass reports whether a grant is for an access that is being deleted, and whose
// class does not exist any more. The sidecar repeats a grant to learn the account that it must
// revoke. It has recorded the authentication type on the access, but no parameters.
func releasedWithoutClass(e *evidence.Evidence, c evidence.Call, access *evidence.Object) bool {
	deleting := slices.ContainsFunc(e.Of(evidence.Accesses), func(v evidence.Version) bool {
		return v.Seq < c.Seq && v.Got != nil && v.Got.Metadata.UID == access.Metadata.UID && v.Got.Deleting()
	})
	return deleting && hadNoClass(e, access.Spec.BucketAccessClassName)
}

// hadNoClass reports whether a known class was missing later.
func hadNoClass(e *evidence.Evidence, name string) bool {
	existed := false
	for _, m := range e.Moments() {
		exists := m.Objects.AccessClass(name) != nil
		if existed && !exists {
			return true
		}
		existed = existed || exists
	}
	return slices.ContainsFunc(e.Of(evidence.AccessClasses), func(v evidence.Version) bool {
		return v.Key == name && v.Verb == "delete" && v.Result != evidence.Rejected
	})
}

// classFields returns the fields from all known versions of a BucketAccessClass.
func classFields(e *evidence.Evidence, name string) []fields {
	var all []fields
	for _, m := range e.Moments() {
		if class := m.Objects.AccessClass(name); class != nil {
			all = append(all, fields{
				fieldParameters: parametersOf(class.Spec.Parameters), fieldAuthentication: quote(wireNameV1alpha1(class.Spec.AuthenticationType)),
			})
		}
	}
	for _, v := range e.Of(evidence.AccessClasses) {
		if v.Key == name && v.Got != nil && v.Got.DriverName != "" {
			authentication := hub.AuthenticationType(v.Got.AuthenticationType)
			all = append(all, fields{
				fieldParameters:     parametersOf(v.Got.Parameters),
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
func wrongBucket(e *evidence.Evidence, c evidence.Call, access *evidence.Object) []Finding {
	var follows []fields
	for _, id := range bucketsFor(e, access) {
		follows = append(follows, fields{fieldBuckets: listOf([]string{id})})
	}
	return deviation(e, c, evidence.Accesses, access.Key(), fields{fieldBuckets: listOf(c.Buckets)}, follows)
}

// bucketsFor returns the possible IDs of the buckets of an access.
func bucketsFor(e *evidence.Evidence, access *evidence.Object) []string {
	var ids []string
	for _, v := range e.Of(evidence.Accesses) {
		if v.Got == nil || v.Got.Metadata.UID != access.Metadata.UID {
			continue
		}
		for _, accessed := range v.Got.Status.AccessedBuckets {
			ids = append(ids, accessed.BucketID)
		}
	}
	for _, v := range e.Of(evidence.Buckets) {
		ref := v.Got
		if ref != nil && ref.BucketID() != "" && ref.Spec.BucketClaimRef.Namespace == access.Metadata.Namespace &&
			ref.Spec.BucketClaimRef.Name == access.Spec.BucketClaimName {
			ids = append(ids, ref.BucketID())
		}
	}
	return ids
}

// deviation returns the difference to the last of the allowed contents of a call, or nothing if
// none are known.
func deviation(e *evidence.Evidence, c evidence.Call, resource, key string, said fields, follows []fields) []Finding {
	if len(follows) == 0 || slices.ContainsFunc(follows, func(wanted fields) bool { return maps.Equal(said, wanted) }) {
		return nil
	}
	nearest := follows[len(follows)-1]
	var found []Finding
	for _, name := range slices.Sorted(maps.Keys(nearest)) {
		if said[name] != nearest[name] {
			found = append(found, Finding{
				Rule:    e.Rule(requestOf[c.Method]),
				Subject: evidence.Subject(resource, key), Events: []uint64{c.Seq},
				Message: fmt.Sprintf("%s was called with %s %s, but from %s %q follows %s",
					c.Method, name, said[name], evidence.KindOf(resource), key, nearest[name]),
			})
		}
	}
	return found
}
