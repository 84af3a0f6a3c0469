package checks

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/oracle/evidence"
	"github.com/cosi-emu/cosi-emu/internal/oracle/rule"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// foreignWrites finds writes to objects of another component. (KEP, "Controller overview": the
// minimal permissions of a sidecar. v1alpha1 leaves open who writes to claims, and who deletes accesses.)
func foreignWrites(e *evidence.Evidence) []Finding {
	var found []Finding
	for _, c := range e.Calls {
		if f, ok := foreignCall(e, c); ok {
			found = append(found, f)
		}
		found = append(found, foreignBuckets(e, c)...)
	}
	for _, v := range e.Versions {
		if !vocabulary.IsSidecar(v.Component) || !v.Write() {
			continue
		}
		if f, ok := foreignWrite(e, v); ok {
			f.Subject, f.Events = evidence.Subject(v.Resource, v.Key), []uint64{v.Seq}
			found = append(found, f)
		}
	}
	return slices.Concat(found, removedMetadata(e), editedSpecs(e))
}

// foreignCall finds calls with IDs that only objects of another driver have. Two drivers may use
// the same ID.
func foreignCall(e *evidence.Evidence, c evidence.Call) (Finding, bool) {
	driver := e.DriverNames[c.Component]
	if driver == "" {
		return Finding{}, false
	}
	var others []string
	for _, v := range e.Versions {
		if v.Got == nil || !about(c, v.Got, v.Resource) {
			continue
		}
		switch of := driverOf(v.Resource, v.Got); of {
		case driver:
			return Finding{}, false
		case "":
		default:
			others = append(others, of)
		}
	}
	if len(others) == 0 {
		return Finding{}, false
	}
	return Finding{
		Rule:    e.Rule(rule.ForeignCall),
		Subject: cmp.Or(c.Name, c.ID), Events: []uint64{c.Seq},
		Message: fmt.Sprintf("%s has called %s for %q, which is of driver %q, and not of its own, %q",
			c.Component, c.Method, cmp.Or(c.Name, c.ID), others[0], driver),
	}, true
}

// foreignBuckets finds buckets in a grant that only a Bucket of another driver has.
func foreignBuckets(e *evidence.Evidence, c evidence.Call) []Finding {
	driver := e.DriverNames[c.Component]
	if driver == "" || !c.Is(evidence.GrantAccess) {
		return nil
	}
	var found []Finding
	for _, id := range c.Buckets {
		owners := map[string]bool{}
		for _, v := range e.Of(evidence.Buckets) {
			if v.Got != nil && id != "" && v.Got.BucketID() == id {
				owners[v.Got.Spec.DriverName] = true
			}
		}
		delete(owners, "")
		if len(owners) == 0 || owners[driver] {
			continue
		}
		found = append(found, Finding{
			Rule:    e.Rule(rule.ForeignCall),
			Subject: "bucket " + id, Events: []uint64{c.Seq},
			Message: fmt.Sprintf("%s has called %s for bucket %q, which is of driver %q, and not of its own, %q",
				c.Component, c.Method, id, slices.Sorted(maps.Keys(owners))[0], driver),
		})
	}
	return found
}

func about(c evidence.Call, o *evidence.Object, resource string) bool {
	switch resource {
	case evidence.Buckets:
		return c.AsksForBucket() && c.Name == o.Metadata.Name ||
			c.Is(evidence.CreateBucket, evidence.GetBucket, evidence.DeleteBucket) && c.ID != "" && c.ID == o.BucketID()
	case evidence.Accesses:
		return c.IsV1alpha1 && c.IsFor(o) || c.Is(evidence.GrantAccess, evidence.RevokeAccess) && c.ID != "" && c.ID == o.Status.AccountID
	}
	return false
}

func driverOf(resource string, o *evidence.Object) string {
	if resource == evidence.Accesses {
		return o.Status.DriverName
	}
	return o.Spec.DriverName
}

