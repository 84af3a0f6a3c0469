package oracle

import (
	"fmt"
	"maps"
	"slices"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// Names of the fields of a Bucket.
const (
	fieldDriver = "driverName"
	fieldPolicy = "deletionPolicy"
)

// wrongBuckets finds Buckets that a component has created for a claim, and whose spec does not
// follow from the claim and its class: no later call has the lost values. (KEP, "Creating a
// Bucket", 2.4.)
func (e *evidence) wrongBuckets() []Finding {
	var found []Finding
	for _, v := range e.of(buckets) {
		if v.verb != "create" || v.byPerson() || v.result != done || v.asked == nil {
			continue
		}
		claim := e.claimByUID(v.asked)
		if claim == nil || e.isEditedClass(claim.Spec.BucketClassName) {
			continue
		}
		said := bucketFields(v.asked.Spec.DriverName, v.asked.Spec.DeletionPolicy, v.asked.Spec.Parameters, v.asked.Spec.Protocols)
		var nearest fields
		for _, class := range e.classesOf(claim) {
			nearest = bucketFields(class.Spec.DriverName, class.Spec.DeletionPolicy, class.Spec.Parameters, claim.Spec.Protocols)
			if maps.Equal(said, nearest) {
				nearest = nil
				break
			}
		}
		for _, name := range slices.Sorted(maps.Keys(nearest)) {
			if said[name] != nearest[name] {
				found = append(found, Finding{
					Subject: subjectOf(buckets, v.key), Events: []uint64{v.seq},
					Message: fmt.Sprintf("Bucket %q was created with %s %s, but from BucketClaim %q and BucketClass %q follows %s",
						v.key, name, said[name], claim.key(), claim.Spec.BucketClassName, nearest[name]),
				})
				break
			}
		}
	}
	return found
}

func bucketFields(driver string, policy v1alpha2.DeletionPolicy, parameters map[string]string, protocols []v1alpha2.Protocol) fields {
	var names []string
	for _, p := range protocols {
		names = append(names, string(p))
	}
	return fields{
		fieldDriver: quote(driver), fieldPolicy: quote(string(policy)),
		fieldParameters: parametersOf(parameters), fieldProtocols: listOf(names),
	}
}

// isEditedClass reports whether a user has changed a BucketClass of v1alpha1, whose fields can be
// changed: the version of a Bucket is then unknown.
func (e *evidence) isEditedClass(name string) bool {
	return e.IsV1alpha1() && slices.ContainsFunc(e.of(bucketClasses), func(v version) bool {
		return v.key == name && v.byPerson() && v.write()
	})
}

// claimByUID returns the claim of a Bucket, or nil.
func (e *evidence) claimByUID(bucket *object) *object {
	for _, v := range e.of(claims) {
		if v.got != nil && v.got.Metadata.UID != "" && v.got.Metadata.UID == bucket.Spec.BucketClaimRef.UID && v.got.Spec.BucketClassName != "" {
			return v.got
		}
	}
	return nil
}

// classesOf returns the classes of a claim's class name that are older than the claim. The spec of
// a class is immutable, so a later observation is sufficient. A class that is newer than the claim
// may have taken the name of another. Creation times are whole seconds. A class without a driver is
// from a recording that has only names.
func (e *evidence) classesOf(claim *object) []*v1alpha2.BucketClass {
	var all []*v1alpha2.BucketClass
	for _, m := range e.moments() {
		for i := range m.Objects.BucketClasses {
			class := &m.Objects.BucketClasses[i]
			if class.Name == claim.Spec.BucketClassName && class.Spec.DriverName != "" &&
				class.CreationTimestamp.Time.Before(claim.Metadata.CreationTimestamp.Time) {
				all = append(all, class)
			}
		}
	}
	return all
}
