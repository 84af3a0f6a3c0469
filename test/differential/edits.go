package differential

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// words are values that some field accepts, or nearly.
var words = []string{
	"", "one", "two", "S3", "Azure", "GCS", "s3", "Key", "ServiceAccount", "Retain", "Delete", "ReadWrite", "ReadOnly", "WriteOnly",
	"SingleBucket", "MultipleBuckets", "Upper", "with space", "-dash", "dot.", "under_score", "a/b", "ö", "id-2",
	"11111111-2222-3333-4444-555555555555", "22222222-2222-3333-4444-555555555555", "not-a-uid",
	"2026-01-01T00:00:00Z", "2026-13-01T00:00:00Z", "True", "Unknown", "Opaque", "cosi.example/a", "cosi.example",
	"User", "Group", "ClusterRole", "Normal", "Warning", "*",
	strings.Repeat("a", 64), strings.Repeat("b", 254), strings.Repeat("c", 2049),
}

// added are fields that objects may have, or not.
var added = [][]string{
	{"spec", "parameters"}, {"spec", "parameters", "k"}, {"spec", "protocols"}, {"spec", "protocols", "1"}, {"spec", "existingBucketName"},
	{"spec", "bucketClassName"}, {"spec", "existingBucketID"}, {"spec", "serviceAccountName"}, {"spec", "bucketClaimRef", "uid"},
	{"spec", "bucketClaims", "1"}, {"spec", "multiBucketAccess"}, {"spec", "disallowedBucketAccessModes"}, {"spec", "unknown"},
	{"spec", "disallowedBucketAccessModes", "objectData"}, {"unknown"}, {"spec"}, {"status"}, {"data"}, {"data", "k"}, {"stringData", "k"},
	{"immutable"}, {"type"}, {"metadata", "labels", "k"}, {"metadata", "annotations", "k"}, {"metadata", "labels"},
	{"metadata", "finalizers"}, {"metadata", "finalizers", "0"}, {"metadata", "ownerReferences"}, {"metadata", "generation"},
	{"metadata", "deletionTimestamp"}, {"metadata", "unknown"}, {"rules"}, {"subjects"}, {"secrets"}, {"imagePullSecrets"},
	{"series"}, {"count"}, {"related"}, {"spec", "renewTime"}, {"spec", "scopes"}, {"aggregationRule"}, {"spec", "finalizers"},
}

// addedStatus are the fields below a status.
var addedStatus = [][]string{
	{"status"}, {"status", "readyToUse"}, {"status", "accountID"}, {"status", "accessedBuckets"}, {"status", "driverName"},
	{"status", "authenticationType"}, {"status", "parameters"}, {"status", "boundBucketName"}, {"status", "protocols"}, {"status", "bucketID"},
	{"status", "conditions"}, {"status", "unknown"}, {"status", "bucketInfo"}, {"status", "protocols", "1"},
}

// edit draws a change of an object.
func (g *generator) edit(k *kind, object map[string]any) edit {
	if k.Metadata {
		return g.editBelow(k, object, []string{"metadata", "labels"})
	}
	return g.editBelow(k, object, nil)
}

// editBelow draws a change of a value below a path.
func (g *generator) editBelow(k *kind, object map[string]any, below []string) edit {
	isBelow := func(path []string) bool { return len(path) >= len(below) && slices.Equal(path[:len(below)], below) }
	changes := slices.DeleteFunc(slices.Clone(k.Changes), func(e edit) bool { return !isBelow(e.Path) })
	if len(changes) > 0 && g.chance(20) {
		return pick(g.random, changes)
	}
	paths := leaves(object)
	switch {
	case slices.Equal(below, []string{"status"}):
		paths = append(paths, addedStatus...)
	default:
		paths = append(paths, added...)
	}
	paths = slices.DeleteFunc(paths, func(path []string) bool {
		return protected(path) || !isBelow(path) || k.isFixed(path)
	})
	if len(paths) == 0 {
		return edit{Path: []string{"metadata", "labels", "k"}, Value: g.value(1)}
	}
	path := pick(g.random, paths)
	if g.chance(25) {
		return edit{Path: path, Remove: true}
	}
	if before, ok := at(object, path).(string); ok && g.chance(50) {
		return edit{Path: path, Value: before + pick(g.random, []string{"x", "-2", "!", "X"})} // of the same form, or nearly
	}
	return edit{Path: path, Value: g.value(2)}
}

// value draws a value. Most are strings, as most fields are.
func (g *generator) value(depth int) any {
	switch n := g.random.IntN(20); {
	case n < 11:
		return pick(g.random, words)
	case n < 13 && depth > 0:
		return []any{g.value(depth - 1)}
	case n < 14 && depth > 0:
		same := g.value(depth - 1)
		return []any{same, same}
	case n < 17 && depth > 0:
		return g.small(depth)
	default:
		return pick(g.random, []any{nil, true, false, 0, 1, -1, 1.5, 1 << 40, []any{}, map[string]any{}})
	}
}

// small draws a map with fields that objects have.
func (g *generator) small(depth int) map[string]any {
	keys := []string{
		"a", "name", "namespace", "kind", "uid", "bucketClaimName", "accessSecretName", "objectData", "bucketName", "bucketID", "type",
	}
	drawn := map[string]any{}
	for range 1 + g.random.IntN(2) {
		drawn[pick(g.random, keys)] = g.value(depth - 1)
	}
	return maps.Clone(drawn)
}

// at returns the value at a path.
func at(object any, path []string) any {
	for _, key := range path {
		switch in := object.(type) {
		case map[string]any:
			object = in[key]
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i >= len(in) {
				return nil
			}
			object = in[i]
		default:
			return nil
		}
	}
	return object
}