// foreignWrite finds writes that a sidecar must not attempt, even if the API server rejects them.
func foreignWrite(e *evidence.Evidence, v evidence.Version) (Finding, bool) {
	switch v.Resource {
	case evidence.Buckets, evidence.Accesses:
		if v.Verb == "create" || v.Verb == "delete" && !e.IsV1alpha1() {
			return forbiddenWrite(e, v), true
		}
		return writeToAnother(e, v)
	case evidence.Claims:
		return forbiddenWrite(e, v), !e.IsV1alpha1()
	case evidence.Secrets:
		return writeToSecret(e, v)
	default:
		return forbiddenWrite(e, v), true
	}
}

func forbiddenWrite(e *evidence.Evidence, v evidence.Version) Finding {
	broken := rule.ForeignOthers
	switch v.Resource {
	case evidence.Claims:
		broken = rule.ForeignReadOnly
	case evidence.Buckets, evidence.Accesses:
		broken = rule.ForeignUnowned
	}
	return Finding{
		Rule:    e.Rule(broken),
		Message: fmt.Sprintf("%s has tried to %s %s %q: no sidecar may", v.Component, v.Verb, evidence.KindOf(v.Resource), v.Key),
	}
}

func writeToAnother(e *evidence.Evidence, v evidence.Version) (Finding, bool) {
	driver, o := e.DriverNames[v.Component], v.Got
	if o == nil {
		o = e.Known(v.Resource, v.Key, v)
		if o != nil && driverOf(v.Resource, o) == "" {
			return Finding{}, false // the response with the hand-off may have been lost
		}
	}
	if driver == "" || o == nil || driverOf(v.Resource, o) == driver || e.IsV1alpha1() && driverOf(v.Resource, o) == "" {
		return Finding{}, false // an access of v1alpha1 does not name its driver before it is granted
	}
	broken := rule.ForeignBucket
	if v.Resource == evidence.Accesses {
		broken = rule.ForeignAccess
	}
	return Finding{Rule: e.Rule(broken), Message: fmt.Sprintf("%s has tried to %s %s %q, which is of driver %q, and not of its own, %q",
		v.Component, v.Verb, evidence.KindOf(v.Resource), v.Key, driverOf(v.Resource, o), driver)}, true
}

// writeToSecret checks that a written Secret belongs to an access of the sidecar's driver.
func writeToSecret(e *evidence.Evidence, v evidence.Version) (Finding, bool) {
	o := v.Got
	if o == nil || o.Metadata.Name == "" { // the response to a deletion is a Status
		o = e.Known(v.Resource, v.Key, v)
	}
	if o == nil || v.Verb == "create" || v.Result == evidence.Rejected {
		return Finding{}, false
	}
	owner := cmp.Or(o.AccessOwner(), accessNaming(e, v))
	if owner == "" && changedByPerson(e, v) {
		return Finding{}, false
	}
	if owner == "" {
		return Finding{
			Rule:    e.Rule(rule.ForeignAccess),
			Message: fmt.Sprintf("%s has tried to %s Secret %q, which is of no BucketAccess", v.Component, v.Verb, v.Key),
		}, true
	}
	namespace, _, _ := strings.Cut(v.Key, "/")
	access := e.Known(evidence.Accesses, evidence.Key(namespace, owner), v)
	driver := e.DriverNames[v.Component]
	if driver == "" || access == nil || slices.Contains([]string{"", driver}, access.Status.DriverName) {
		return Finding{}, false
	}
	return Finding{
		Rule: e.Rule(rule.ForeignAccess),
		Message: fmt.Sprintf("%s has tried to %s Secret %q of an access of driver %q, and not of its own, %q",
			v.Component, v.Verb, v.Key, access.Status.DriverName, driver),
	}, true
}

// accessNaming returns the name of the access of v1alpha1 that names a Secret, or "". The upstream
// sidecar gives a Secret neither an owner nor an annotation.
func accessNaming(e *evidence.Evidence, v evidence.Version) string {
	if !e.IsV1alpha1() {
		return ""
	}
	namespace, name, _ := strings.Cut(v.Key, "/")
	access := latestAccess(e, func(o *evidence.Object) bool {
		return o.Metadata.Namespace == namespace && slices.ContainsFunc(o.Spec.BucketClaims, func(claim v1alpha2.BucketClaimAccess) bool {
			return claim.AccessSecretName == name
		})
	})
	if access == nil {
		return ""
	}
	return access.Metadata.Name
}
