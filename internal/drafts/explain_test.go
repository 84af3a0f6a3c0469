package drafts_test

import (
	"errors"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/cosi-emu/cosi-emu/internal/drafts"
)

func TestParse(t *testing.T) {
	for _, draft := range drafts.All() {
		if got, err := drafts.Parse(string(draft)); got != draft || err != nil {
			t.Errorf("Parse(%q) = %q, %v", draft, got, err)
		}
	}
	if _, err := drafts.Parse("two-modes"); err == nil || !strings.Contains(err.Error(), "kep and one-mode") {
		t.Errorf("Parse of an unknown draft: %v, want an error that lists the drafts", err)
	}
}

func TestExplain(t *testing.T) {
	const (
		v1alpha2 = "apiVersion: objectstorage.k8s.io/v1alpha2\n"
		access   = v1alpha2 + "kind: BucketAccess\nspec: {bucketClaims: [{bucketClaimName: a, "
		class    = v1alpha2 + "kind: BucketAccessClass\nspec: {disallowedBucketAccessModes: "
	)
	for name, tc := range map[string]struct {
		reason, object, rejection, want string
	}{
		"Earlier": {
			"the API server is of the KEP", access + "accessMode: ReadOnly}]}",
			`.spec.bucketClaims[name="a"].accessMode: field not declared in schema`,
			"write accessModes: {objectData: MODE}, or rewrite the manifest with 'cosi-emu convert --to kep'",
		},
		"EarlierList": {
			"the API server is of the KEP", class + "[WriteOnly]}", ".spec.disallowedBucketAccessModes: expected map, got &{[WriteOnly]}",
			"write disallowedBucketAccessModes: {objectData: [MODE]}, or rewrite the manifest with 'cosi-emu convert --to kep'",
		},
		"Later": {
			"the API server is of an earlier draft", access + "accessModes: {objectData: ReadOnly}}]}",
			`.spec.bucketClaims[name="a"].accessModes: field not declared in schema`, "'cosi-emu convert --to one-mode'",
		},
		"LaterList": {
			"the API server is of an earlier draft", class + "{objectData: [WriteOnly]}}",
			".spec.disallowedBucketAccessModes: expected list, got &{map[]}", "'cosi-emu convert --to one-mode'",
		},
		"OtherError": {"the mode is not the problem", access + "accessMode: ReadOnly}]}", "quota exceeded", ""},
		"OtherMode": {
			"the mode itself is wrong", access + "accessModes: {objectData: All}}]}", `accessModes.objectData: unsupported value "All"`, "",
		},
		"OtherVersion": {
			"no draft of v1alpha2", "apiVersion: v1\nkind: BucketAccess\nspec: {bucketClaims: [{accessMode: a}]}", ".accessMode: no", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			object := &unstructured.Unstructured{}
			if err := yaml.Unmarshal([]byte(tc.object), &object.Object); err != nil {
				t.Fatal(err)
			}
			rejection := errors.New(tc.rejection)
			got := drafts.Explain(object, rejection)
			if !errors.Is(got, rejection) || !strings.HasSuffix(got.Error(), tc.want) {
				t.Errorf("%s: Explain() = %v, want %q", tc.reason, got, tc.want)
			}
			if tc.want == "" && got.Error() != tc.rejection {
				t.Errorf("%s: Explain() = %v, want the rejection as it is", tc.reason, got)
			}
		})
	}
	if err := drafts.Explain(&unstructured.Unstructured{}, nil); err != nil {
		t.Errorf("Explain of no rejection = %v", err)
	}
}
