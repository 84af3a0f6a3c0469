package v1alpha2_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// edit changes one field of an object, by the name that the API server uses in its errors:
// spec.bucketClaims[0].bucketClaimName.
type edit struct {
	path  string
	value any
	gone  bool
}

func set(path string, value any) edit { return edit{path: path, value: value} }

func remove(path string) edit { return edit{path: path, gone: true} }

func apply(t *testing.T, obj *unstructured.Unstructured, edits []edit) {
	t.Helper()
	for _, e := range edits {
		path := strings.FieldsFunc(e.path, func(r rune) bool { return strings.ContainsRune(".[]", r) })
		if err := e.apply(obj.Object, path); err != nil {
			t.Fatalf("edit %s: %v", e.path, err)
		}
	}
}

func (e edit) apply(node any, path []string) error {
	switch node := node.(type) {
	case map[string]any:
		return e.applyToMap(node, path)
	case []any:
		i, err := strconv.Atoi(path[0])
		if err != nil || i >= len(node) || len(path) == 1 {
			return fmt.Errorf("no entry %q to change in a list of %d", path[0], len(node))
		}
		return e.apply(node[i], path[1:])
	default:
		return fmt.Errorf("%q is below a %T", path[0], node)
	}
}

func (e edit) applyToMap(node map[string]any, path []string) error {
	key := path[0]
	switch {
	case len(path) > 1:
		if node[key] == nil {
			node[key] = map[string]any{}
		}
		return e.apply(node[key], path[1:])
	case e.gone:
		delete(node, key)
	default:
		node[key] = e.value
	}
	return nil
}

// strs is a list as JSON decodes it.
func strs(values ...string) []any {
	list := make([]any, len(values))
	for i, value := range values {
		list[i] = value
	}
	return list
}

func entries(n int) map[string]any {
	m := map[string]any{}
	for i := range n {
		m[fmt.Sprintf("key-%d", i)] = "value"
	}
	return m
}

// TestUpdate checks which fields of each kind can change.
// KEP: LIFE-7
func TestUpdate(t *testing.T) {
	// KEP: CHANGE-3, USE-5, API-BUCKET-SPEC-6, API-BUCKET-MUT-1, API-BUCKET-MUT-2
	t.Run("Bucket", testBucketUpdate)
	t.Run("BucketClaim", testBucketClaimUpdate)
	// KEP: USE-5
	t.Run("BucketAccess", testBucketAccessUpdate)
	// KEP: CHANGE-3
	t.Run("BucketClass", testBucketClassUpdate)
	t.Run("BucketAccessClass", testBucketAccessClassUpdate)
}
