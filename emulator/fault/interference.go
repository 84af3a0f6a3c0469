package fault

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/glob"
	"github.com/cosi-emu/cosi-emu/internal/suggest"
)

// Interference is a change to an object by a person, or by another program.
type Interference string

// The interferences.
const (
	// Delete deletes an object in the background, as kubectl does by default.
	Delete Interference = "delete"
	// DeleteForeground deletes an object after its dependents.
	DeleteForeground Interference = "delete-foreground"
	// DeleteOrphan deletes an object, and keeps its dependents.
	DeleteOrphan Interference = "delete-orphan"
	// Recreate deletes an object, and creates it again under the same name once it is
	// gone.
	Recreate Interference = "recreate"
	// RecreateOtherSpec is like Recreate, but creates the object with another spec.
	RecreateOtherSpec Interference = "recreate-other-spec"
	// ForceDelete removes the finalizers of an object, and deletes it.
	ForceDelete Interference = "force-delete"
	// ForceRecreate removes the finalizers of an object, deletes it, and creates it again
	// under the same name at once.
	ForceRecreate Interference = "force-recreate"
	// ForceRecreateOtherSpec is like ForceRecreate, but creates the object with another spec.
	ForceRecreateOtherSpec Interference = "force-recreate-other-spec"
	// StripFinalizers removes all finalizers of an object.
	StripFinalizers Interference = "strip-finalizers"
	// StripOwners removes all owner references of an object.
	StripOwners Interference = "strip-owners"
	// FlipPolicy changes the deletion policy of a Bucket to the other one. No other field of a COSI
	// spec may be edited after the creation.
	FlipPolicy Interference = "flip-policy"
	// EditStatus changes the status by hand: it inverts readyToUse, removes all conditions, and
	// replaces the protocols of a BucketClaim. It also tries to change the immutable fields.
	EditStatus Interference = "edit-status"
	// EditMetadata sets a label and an annotation of another program.
	EditMetadata Interference = "edit-metadata"
	// StripMetadata removes all labels, and all annotations.
	StripMetadata Interference = "strip-metadata"
	// EditData changes all values of a Secret.
	EditData Interference = "edit-data"
	// MakeImmutable makes a Secret immutable.
	MakeImmutable Interference = "make-immutable"
)

// InterferenceAbout describes an interference and the kinds that it exists for.
type InterferenceAbout struct {
	Name  Interference
	Kinds []string
	About string
}

// The kinds that an interference can change.
var (
	cosiKinds   = []string{"BucketClaim", "BucketAccess", "Bucket"}
	classKinds  = []string{"BucketClass", "BucketAccessClass"}
	withStatus  = cosiKinds
	ofSecrets   = []string{"Secret"}
	ofBuckets   = []string{"Bucket"}
	withOwners  = []string{"Secret", "BucketClaim", "BucketAccess", "Bucket"}
	protected   = withOwners
	recreatable = slices.Concat(withOwners, classKinds)
	withSpec    = slices.Concat(cosiKinds, classKinds)
	anyObject   = append(slices.Clone(recreatable), "Namespace")
)

// Interferences returns all interferences.
func Interferences() []InterferenceAbout {
	return []InterferenceAbout{
		{Delete, anyObject, "the object is deleted, and its dependents in the background"},
		{DeleteForeground, anyObject, "the object is deleted after its dependents"},
		{DeleteOrphan, anyObject, "the object is deleted, and its dependents stay"},
		{Recreate, recreatable, "the object is deleted, and created again under the same name once it is gone"},
		{
			RecreateOtherSpec, withSpec,
			"the object is deleted, and created again with another spec under the same name once it is gone",
		},
		{ForceDelete, recreatable, "the finalizers are removed, and the object is deleted"},
		{ForceRecreate, recreatable, "the finalizers are removed, the object is deleted, and at once created again under the same name"},
		{
			ForceRecreateOtherSpec, withSpec,
			"the finalizers are removed, the object is deleted, and at once created again with another spec under the same name",
		},
		{StripFinalizers, protected, "all finalizers are removed"},
		{StripOwners, withOwners, "all owner references are removed"},
		{FlipPolicy, ofBuckets, "the deletion policy changes to the other one"},
		{
			EditStatus, withStatus, "readyToUse changes to the opposite, all conditions are removed, and the protocols of a BucketClaim change; " +
				"the API server rejects changes of the fields that are immutable",
		},
		{EditMetadata, anyObject, "a label and an annotation are added"},
		{StripMetadata, anyObject, "all labels and annotations are removed"},
		{EditData, ofSecrets, "all values change"},
		{MakeImmutable, ofSecrets, "the Secret becomes immutable"},
	}
}

// Find returns the description of an interference.
func (i Interference) Find() (InterferenceAbout, bool) {
	all := Interferences()
	at := slices.IndexFunc(all, func(a InterferenceAbout) bool { return a.Name == i })
	if at < 0 {
		return InterferenceAbout{}, false
	}
	return all[at], true
}

// Target returns the parts of Effect.Object.
func (e Effect) Target() (kind, namespace, name string) {
	parts := strings.Split(e.Object, "/")
	switch len(parts) {
	case 2:
		return parts[0], "", parts[1]
	case 3:
		return parts[0], parts[1], parts[2]
	default:
		return "", "", ""
	}
}

// Targets reports whether the interference changes an object.
func (e Effect) Targets(kind, namespace, name string) bool {
	k, ns, n := e.Target()
	return k == kind && glob.Match(n, name) && (ns == "" || glob.Match(ns, namespace))
}

// checkInterference finds interferences that do not exist for an object.
func (f Fault) checkInterference() string {
	if f.Interfere == "" {
		return ""
	}
	about, ok := f.Interfere.Find()
	if !ok {
		return fmt.Sprintf("unknown interference %q", f.Interfere) // checkAmounts lists the interferences
	}
	kind, namespace, name := f.Target()
	switch {
	case name == "":
		return fmt.Sprintf("interfere requires object as KIND/NAME or KIND/NAMESPACE/NAME, not %q", f.Object)
	case !slices.Contains(about.Kinds, kind):
		return fmt.Sprintf("%s does not exist for %q: %s", f.Interfere, kind, suggest.From(kind, about.Kinds))
	case f.After && strings.HasPrefix(f.Operation, journal.EventPrefix):
		return "after does not exist for events of a watch: the objects change before the component receives the event"
	case namespace != "" && !IsNamespaced(kind):
		return fmt.Sprintf("object is %q, but %s has no namespace: it must be KIND/NAME", f.Object, kind)
	}
	return ""
}

// IsNamespaced reports whether a kind that an interference can change has namespaces.
func IsNamespaced(kind string) bool {
	return slices.Contains([]string{"BucketClaim", "BucketAccess", "Secret"}, kind)
}
