package shrink

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/cosi-emu/cosi-emu/internal/explore/source"
)

const topical = `apiVersion: cosi-emu/v1alpha1
kind: Scenario
name: topical
steps:
  - apply:
      - {kind: BucketClaim, metadata: {name: photos}}
      - {kind: BucketAccess, metadata: {name: app}, spec: {bucketClaims: [{bucketClaimName: photos, accessSecretName: key}]}}
  - expect: {BucketClaim/photos: present, BucketAccess/app: present}
  - s3: {secret: key, put: hello}
  - s3: {secret: key, get: hello}
  - delete: [BucketAccess/app, BucketClaim/photos]
  - expect: {Secret/key: absent}
`

func TestWithoutObject(t *testing.T) {
	s, err := newTree("topical.yaml", []byte(topical))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for reduced := range (candidate{tree: s}).withoutObject() {
		text, err := yaml.Marshal(source.Field(reduced.tree.root, "steps"))
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(text))
	}
	for _, test := range []struct {
		name, reason string
		at           int
		want         []string
	}{
		{
			name: "the access", reason: "steps that use its Secret, and empty steps, are removed with it", at: 0,
			want: []string{
				"apply:", "- {kind: BucketClaim, metadata: {name: photos}}",
				"expect: {BucketClaim/photos: present}", "delete: [BucketClaim/photos]",
			},
		},
		{
			name: "the verb s3", reason: "all steps of a verb are removed together", at: 1,
			want: []string{
				"apply:", "- {kind: BucketClaim, metadata: {name: photos}}",
				"- {kind: BucketAccess, metadata: {name: app}, spec: {bucketClaims: [{bucketClaimName: photos, accessSecretName: key}]}}",
				"expect: {BucketClaim/photos: present, BucketAccess/app: present}",
				"delete: [BucketAccess/app, BucketClaim/photos]", "expect: {Secret/key: absent}",
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.at >= len(got) {
				t.Fatalf("%d candidates, want more than %d: %q", len(got), test.at, got)
			}
			if diff := cmp.Diff(test.want, lines(got[test.at])); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", test.reason, diff)
			}
		})
	}
}

func lines(text string) []string {
	all := strings.Split(strings.TrimSpace(text), "\n")
	for i, line := range all {
		line = strings.TrimSpace(line)
		if line = strings.TrimPrefix(line, "- "); strings.HasPrefix(line, "{") {
			line = "- " + line
		}
		all[i] = line
	}
	return all
}

// TestRemoveLastObject verifies that an empty scenario is not a candidate: everything depends on
// the claim.
func TestRemoveLastObject(t *testing.T) {
	s, err := newTree("topical.yaml", []byte(topical))
	if err != nil {
		t.Fatal(err)
	}
	claim := s.applied()[0]
	if s.removeObject(claim) {
		text, _ := s.text()
		t.Errorf("something is left of a scenario of which all depends on %s:\n%s", "its claim", text)
	}
}
