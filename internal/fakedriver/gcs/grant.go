package gcs

import "github.com/cosi-emu/cosi-emu/internal/fakedriver/store"

// category is one of the KEP's kinds of access, in "BucketAccess Read/Write
// AccessMode".
type category func(store.Grant) store.Mode

func objectData(g store.Grant) store.Mode     { return g.ObjectData }
func objectMetadata(g store.Grant) store.Mode { return g.ObjectMetadata }
func bucketMetadata(g store.Grant) store.Mode { return g.BucketMetadata }

// need is a permission: a category and, in it, to read or to write.
type need struct {
	category category
	mode     store.Mode // ReadOnly or WriteOnly
}

func (n need) isCovered(grant store.Grant) bool {
	mode := n.category(grant)
	return mode == store.ReadWrite || mode == n.mode
}

// What operations need; any one of them is enough. They are those of S3.
var (
	readData      = []need{{objectData, store.ReadOnly}}
	writeData     = []need{{objectData, store.WriteOnly}}
	readObject    = []need{{objectData, store.ReadOnly}, {objectMetadata, store.ReadOnly}}
	writeMetadata = []need{{objectMetadata, store.WriteOnly}}
	readBucket    = []need{{bucketMetadata, store.ReadOnly}, {objectData, store.ReadOnly}}
)

func covers(grant store.Grant, needs []need) bool {
	for _, need := range needs {
		if need.isCovered(grant) {
			return true
		}
	}
	return false
}
