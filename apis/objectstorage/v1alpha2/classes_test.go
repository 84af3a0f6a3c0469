package v1alpha2_test

import "testing"

var (
	accessModes         = []string{"ReadWrite", "ReadOnly", "WriteOnly"}
	authenticationTypes = []string{"Key", "ServiceAccount"}
)

const bucketClass = `
apiVersion: objectstorage.k8s.io/v1alpha2
kind: BucketClass
metadata:
  name: test
spec:
  driverName: s3.example.com
  deletionPolicy: Delete
`

// KEP: CHANGE-1, API-CLASS-1, API-CLASS-2, API-CLASS-3
func TestBucketClassCreate(t *testing.T) {
	testCreate(t, bucketClass,
		required("spec"),
		required("spec.driverName"), driverName("spec.driverName"),
		required("spec.deletionPolicy"), enum("spec.deletionPolicy", "Retain", "Delete"),
		optional("spec.parameters"), stringMap("spec.parameters", 512),
	)
}

func testBucketClassUpdate(t *testing.T) {
	testUpdate(t, bucketClass, frozenSpec(
		frozen("spec.driverName", "one.example.com", "two.example.com"),
		frozen("spec.deletionPolicy", "Delete", "Retain"),
		fixed("spec.parameters", entries(1), entries(2)),
	))
}

const bucketAccessClass = `
apiVersion: objectstorage.k8s.io/v1alpha2
kind: BucketAccessClass
metadata:
  name: test
spec:
  driverName: s3.example.com
  authenticationType: Key
`

// KEP: CHANGE-15, API-ACCESSCLASS-1, API-ACCESSCLASS-2, API-ACCESSCLASS-3
func TestBucketAccessClassCreate(t *testing.T) {
	const modes = "spec.disallowedBucketAccessModes"
	testCreate(t, bucketAccessClass,
		required("spec"),
		required("spec.driverName"), driverName("spec.driverName"),
		required("spec.authenticationType"), enum("spec.authenticationType", authenticationTypes...),
		optional("spec.parameters"), stringMap("spec.parameters", 512),
		optional("spec.multiBucketAccess"), enum("spec.multiBucketAccess", "SingleBucket", "MultipleBuckets"),
		optional(modes),
		[]row{rejects(modes, "no mode", map[string]any{})},
		smallSet(modes+".objectData", accessModes...),
		smallSet(modes+".objectMetadata", accessModes...),
		smallSet(modes+".bucketMetadata", accessModes...),
	)
}

func testBucketAccessClassUpdate(t *testing.T) {
	testUpdate(t, bucketAccessClass, frozenSpec(
		frozen("spec.driverName", "one.example.com", "two.example.com"),
		frozen("spec.authenticationType", "Key", "ServiceAccount"),
		fixed("spec.parameters", entries(1), entries(2)),
		fixed("spec.multiBucketAccess", "SingleBucket", "MultipleBuckets"),
		fixed("spec.disallowedBucketAccessModes", disallowed("ReadOnly"), disallowed("ReadOnly", "WriteOnly")),
	))
}

func disallowed(modes ...string) map[string]any { return map[string]any{"objectData": strs(modes...)} }

// frozenSpec is for rows about the fields of a class, whose spec is immutable as a whole. Its
// metadata may change.
func frozenSpec(tables ...[]row) []row {
	rows := flatten(tables)
	for i := range rows {
		if rows[i].rejected != nil {
			rows[i].rejected, rows[i].says = []string{"spec"}, "spec is immutable"
		}
	}
	return append(rows, row{name: "labels may change", edits: []edit{set("metadata.labels.team", "storage")}})
}
