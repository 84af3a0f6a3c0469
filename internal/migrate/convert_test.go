package migrate_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/drafts"
	"github.com/cosi-emu/cosi-emu/internal/migrate"
)

const (
	// otherDocument is not changed by any draft.
	otherDocument = "# kept\napiVersion: v1\nkind:   ConfigMap\nmetadata: {name: a}   # as it is\n"

	oneModeDocument = `apiVersion: objectstorage.k8s.io/v1alpha2
kind: BucketAccess
metadata:
  namespace: demo
  name: reader
spec:
  # the team's bucket
  bucketClaims:
    - bucketClaimName: photos
      accessMode: ReadOnly # never writes
      accessSecretName: photos-reader
      note: unknown
`
	kepDocument = `apiVersion: objectstorage.k8s.io/v1alpha2
kind: BucketAccess
metadata:
  namespace: demo
  name: reader
spec:
  # the team's bucket
  bucketClaims:
    - bucketClaimName: photos
      accessModes:
        objectData: ReadOnly # never writes
      accessSecretName: photos-reader
      note: unknown
`
	classHead = "apiVersion: objectstorage.k8s.io/v1alpha2\nkind: BucketAccessClass\nmetadata:\n  name: key\nspec:\n"
	jsonHead  = `{"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "objectstorage.k8s.io/v1alpha2", "kind": "BucketAccess", ` +
		`"metadata": {"name": "a"}, "spec": {"bucketClaims": [`
	jsonTail = `]}}]}`
)

func TestConvert(t *testing.T) {
	for name, tc := range map[string]struct {
		reason     string
		from, want string
		to         drafts.Draft
		changes    []string
	}{
		"ToKEP": {
			"comments, unknown fields and other documents stay", otherDocument + "---\n" + oneModeDocument + "--- # c\n" + otherDocument,
			otherDocument + "---\n" + kepDocument + "--- # c\n" + otherDocument, drafts.KEP,
			[]string{"f:15: BucketAccess demo/reader: spec.bucketClaims[0].accessMode is now accessModes.objectData"},
		},
		"ToOneMode": {
			"the way back", "---\n" + kepDocument, "---\n" + oneModeDocument, drafts.OneMode,
			[]string{"f:11: BucketAccess demo/reader: spec.bucketClaims[0].accessModes is now accessMode"},
		},
		"KEPToKEP":         {"there is nothing to do", kepDocument, kepDocument, drafts.KEP, nil},
		"OneModeToOneMode": {"there is nothing to do", oneModeDocument, oneModeDocument, drafts.OneMode, nil},
		"Class": {
			"the layout of lists stays", classHead + "  disallowedBucketAccessModes:\n  - WriteOnly\n  - ReadWrite\n",
			classHead + "  disallowedBucketAccessModes:\n    objectData:\n    - WriteOnly\n    - ReadWrite\n", drafts.KEP,
			[]string{"f:6: BucketAccessClass key: spec.disallowedBucketAccessModes is now disallowedBucketAccessModes.objectData"},
		},
		"ClassBack": {
			"categories that are equal",
			classHead + "  disallowedBucketAccessModes: {objectData: [ReadWrite, WriteOnly], bucketMetadata: [WriteOnly, ReadWrite]}\n",
			classHead + "  disallowedBucketAccessModes: [ReadWrite, WriteOnly]\n", drafts.OneMode,
			[]string{"f:6: BucketAccessClass key: spec.disallowedBucketAccessModes.objectData is now disallowedBucketAccessModes"},
		},
		"JSONList": {
			"JSON is YAML",
			jsonHead + `{"accessMode": "ReadWrite"}` + jsonTail,
			jsonHead + `{"accessModes": {objectData: "ReadWrite"}}` + jsonTail + "\n",
			drafts.KEP, []string{"f:1: BucketAccess a: spec.bucketClaims[0].accessMode is now accessModes.objectData"},
		},
		"OtherVersion": {
			"the field is not that of a draft", strings.Replace(oneModeDocument, "v1alpha2", "v1alpha1", 1),
			strings.Replace(oneModeDocument, "v1alpha2", "v1alpha1", 1), drafts.KEP, nil,
		},
		"Nothing": {"an empty file", "", "", drafts.KEP, nil},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := migrate.Convert("f", []byte(tc.from), tc.to)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, string(got.Text)); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.changes, got.Changes); diff != "" {
				t.Errorf("%s: changes -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestConvertRejects(t *testing.T) {
	modes := func(modes string) string {
		const old = "accessModes:\n        objectData: ReadOnly # never writes\n"
		return strings.Replace(kepDocument, old, "accessModes: {"+modes+"}\n", 1)
	}
	const at = "f:10: BucketAccess demo/reader: spec.bucketClaims[0]."
	for name, tc := range map[string]struct {
		reason, from string
		to           drafts.Draft
		want         []string
	}{
		"Categories": {
			"one mode cannot say it", modes("objectData: ReadWrite, bucketMetadata: ReadOnly"), drafts.OneMode,
			[]string{at + "accessModes cannot be converted to one-mode: bucketMetadata differs from objectData"},
		},
		"MetadataOnly": {
			"the mode would also be that of the data", modes("objectMetadata: ReadOnly"), drafts.OneMode, []string{"it has no objectData"},
		},
		"UnknownCategory": {
			"its meaning would be lost", modes("objectData: ReadOnly, tags: ReadOnly"), drafts.OneMode, []string{`unknown category "tags"`},
		},
		"Both": {
			"one of them is wrong", strings.Replace(kepDocument, "      note: unknown\n", "      accessMode: ReadOnly\n", 1), drafts.KEP,
			[]string{"accessMode cannot be converted to kep: there is also accessModes"},
		},
		"NoMode": {
			"a mode is a text", strings.Replace(oneModeDocument, "ReadOnly", "{objectData: ReadOnly}", 1), drafts.KEP,
			[]string{at + "accessMode cannot be converted to kep: it must be one mode"},
		},
		"Class": {
			"one list cannot say it",
			classHead + "  disallowedBucketAccessModes: {objectData: [ReadWrite], objectMetadata: [WriteOnly]}\n", drafts.OneMode,
			[]string{"f:6: BucketAccessClass key: spec.disallowedBucketAccessModes cannot be converted", "objectMetadata differs"},
		},
		"All": {
			"both errors are there", modes("objectMetadata: ReadOnly") + "---\n" + modes("objectMetadata: ReadOnly"), drafts.OneMode,
			[]string{"f:10: ", "f:23: "},
		},
		"Syntax": {"it is no YAML", "a: [\n", drafts.KEP, []string{"f:1: invalid YAML"}},
		"NoKind": {"it is no object", "a: b\n", drafts.KEP, []string{"f:1: not a Kubernetes object"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := migrate.Convert("f", []byte(tc.from), tc.to)
			if !errors.Is(err, migrate.ErrInput) {
				t.Fatalf("%s: Convert() = %v, want ErrInput", tc.reason, err)
			}
			for _, want := range tc.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%s: Convert() = %v, want an error with %q", tc.reason, err, want)
				}
			}
		})
	}
}
