package v1alpha2_test

import "testing"

const (
	bucket = `
apiVersion: objectstorage.k8s.io/v1alpha2
kind: Bucket
metadata:
  name: test
spec:
  driverName: s3.example.com
  deletionPolicy: Retain
  bucketClaimRef:
    name: photos
    namespace: demo
`
	uid      = "01234567-89ab-cdef-0123-456789abcdef"
	otherUID = "01234567-89ab-cdef-0123-456789abcdee"
)

// KEP: CHANGE-1, FLOW-STATIC-1.3, API-BUCKET-SPEC-1, API-BUCKET-SPEC-2, API-BUCKET-SPEC-3
// KEP: API-BUCKET-SPEC-4, API-BUCKET-SPEC-7, TEST-2
func TestBucketCreate(t *testing.T) {
	testCreate(t, bucket,
		required("spec"),
		required("spec.driverName"), driverName("spec.driverName"),
		required("spec.deletionPolicy"), enum("spec.deletionPolicy", "Retain", "Delete"),
		optional("spec.parameters"), stringMap("spec.parameters", 512),
		optional("spec.protocols"), protocols("spec.protocols"),
		required("spec.bucketClaimRef"),
		required("spec.bucketClaimRef.name"), resourceName("spec.bucketClaimRef.name"),
		required("spec.bucketClaimRef.namespace"), namespaceName("spec.bucketClaimRef.namespace"),
		optional("spec.bucketClaimRef.uid"), uidRows("spec.bucketClaimRef.uid"),
		optional("spec.existingBucketID"), backendID("spec.existingBucketID"),
	)
}

func namespaceName(path string) []row {
	return append(length(path, 63),
		accepts(path, "dashes and digits", "team-1"),
		rejects(path, "a dot", "team.1"),
		rejects(path, "capitals", "Team"),
		rejects(path, "a dash at the end", "team-"),
	)
}

func uidRows(path string) []row {
	return []row{
		accepts(path, "a UUID", uid),
		rejects(path, "the empty string", ""),
		rejects(path, "capitals", "01234567-89AB-CDEF-0123-456789ABCDEF"),
		rejects(path, "a UUID without dashes", "0123456789abcdef0123456789abcdef"),
		rejects(path, "one character less", uid[1:]),
		rejects(path, "one character more", uid+"0"),
		rejects(path, "other characters", "g1234567-89ab-cdef-0123-456789abcdef"),
	}
}

func testBucketUpdate(t *testing.T) {
	testUpdate(t, bucket,
		frozen("spec.driverName", "one.example.com", "two.example.com"),
		mutable("spec.deletionPolicy", "Delete", "Retain"),
		mutable("spec.deletionPolicy", "Retain", "Delete"),
		fixed("spec.parameters", entries(1), entries(2)),
		fixed("spec.protocols", strs("S3"), strs("S3", "GCS")),
		enum("spec.deletionPolicy", "Retain", "Delete"),
		frozen("spec.bucketClaimRef.name", "photos", "videos"),
		frozen("spec.bucketClaimRef.namespace", "demo", "other"),
		setOnce("spec.bucketClaimRef.uid", uid, otherUID), uidRows("spec.bucketClaimRef.uid"),
		fixed("spec.existingBucketID", "one", "two"),
		[]row{
			{
				name: "a parameter cannot change", from: []edit{set("spec.parameters", map[string]any{"a": "1"})},
				edits: []edit{set("spec.parameters.a", "2")}, rejected: []string{"spec.parameters"},
			},
			{
				name: "the order of protocols says nothing", from: []edit{set("spec.protocols", strs("S3", "GCS"))},
				edits: []edit{set("spec.protocols", strs("GCS", "S3"))},
			},
			{
				name: "the namespace of the claim cannot be removed", edits: []edit{remove("spec.bucketClaimRef.namespace")},
				rejected: []string{"spec.bucketClaimRef.namespace"},
			},
		},
	)
}

// KEP: COND-ALL-2, API-BUCKET-STATUS-1, API-BUCKET-STATUS-2, API-BUCKET-STATUS-3
func TestBucketStatus(t *testing.T) {
	testStatus(t, bucket,
		statusOfAll(),
		optional("status.bucketID"), backendID("status.bucketID"), writtenOnce("status.bucketID", "one", "two"),
		optional("status.protocols"), protocols("status.protocols"), mutable("status.protocols", strs("S3"), strs("GCS")),
		notRemovable("status.protocols", strs("S3")), []row{withholds("status.protocols", strs("S3"))},
		optional("status.bucketInfo"), stringMap("status.bucketInfo", 128),
		mutable("status.bucketInfo", entries(1), entries(2)),
		[]row{{
			name: "status.bucketInfo may be removed", from: []edit{set("status.bucketInfo", entries(1))},
			edits: []edit{remove("status.bucketInfo")},
		}},
	)
}
