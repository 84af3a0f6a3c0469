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

func TestBucketClassCreate(t *testing.T) {
	testCreate(t, bucketClass,
		required("spec"),
		required("spec.driverName"), driverName("spec.driverName"),
		required("spec.deletionPolicy"), enum("spec.deletionPolicy", "Retain", "Delete"),
		optional("spec.parameters"), stringMap("spec.parameters", 512),
	)
}

func TestBucketClassUpdate(t *testing.T) {
	testUpdate(t, bucketClass, frozenSpec(
		set("spec.driverName", "other.example.com"),
		set("spec.deletionPolicy", "Retain"),
		set("spec.parameters", entries(1)),
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

func TestBucketAccessClassCreate(t *testing.T) {
	const modes = "spec.disallowedBucketAccessModes"
	testCreate(t, bucketAccessClass,
		required("spec"),
		required("spec.driverName"), driverName("spec.driverName"),
		required("spec.authenticationType"), enum("spec.authenticationType", authenticationTypes...),
		optional("spec.parameters"), stringMap("spec.parameters", 512),
		optional("spec.multiBucketAccess"), enum("spec.multiBucketAccess", "SingleBucket", "MultipleBuckets"),
		optional(modes),
		[]row{refuses(modes, "no mode", map[string]any{})},
		smallSet(modes+".objectData", accessModes...),
		smallSet(modes+".objectMetadata", accessModes...),
		smallSet(modes+".bucketMetadata", accessModes...),
	)
}

func TestBucketAccessClassUpdate(t *testing.T) {
	testUpdate(t, bucketAccessClass, frozenSpec(
		set("spec.driverName", "other.example.com"),
		set("spec.authenticationType", "ServiceAccount"),
		set("spec.parameters", entries(1)),
		set("spec.multiBucketAccess", "MultipleBuckets"),
		set("spec.disallowedBucketAccessModes.objectData", strs("ReadWrite")),
	))
}

// frozenSpec says that none of the edits of a class is accepted, and that its
// metadata may change.
func frozenSpec(edits ...edit) []row {
	rows := []row{{name: "labels may change", edits: []edit{set("metadata.labels.team", "storage")}}}
	for _, e := range edits {
		rows = append(rows, row{
			name: e.path + " cannot change", edits: []edit{e}, refused: []string{"spec"}, says: "spec is immutable",
		})
	}
	return rows
}
