package authorization

import (
	"slices"

	"github.com/cosi-emu/cosi-emu/fakedriver"
)

// Category is one of the KEP's three kinds of access.
type Category string

// The categories of KEP-1979, section "BucketAccess Read/Write AccessMode".
const (
	ObjectData     Category = "object data"
	ObjectMetadata Category = "object metadata"
	BucketMetadata Category = "bucket metadata"
)

// Direction is read or write.
type Direction string

// The directions.
const (
	Read  Direction = "read"
	Write Direction = "write"
)

// Need is a permission.
type Need struct {
	Category  Category
	Direction Direction
}

// The needs of operations; any one of a list is enough.
//
// Reading metadata is allowed to keys that may read the data, because the KEP lets users "assume
// access also allows corresponding access to bucket and object metadata"; writing it is not
// implied.
var (
	ReadData            = []Need{{ObjectData, Read}}
	WriteData           = []Need{{ObjectData, Write}}
	ReadObject          = []Need{{ObjectData, Read}, {ObjectMetadata, Read}}
	WriteObject         = []Need{{ObjectData, Write}, {ObjectMetadata, Write}}
	WriteObjectMetadata = []Need{{ObjectMetadata, Write}}
	ReadBucket          = []Need{{BucketMetadata, Read}, {ObjectData, Read}}
	WriteBucket         = []Need{{BucketMetadata, Write}}
)

// Allows reports whether a grant covers one of the needs.
func Allows(grant fakedriver.Grant, needs []Need) bool {
	return slices.ContainsFunc(needs, func(need Need) bool {
		mode := modeOf(grant, need.Category)
		switch need.Direction {
		case Read:
			return mode == fakedriver.ReadOnly || mode == fakedriver.ReadWrite
		case Write:
			return mode == fakedriver.WriteOnly || mode == fakedriver.ReadWrite
		default:
			return false
		}
	})
}

func modeOf(grant fakedriver.Grant, category Category) fakedriver.AccessMode {
	switch category {
	case ObjectData:
		return grant.ObjectData
	case ObjectMetadata:
		return grant.ObjectMetadata
	case BucketMetadata:
		return grant.BucketMetadata
	default:
		return fakedriver.NoAccess
	}
}
