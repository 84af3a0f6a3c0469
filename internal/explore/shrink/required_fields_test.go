package shrink

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestIsRequired(t *testing.T) {
	s, err := newTree("topical.yaml", []byte(`apiVersion: cosi-emu/v1alpha1
kind: Scenario
name: needed
steps:
  - apply: {kind: BucketClaim, metadata: {name: photos}, spec: {bucketClassName: any, protocols: [S3]}}
  - apply:
    - kind: BucketAccess
      metadata: {name: app, labels: {a: b}}
      spec:
        protocol: S3
        serviceAccountName: app
        bucketClaims: [{bucketClaimName: photos, accessSecretName: key}]
  - expect: {BucketClaim/photos: {spec: {protocol: S3}}}
`))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range s.paths() {
		if !s.isRequired(p) {
			continue
		}
		name := "an item"
		if parent, i := s.at(p[:len(p)-1]), p[len(p)-1]; i%2 == 1 {
			name = parent.Content[i-1].Value
		}
		got = append(got, name)
	}
	slices.Sort(got)
	want := []string{"accessSecretName", "an item", "an item", "bucketClaimName", "bucketClaims", "protocol", "spec", "spec"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}
