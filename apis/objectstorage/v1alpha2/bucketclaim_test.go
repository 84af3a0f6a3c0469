package v1alpha2_test

import "testing"

const bucketClaim = `
apiVersion: objectstorage.k8s.io/v1alpha2
kind: BucketClaim
metadata:
  name: test
  namespace: default
spec:
  bucketClassName: standard
`

// KEP: API-CLAIM-SPEC-1, TEST-5
func TestBucketClaimCreate(t *testing.T) {
	testCreate(t, bucketClaim,
		required("spec"),
		resourceName("spec.bucketClassName"),
		optional("spec.protocols"), protocols("spec.protocols"),
		[]row{
			// KEP: LIFE-4
			{
				name: "both a class and an existing Bucket", edits: []edit{set("spec.existingBucketName", "archive")},
				rejected: []string{"spec"}, says: "exactly one of bucketClassName and existingBucketName",
			},
			// KEP: LIFE-4
			{
				name: "neither", edits: []edit{remove("spec.bucketClassName"), set("spec.protocols", strs("S3"))},
				rejected: []string{"spec"}, says: "exactly one of bucketClassName and existingBucketName",
			},
			{name: "an empty spec", edits: []edit{set("spec", map[string]any{})}, rejected: []string{"spec"}},
		},
	)
}

const staticBucketClaim = `
apiVersion: objectstorage.k8s.io/v1alpha2
kind: BucketClaim
metadata:
  name: test
  namespace: default
spec:
  existingBucketName: archive
`

// KEP: FLOW-STATIC-4.1, API-CLAIM-SPEC-3
func TestStaticBucketClaimCreate(t *testing.T) {
	testCreate(t, staticBucketClaim, resourceName("spec.existingBucketName"), protocols("spec.protocols"))
}

func testBucketClaimUpdate(t *testing.T) {
	testUpdate(t, bucketClaim,
		frozen("spec.bucketClassName", "standard", "other"),
		fixed("spec.protocols", strs("S3"), strs("S3", "GCS")),
		[]row{{
			name:     "a class cannot become an existing Bucket",
			edits:    []edit{remove("spec.bucketClassName"), set("spec.existingBucketName", "archive")},
			rejected: []string{"spec"}, says: "bucketClassName cannot be added or removed",
		}},
	)
	testUpdate(t, staticBucketClaim,
		frozen("spec.existingBucketName", "archive", "other"),
		[]row{{
			name:     "an existing Bucket cannot become a class",
			edits:    []edit{remove("spec.existingBucketName"), set("spec.bucketClassName", "standard")},
			rejected: []string{"spec"}, says: "existingBucketName cannot be added or removed",
		}},
	)
}

// KEP: API-CLAIM-STATUS-1, API-CLAIM-STATUS-2, API-CLAIM-STATUS-3
func TestBucketClaimStatus(t *testing.T) {
	testStatus(t, bucketClaim,
		statusOfAll(),
		optional("status.boundBucketName"), resourceName("status.boundBucketName"),
		writtenOnce("status.boundBucketName", "bc-one", "bc-two"),
		optional("status.protocols"), protocols("status.protocols"), mutable("status.protocols", strs("S3"), strs("GCS")),
		notRemovable("status.protocols", strs("S3")), []row{withholds("status.protocols", strs("S3"))},
	)
}
