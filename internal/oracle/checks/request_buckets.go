package checks

import (
	"fmt"
	"maps"
	"slices"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/oracle/evidence"
	"github.com/cosi-emu/cosi-emu/internal/oracle/rule"
)

// Names of the fields of a Bucket.
const (
	fieldDriver = "driverName"
	fieldPolicy = "deletionPolicy"
)

// wrongBuckets finds Buckets that a component has created for a claim, and whose spec does not
// follow from the claim and its class: no later call has the lost values. (KEP, "Creating a
// Bucket", 2.4.)
func wrongBuckets(e *evidence.Evidence) []Finding {
	var found []Finding
	for _, v := range e.Of(evidence.Buckets) {
		if v.Verb != "create" || v.ByPerson() || v.Result != evidence.Done || v.Asked == nil {
			continue
		}
		claim := claimByUID(e, v.Asked)
		if claim == nil || isEditedClass(e, claim.Spec.BucketClassName) {
			continue
		}
		said := bucketFields(v.Asked.Spec.DriverName, v.Asked.Spec.DeletionPolicy, v.Asked.Spec.Parameters, v.Asked.Spec.Protocols)
		var nearest fields
		for _, class := range classesOf(e, claim) {
			nearest = bucketFields(class.Spec.DriverName, class.Spec.DeletionPolicy, class.Spec.Parameters, claim.Spec.Protocols)
			if maps.Equal(said, nearest) {
				nearest = nil
				break
			}
		}
		for _, name := range slices.Sorted(maps.Keys(nearest)) {
			if said[name] != nearest[name] {
				found = append(found, Finding{
					Rule:    e.Rule(rule.RequestBucket),
					Subject: evidence.Subject(evidence.Buckets, v.Key), Events: []uint64{v.Seq},
					Message: fmt.Sprintf("Bucket %q was created with %s %s, but from BucketClaim %q and BucketClass %q follows %s",
						v.Key, name, said[name], claim.Key(), claim.Spec.BucketClassName, nearest[name]),
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
func isEditedClass(e *evidence.Evidence, name string) bool {
	return e.IsV1alpha1() && slices.ContainsFunc(e.Of(evidence.BucketClasses), func(v evidence.Version) bool {
		return v.Key == name && v.ByPerson() && v.Write()
	})
}

// claimByUID returns the claim of a Bucket, or nil.
func claimByUID(e *evidence.Evidence, bucket *evidence.Object) *evidence.Object {
	for _, v := range e.Of(evidence.Claims) {
		if v.Got != nil && v.Got.Metadata.UID != "" && v.Got.Metadata.UID == bucket.Spec.BucketClaimRef.UID && v.Got.Spec.BucketClassName != "" {
			return v.Got
		}
	}
	return nil
}

// classesOf returns the classes of a claim's class name that are older than the claim. The spec of
// a class is immutable, so a later observation is sufficient. A class that is newer than the claim
// may have taken the name of another. Creation times are whole seconds. A class without a driver is
// from a recording that has only names.
func classesOf(e *evidence.Evidence, claim *evidence.Object) []*v1alpha2.BucketClass {
	var all []*v1alpha2.BucketClass
	for _, m := range e.Moments() {
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
