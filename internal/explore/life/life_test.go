package life_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/internal/explore/life"
	"github.com/cosi-emu/cosi-emu/internal/explore/source"
)

// Lives are generated in no time. Loading one, with its expressions, takes some ms.
const generated, loaded = 300, 50

// TestGenerate verifies that lives are scenarios that can be explored, that a seed always gives the same one, and that all kinds of
// actions occur.
func TestGenerate(t *testing.T) {
	t.Parallel()
	everywhere := []string{
		"kind: BucketClaim", "kind: BucketAccess", "delete: BucketClaim/", "delete: BucketAccess/", "crash: sidecar", "crash: controller",
		"restart: ", "stop: sidecar", "start: sidecar", "Retain", "settle:",
	}
	fake := []string{
		"drivers: [", "crash: driver", `"sidecar.${drivers.two}"`, "existingBucketName", "put: k", "serviceAccountName",
	}
	newer := []string{"MultipleBuckets", "disallowedBucketAccessModes", "WriteOnly", "delete: Secret/", "patch: {Secret/", `delete: "Bucket/`}
	for name, tc := range map[string]struct {
		options     life.Options
		has, hasNot []string
	}{
		"V1alpha2":      {life.Options{Version: objectstorage.V1alpha2}, append(newer, fake...), nil},
		"V1alpha1":      {life.Options{Version: objectstorage.V1alpha1}, fake, newer},
		"PlainV1alpha2": {life.Options{Version: objectstorage.V1alpha2, Plain: true}, newer[3:], append(newer[:3:3], fake...)},
		"PlainV1alpha1": {life.Options{Version: objectstorage.V1alpha1, Plain: true}, nil, append(newer[:3:3], fake...)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var all strings.Builder
			for tc.options.Seed = range uint64(generated) {
				text := life.Generate(tc.options)
				all.Write(text)
				if diff := cmp.Diff(text, life.Generate(tc.options)); diff != "" {
					t.Fatalf("seed %d gives two lives: -first, +second:\n%s", tc.options.Seed, diff)
				}
				if tc.options.Seed >= loaded {
					continue
				}
				s, err := source.Load("life.yaml", text)
				if err != nil {
					t.Fatalf("seed %d: %v\n%s", tc.options.Seed, err, text)
				}
				if want := life.Name(tc.options.Version, tc.options.Seed); s.Name != want || s.API() != tc.options.Version {
					t.Errorf("seed %d is %q of %s, want %q of %s", tc.options.Seed, s.Name, s.API(), want, tc.options.Version)
				}
			}
			for _, words := range slices.Concat(everywhere, tc.has) {
				if !strings.Contains(all.String(), words) {
					t.Errorf("no life has %q", words)
				}
			}
			for _, words := range tc.hasNot {
				if strings.Contains(all.String(), words) {
					t.Errorf("a life has %q", words)
				}
			}
		})
	}
}
