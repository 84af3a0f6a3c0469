package render_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/cosi-emu/cosi-emu/internal/scenario/match"
	"github.com/cosi-emu/cosi-emu/internal/scenario/render"
)

// TestDifferences verifies that a difference of an object has no value of a Secret, and says what keeps an object that
// must be absent.
func TestDifferences(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		reason, object string
		in             match.Difference
		want           string
	}{
		"NotDeleted": {
			"No deletion was asked for.", "{kind: Bucket, metadata: {name: b}}",
			match.Difference{Want: "absent", Got: "{}"}, "it: want absent, got Bucket b, which is not being deleted",
		},
		"Kept": {
			"Finalizers keep it.",
			"{kind: BucketAccess, metadata: {name: app, deletionTimestamp: '2026-01-02T03:04:05Z', finalizers: [x.test/a, y.test/b]}}",
			match.Difference{Want: "absent", Got: "{}"},
			"it: want absent, got BucketAccess app, which is being deleted, with the finalizers x.test/a, y.test/b",
		},
		"Dependents": {
			"A deletion in the foreground.", "{kind: Bucket, metadata: {name: b, deletionTimestamp: '2026-01-02T03:04:05Z'}}",
			match.Difference{Want: "absent", Got: "{}"}, "it: want absent, got Bucket b, which is being deleted",
		},
		"Field": {
			"The value of a field helps.", "{kind: Bucket, metadata: {name: b}}",
			match.Difference{Path: "spec.x", Want: "absent", Got: "y"}, "spec.x: want absent, got y",
		},
		"WholeSecret": {
			"Its data are not for reports.", "{kind: Secret, metadata: {name: key}, data: {a: eA==}}",
			match.Difference{Want: "size(self) == 0", Got: `{"data":{"a":"eA=="}}`},
			"it: want size(self) == 0, got Secret key, which is not being deleted",
		},
		"SecretValue": {
			"Nor is one of them.", "{kind: Secret, metadata: {name: key}, data: {a: eA==}}",
			match.Difference{Path: "stringData.a", Want: "y", Got: "x"}, "stringData.a: want y, got ***redacted***",
		},
		"SecretValueMissing": {
			"There is nothing to hide.", "{kind: Secret, metadata: {name: key}}",
			match.Difference{Path: "data.a", Want: "y"}, "data.a: want y, got nothing",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var object map[string]any
			if err := yaml.Unmarshal([]byte(tc.object), &object); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, render.Differences(object, []match.Difference{tc.in})[0].String()); diff != "" {
				t.Errorf("%s -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
	in := []match.Difference{{Path: "a", Want: "x"}}
	if diff := cmp.Diff(in, render.Differences(match.Missing, in)); diff != "" {
		t.Errorf("of no object: -want, +got:\n%s", diff)
	}
}
