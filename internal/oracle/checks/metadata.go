package checks

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/oracle/evidence"
	"github.com/cosi-emu/cosi-emu/internal/oracle/rule"
)

// removedMetadata finds writes that remove other writers' metadata from an object: labels,
// annotations and finalizers that are not COSI's.
func removedMetadata(e *evidence.Evidence) []Finding {
	var found []Finding
	for _, v := range e.Versions {
		if !v.Write() || v.ByPerson() || v.Result != evidence.Done || v.Asked == nil {
			continue
		}
		before := e.Known(v.Resource, v.Key, v)
		if before == nil || v.Got == nil || before.Metadata.UID != v.Got.Metadata.UID {
			continue
		}
		for _, what := range removedFrom(v, before) {
			found = append(found, Finding{
				Rule:    e.Rule(rule.ForeignSpec),
				Subject: evidence.Subject(v.Resource, v.Key), Events: []uint64{v.Seq},
				Message: fmt.Sprintf("%s has removed the %s of %s %q, which is not COSI's", v.Component, what, evidence.KindOf(v.Resource), v.Key),
			})
		}
	}
	return found
}

// removedFrom returns the metadata of others that a write removes from an object.
func removedFrom(v evidence.Version, before *evidence.Object) []string {
	var names []string
	for what, entries := range map[string]map[string]string{"label": before.Metadata.Labels, "annotation": before.Metadata.Annotations} {
		for name := range entries {
			if !isCOSI(name) && v.Removes(what, name) {
				names = append(names, what+" "+name)
			}
		}
	}
	// A user may have removed a finalizer since, unless the write is locked to that version.
	locked := v.Asked.Metadata.ResourceVersion != "" && v.Asked.Metadata.ResourceVersion == before.Metadata.ResourceVersion
	for _, finalizer := range before.Metadata.Finalizers {
		if locked && v.Releases && !isCOSI(finalizer) && !slices.Contains(v.Got.Metadata.Finalizers, finalizer) {
			names = append(names, "finalizer "+finalizer)
		}
	}
	slices.Sort(names)
	return names
}

func isCOSI(name string) bool {
	return strings.HasPrefix(name, v1alpha2.GroupName+"/") || strings.HasPrefix(name, "objectstorage.k8.io/")
}

// editedSpecs finds writes to a spec, which belongs to users and administrators. A component writes
// only the UID of the claim that a Bucket is bound to. (KEP, "Sharing an existing bucket".)
func editedSpecs(e *evidence.Evidence) []Finding {
	var found []Finding
	for _, v := range e.Versions {
		if v.Verb != "patch" || v.ByPerson() || v.Result != evidence.Done || v.Asked == nil || v.Got == nil {
			continue
		}
		before := e.Known(v.Resource, v.Key, v)
		if field := editedField(v, before); field != "" {
			found = append(found, Finding{
				Rule:    e.Rule(rule.ForeignSpec),
				Subject: evidence.Subject(v.Resource, v.Key), Events: []uint64{v.Seq},
				Message: fmt.Sprintf("%s has changed %s of %s %q: a spec belongs to its user", v.Component, field, evidence.KindOf(v.Resource), v.Key),
			})
		}
	}
	return found
}

// editedField returns the field of a spec that a patch has changed, or "".
func editedField(v evidence.Version, before *evidence.Object) string {
	asked := v.Asked.Spec
	if before == nil || before.Metadata.UID != v.Got.Metadata.UID {
		return ""
	}
	switch was := before.Spec; {
	case asked.DeletionPolicy != "" && asked.DeletionPolicy != was.DeletionPolicy:
		return "spec.deletionPolicy"
	case asked.DriverName != "" && asked.DriverName != was.DriverName:
		return "spec.driverName"
	case len(asked.Parameters) > 0 && parametersOf(asked.Parameters) != parametersOf(was.Parameters):
		return "spec.parameters"
	case len(asked.BucketClaims) > 0 && fmt.Sprint(asked.BucketClaims) != fmt.Sprint(was.BucketClaims):
		return "spec.bucketClaims"
	default:
		return ""
	}
}
