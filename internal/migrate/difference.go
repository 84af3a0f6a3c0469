package migrate

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// differences returns a line for each field in which an existing object differs from the wanted
// one. COSI's additions are ignored: annotations, labels, and the UID of a bound claim.
func differences(wanted, existing *unstructured.Unstructured) []string {
	var lines []string
	if existing.GetDeletionTimestamp() != nil {
		lines = append(lines, "metadata.deletionTimestamp: it is being deleted")
	}
	for _, field := range []string{"labels", "annotations"} {
		want, _, _ := unstructured.NestedStringMap(wanted.Object, "metadata", field) // the API server checks wanted
		got, _, _ := unstructured.NestedStringMap(existing.Object, "metadata", field)
		for _, key := range slices.Sorted(maps.Keys(want)) {
			if value, found := got[key]; !found || value != want[key] {
				lines = append(lines, difference(fmt.Sprintf("metadata.%s[%s]", field, key), optional(value, found), want[key]))
			}
		}
	}
	want, _, _ := unstructured.NestedMap(wanted.Object, "spec")
	got, _, _ := unstructured.NestedMap(existing.Object, "spec")
	if _, found, _ := unstructured.NestedString(want, "bucketClaimRef", "uid"); !found {
		unstructured.RemoveNestedField(got, "bucketClaimRef", "uid")
	}
	return appendDifferences(lines, "spec", got, want)
}

// appendDifferences compares maps field by field, and other values as a whole.
func appendDifferences(lines []string, path string, got, want any) []string {
	gotMap, isMap := got.(map[string]any)
	wantMap, bothMaps := want.(map[string]any)
	if !isMap || !bothMaps {
		if !equality.Semantic.DeepEqual(got, want) {
			lines = append(lines, difference(path, got, want))
		}
		return lines
	}
	keys := map[string]any{}
	maps.Copy(keys, gotMap)
	maps.Copy(keys, wantMap)
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		lines = appendDifferences(lines, path+"."+key, gotMap[key], wantMap[key])
	}
	return lines
}

func optional(value string, found bool) any {
	if !found {
		return nil
	}
	return value
}

func difference(path string, got, want any) string {
	return fmt.Sprintf("%s: it is %s, not %s", path, shown(got), shown(want))
}

func shown(value any) string {
	if value == nil {
		return "unset"
	}
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(text)
}
