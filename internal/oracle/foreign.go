package oracle

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// foreignWrites finds writes to objects of another component. (KEP, "Controller overview": the
// minimal permissions of a sidecar.)
func foreignWrites(e *evidence) []Finding {
	var found []Finding
	for _, c := range e.calls {
		if f, ok := e.foreignCall(c); ok {
			found = append(found, f)
		}
	}
	for _, v := range e.versions {
		if !vocabulary.IsSidecar(v.component) || !v.write() {
			continue
		}
		if f, ok := e.foreignWrite(v); ok {
			f.Subject, f.Events = subjectOf(v.resource, v.key), []uint64{v.seq}
			found = append(found, f)
		}
	}
	return slices.Concat(found, e.removedMetadata(), e.editedSpecs())
}

// foreignCall finds calls with IDs that only objects of another driver have. Two drivers may use
// the same ID.
func (e *evidence) foreignCall(c call) (Finding, bool) {
	driver := e.drivers[c.component]
	if driver == "" {
		return Finding{}, false
	}
	var others []string
	for _, v := range e.versions {
		if v.got == nil || !about(c, v.got, v.resource) {
			continue
		}
		switch of := driverOf(v.resource, v.got); of {
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
		Subject: cmp.Or(c.name, c.id), Events: []uint64{c.seq},
		Message: fmt.Sprintf("%s has called %s for %q, which is of driver %q, and not of its own, %q",
			c.component, c.method, cmp.Or(c.name, c.id), others[0], driver),
	}, true
}

func about(c call, o *object, resource string) bool {
	switch resource {
	case buckets:
		return c.asksForBucket() && c.name == o.Metadata.Name ||
			c.is(createBucket, getBucket, deleteBucket) && c.id != "" && c.id == o.bucketID()
	case accesses:
		return c.isV1alpha1 && c.isFor(o) || c.is(grantAccess, revokeAccess) && c.id != "" && c.id == o.Status.AccountID
	}
	return false
}

func (c call) asksForBucket() bool {
	return c.method == generateBucketID || c.isV1alpha1 && c.method == createBucket
}

func (c call) asksForAccount() bool {
	return c.method == generateAccountID || c.isV1alpha1 && c.method == grantAccess
}

// isFor reports whether a call has the name of the account of an access.
func (c call) isFor(access *object) bool {
	return c.asksForAccount() && c.name == v1alpha2.AccountNameForAccess(access.Metadata.UID)
}

func driverOf(resource string, o *object) string {
	if resource == accesses {
		return o.Status.DriverName
	}
	return o.Spec.DriverName
}

// foreignWrite finds writes that a sidecar must not attempt, even if the API server rejects them.
func (e *evidence) foreignWrite(v version) (Finding, bool) {
	switch v.resource {
	case buckets, accesses:
		if v.verb == "create" || v.verb == "delete" {
			return Finding{Message: fmt.Sprintf("%s has tried to %s %s %q: no sidecar may", v.component, v.verb, kinds[v.resource], v.key)}, true
		}
		return e.writeToAnother(v)
	case secrets:
		return e.writeToSecret(v)
	default:
		return Finding{Message: fmt.Sprintf("%s has tried to %s %s %q: no sidecar may", v.component, v.verb, kinds[v.resource], v.key)}, true
	}
}

func (e *evidence) writeToAnother(v version) (Finding, bool) {
	driver, o := e.drivers[v.component], v.got
	if o == nil {
		o = e.known(v.resource, v.key, v.seq)
		if o != nil && driverOf(v.resource, o) == "" {
			return Finding{}, false // the response with the hand-off may have been lost
		}
	}
	if driver == "" || o == nil || driverOf(v.resource, o) == driver || e.IsV1alpha1() && driverOf(v.resource, o) == "" {
		return Finding{}, false // an access of v1alpha1 does not name its driver before it is granted
	}
	return Finding{Message: fmt.Sprintf("%s has tried to %s %s %q, which is of driver %q, and not of its own, %q",
		v.component, v.verb, kinds[v.resource], v.key, driverOf(v.resource, o), driver)}, true
}

// writeToSecret checks that a written Secret belongs to an access of the sidecar's driver.
func (e *evidence) writeToSecret(v version) (Finding, bool) {
	o := v.got
	if o == nil || o.Metadata.Name == "" { // the response to a deletion is a Status
		o = e.known(v.resource, v.key, v.seq)
	}
	if o == nil || v.verb == "create" || v.result == rejected {
		return Finding{}, false
	}
	owner := o.accessOwner()
	if owner == "" && e.changedByPerson(v) {
		return Finding{}, false
	}
	if owner == "" {
		return Finding{Message: fmt.Sprintf("%s has tried to %s Secret %q, which is of no BucketAccess", v.component, v.verb, v.key)}, true
	}
	namespace, _, _ := strings.Cut(v.key, "/")
	access := e.known(accesses, keyOf(namespace, owner), v.seq)
	driver := e.drivers[v.component]
	if driver == "" || access == nil || slices.Contains([]string{"", driver}, access.Status.DriverName) {
		return Finding{}, false
	}
	return Finding{Message: fmt.Sprintf("%s has tried to %s Secret %q of an access of driver %q, and not of its own, %q",
		v.component, v.verb, v.key, access.Status.DriverName, driver)}, true
}
