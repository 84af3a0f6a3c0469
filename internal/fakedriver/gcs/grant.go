package gcs

import "github.com/cosi-emu/cosi-emu/fakedriver"

// category is one of the KEP's kinds of access, in "BucketAccess Read/Write
// AccessMode".
type category func(fakedriver.Grant) fakedriver.AccessMode

func objectData(g fakedriver.Grant) fakedriver.AccessMode     { return g.ObjectData }
func objectMetadata(g fakedriver.Grant) fakedriver.AccessMode { return g.ObjectMetadata }
func bucketMetadata(g fakedriver.Grant) fakedriver.AccessMode { return g.BucketMetadata }

// need is a permission: a category and, in it, to read or to write.
type need struct {
	category category
	mode     fakedriver.AccessMode // ReadOnly or WriteOnly
}

func (n need) isCovered(grant fakedriver.Grant) bool {
	mode := n.category(grant)
	return mode == fakedriver.ReadWrite || mode == n.mode
}

// What operations need; any one of them is enough. They are those of S3.
var (
	readData      = []need{{objectData, fakedriver.ReadOnly}}
	writeData     = []need{{objectData, fakedriver.WriteOnly}}
	readObject    = []need{{objectData, fakedriver.ReadOnly}, {objectMetadata, fakedriver.ReadOnly}}
	writeMetadata = []need{{objectMetadata, fakedriver.WriteOnly}}
	readBucket    = []need{{bucketMetadata, fakedriver.ReadOnly}, {objectData, fakedriver.ReadOnly}}
)

func covers(grant fakedriver.Grant, needs []need) bool {
	for _, need := range needs {
		if need.isCovered(grant) {
			return true
		}
	}
	return false
}
