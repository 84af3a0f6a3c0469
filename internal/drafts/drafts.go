// Package drafts has the drafts of the kinds of v1alpha2, which share the name of the version. It
// rewrites manifests between them, and explains errors of manifests of another draft.
package drafts

import (
	"fmt"
	"slices"
	"strings"
)

// Draft is a draft of the kinds of v1alpha2.
type Draft string

const (
	// KEP is v1alpha2 as defined in the KEP: an access mode for each category of permissions.
	KEP Draft = "kep"
	// OneMode is v1alpha2 in upstream's definitions of 2026: one access mode, which applies to the
	// object data.
	OneMode Draft = "one-mode"
)

// All returns the drafts, the current one first.
func All() []Draft { return []Draft{KEP, OneMode} }

// Names returns the names of all drafts.
func Names() []string {
	var names []string
	for _, draft := range All() {
		names = append(names, string(draft))
	}
	return names
}

// Parse returns the draft with a name.
func Parse(name string) (Draft, error) {
	if !slices.Contains(All(), Draft(name)) {
		return "", fmt.Errorf("unknown draft %q; the drafts are %s", name, strings.Join(Names(), " and "))
	}
	return Draft(name), nil
}

const (
	kindAccess      = "BucketAccess"
	kindAccessClass = "BucketAccessClass"

	fieldClaims     = "bucketClaims"
	fieldMode       = "accessMode"
	fieldModes      = "accessModes"
	fieldDisallowed = "disallowedBucketAccessModes"
	objectData      = "objectData"
)

// categories are the categories of the KEP's permissions.
var categories = []string{objectData, "objectMetadata", "bucketMetadata"}

// Field explains how the current draft expresses a field of an earlier draft, which has a value of
// the same kind, or is a list instead of an object. The path contains its kind and fields, such as
// BucketAccess.spec.bucketClaims.accessMode; Field returns "" for others.
func Field(path string) string {
	switch path {
	case kindAccess + ".spec." + fieldClaims + "." + fieldMode:
		return "it is of an earlier draft; write " + fieldModes + ": {" + objectData + ": MODE}"
	case kindAccessClass + ".spec." + fieldDisallowed:
		return "the list is of an earlier draft; write " + fieldDisallowed + ": {" + objectData + ": [MODE]}"
	default:
		return ""
	}
}
