package v1alpha2_test

import (
	"fmt"
	"testing"
)

const bucketAccess = `
apiVersion: objectstorage.k8s.io/v1alpha2
kind: BucketAccess
metadata:
  name: test
  namespace: default
spec:
  bucketAccessClassName: standard
  protocol: S3
  bucketClaims:
    - bucketClaimName: photos
      accessSecretName: photos-credentials
      accessModes:
        objectData: ReadWrite
`

// claims are n entries of spec.bucketClaims, all different.
func claims(n int) []any {
	list := make([]any, n)
	for i := range n {
		list[i] = map[string]any{
			"bucketClaimName":  fmt.Sprintf("claim-%d", i),
			"accessSecretName": fmt.Sprintf("secret-%d", i),
			"accessModes":      map[string]any{"objectData": "ReadOnly"},
		}
	}
	return list
}

// accessed are n entries of status.accessedBuckets, all different.
func accessed(n int) []any {
	list := make([]any, n)
	for i := range n {
		list[i] = map[string]any{
			"bucketName":      fmt.Sprintf("bucket-%d", i),
			"bucketID":        fmt.Sprintf("id-%d", i),
			"bucketClaimName": fmt.Sprintf("claim-%d", i),
		}
	}
	return list
}

func reversed(list []any) []any { return []any{list[1], list[0]} }

// KEP: CHANGE-13, CHANGE-17, LIFE-5, FLOW-GRANT-1, API-ACCESS-1, API-ACCESS-MODE-1
// KEP: API-ACCESS-MODE-2, API-ACCESS-MODE-3, API-ACCESS-MODE-5, API-ACCESS-SPEC-1
// KEP: API-ACCESS-SPEC-2, API-ACCESS-SPEC-3, API-ACCESS-SPEC-5, API-ACCESS-SPEC-6
// KEP: API-ACCESS-SPEC-7
func TestBucketAccessCreate(t *testing.T) {
	const entry, modes = "spec.bucketClaims[0]", "spec.bucketClaims[0].accessModes"
	testCreate(t, bucketAccess,
		required("spec"),
		required("spec.bucketClaims"), listOf("spec.bucketClaims", claims),
		required(entry+".bucketClaimName"), resourceName(entry+".bucketClaimName"),
		required(entry+".accessSecretName"), resourceName(entry+".accessSecretName"),
		required(modes),
		[]row{rejects(modes, "no mode", map[string]any{})},
		enum(modes+".objectData", accessModes...),
		enum(modes+".objectMetadata", accessModes...),
		enum(modes+".bucketMetadata", accessModes...),
		[]row{
			accepts(modes, "object metadata alone", map[string]any{"objectMetadata": "WriteOnly"}),
			accepts(modes, "bucket metadata alone", map[string]any{"bucketMetadata": "ReadOnly"}),
			// The schema can compare entries by their keys only, so the sidecar rejects this.
			accepts("spec.bucketClaims", "one Secret twice", sameSecret()),
		},
		required("spec.bucketAccessClassName"), length("spec.bucketAccessClassName", 253),
		[]row{accepts("spec.bucketAccessClassName", "what is no name of an object", "No_Name")},
		required("spec.protocol"), protocol("spec.protocol"),
		optional("spec.serviceAccountName"), length("spec.serviceAccountName", 253),
	)
}

// listOf is a list of 1 to 128 entries with different keys.
func listOf(path string, entries func(int) []any) []row {
	twice := []any{entries(1)[0], entries(1)[0]}
	return []row{
		rejects(path, "no entry", entries(0)),
		accepts(path, "several", entries(2)),
		accepts(path, "the most entries", entries(128)),
		rejects(path, "one more", entries(129)),
		rejects(path, "one key twice", twice, path+"[1]"),
	}
}

func sameSecret() []any {
	list := claims(2)
	for _, entry := range list {
		entry.(map[string]any)["accessSecretName"] = "secret" //nolint:forcetypeassert // made above
	}
	return list
}

func testBucketAccessUpdate(t *testing.T) {
	const entry = "spec.bucketClaims[0]"
	testUpdate(t, bucketAccess,
		frozen("spec.bucketClaims", claims(1), claims(2)),
		frozen("spec.bucketClaims", claims(2), claims(1)),
		frozenClaim(frozen(entry+".bucketClaimName", "photos", "videos")),
		frozenClaim(frozen(entry+".accessSecretName", "one", "two")),
		frozenClaim(frozen(entry+".accessModes.objectData", "ReadWrite", "ReadOnly")),
		frozenClaim([]row{{
			name: "an access mode cannot be added", edits: []edit{set(entry+".accessModes.bucketMetadata", "ReadOnly")},
			rejected: []string{entry}, says: "immutable",
		}}),
		[]row{{
			name: "the order of claims says nothing", from: []edit{set("spec.bucketClaims", claims(2))},
			edits: []edit{set("spec.bucketClaims", reversed(claims(2)))},
		}},
		frozen("spec.bucketAccessClassName", "standard", "other"),
		frozen("spec.protocol", "S3", "GCS"),
		fixed("spec.serviceAccountName", "one", "two"),
	)
}

// frozenClaim is for rows about an entry of spec.bucketClaims that the rule of
// the list rejects.
func frozenClaim(rows []row) []row {
	for i := range rows {
		if rows[i].rejected != nil {
			rows[i].rejected = []string{"spec.bucketClaims"}
		}
	}
	return rows
}

// KEP: API-ACCESS-STATUS-1, API-ACCESS-STATUS-2, API-ACCESS-STATUS-3, TEST-2
func TestBucketAccessStatus(t *testing.T) {
	testStatus(t, bucketAccess,
		statusOfAll(),
		optional("status.accountID"), backendID("status.accountID"), writtenOnce("status.accountID", "one", "two"),
		optional("status.accessedBuckets"), listOf("status.accessedBuckets", accessed),
		accessedBucket(),
		writtenOnce("status.accessedBuckets", accessed(1), accessed(2)),
		optional("status.driverName"), driverName("status.driverName"),
		writtenOnce("status.driverName", "one.example.com", "two.example.com"),
		optional("status.authenticationType"), enum("status.authenticationType", authenticationTypes...),
		writtenOnce("status.authenticationType", "Key", "ServiceAccount"),
		optional("status.parameters"), stringMap("status.parameters", 512),
		writtenOnce("status.parameters", entries(1), entries(2)),
	)
}

// accessedBucket are the rules of an entry of status.accessedBuckets.
func accessedBucket() []row {
	const entry = "status.accessedBuckets[0]"
	rows := join(
		required(entry+".bucketName"), resourceName(entry+".bucketName"),
		required(entry+".bucketID"), backendID(entry+".bucketID"),
		required(entry+".bucketClaimName"), resourceName(entry+".bucketClaimName"),
	)
	for i := range rows {
		rows[i].edits = append([]edit{set("status.accessedBuckets", accessed(1))}, rows[i].edits...)
	}
	return rows
}
