package oracle

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// every means all labels, or all annotations.
const every = "*"

// removed returns the labels and annotations that a merge patch removes, as "annotation NAME".
func removed(patch []byte) []string {
	var change struct {
		Metadata map[string]json.RawMessage `json:"metadata"`
	}
	if json.Unmarshal(patch, &change) != nil {
		return nil
	}
	var names []string
	for _, field := range []string{"labels", "annotations"} {
		what := strings.TrimSuffix(field, "s") + " "
		if string(change.Metadata[field]) == "null" {
			names = append(names, what+every)
			continue
		}
		var entries map[string]*string
		_ = json.Unmarshal(change.Metadata[field], &entries) // an unreadable patch removes nothing
		for name, value := range entries {
			if value == nil {
				names = append(names, what+name)
			}
		}
	}
	return names
}

// removedMetadata finds writes that remove other writers' metadata from an object: labels,
// annotations and finalizers that are not COSI's.
func (e *evidence) removedMetadata() []Finding {
	var found []Finding
	for _, v := range e.versions {
		if !v.write() || v.byPerson() || v.result != done || v.asked == nil {
			continue
		}
		before := e.known(v.resource, v.key, v.seq)
		if before == nil || v.got == nil || before.Metadata.UID != v.got.Metadata.UID {
			continue
		}
		for _, what := range v.removedFrom(before) {
			found = append(found, Finding{
				Subject: subjectOf(v.resource, v.key), Events: []uint64{v.seq},
				Message: fmt.Sprintf("%s has removed the %s of %s %q, which is not COSI's", v.component, what, kinds[v.resource], v.key),
			})
		}
	}
	return found
}

// removedFrom returns the metadata of others that a write removes from an object.
func (v version) removedFrom(before *object) []string {
	var names []string
	for what, entries := range map[string]map[string]string{"label": before.Metadata.Labels, "annotation": before.Metadata.Annotations} {
		for name := range entries {
			if !isCOSI(name) && (slices.Contains(v.removes, what+" "+every) || slices.Contains(v.removes, what+" "+name)) {
				names = append(names, what+" "+name)
			}
		}
	}
	// A user may have removed a finalizer since, unless the write is locked to that version.
	locked := v.asked.Metadata.ResourceVersion != "" && v.asked.Metadata.ResourceVersion == before.Metadata.ResourceVersion
	for _, finalizer := range before.Metadata.Finalizers {
		if locked && v.releases && !isCOSI(finalizer) && !slices.Contains(v.got.Metadata.Finalizers, finalizer) {
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
func (e *evidence) editedSpecs() []Finding {
	var found []Finding
	for _, v := range e.versions {
		if v.verb != "patch" || v.byPerson() || v.result != done || v.asked == nil || v.got == nil {
			continue
		}
		before := e.known(v.resource, v.key, v.seq)
		if field := v.editedField(before); field != "" {
			found = append(found, Finding{
				Subject: subjectOf(v.resource, v.key), Events: []uint64{v.seq},
				Message: fmt.Sprintf("%s has changed %s of %s %q: a spec belongs to its user", v.component, field, kinds[v.resource], v.key),
			})
		}
	}
	return found
}

// editedField returns the field of a spec that a patch has changed, or "".
func (v version) editedField(before *object) string {
	asked := v.asked.Spec
	if before == nil || before.Metadata.UID != v.got.Metadata.UID {
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
