// Package operation lists what every client is asked to do. It exists so that
// the programs in five languages, the table and its order speak of the same
// things by the same names.
package operation

// ID names an operation, also to programs that are not written in Go.
type ID string

// Operation is a row of the table.
type Operation struct {
	ID ID
	// Title is how the documentation calls it.
	Title string
	// Proof says what a client must have seen for it to count as working.
	Proof string
	// Versioned is set if it is done in a bucket that keeps versions.
	Versioned bool
}

// The operations.
const (
	PutGet           ID = "put-get"
	Head             ID = "head"
	Delete           ID = "delete"
	List             ID = "list"
	Paginate         ID = "paginate"
	Delimiter        ID = "delimiter"
	ListBuckets      ID = "list-buckets"
	Range            ID = "range"
	Copy             ID = "copy"
	CopyParts        ID = "copy-parts"
	Multipart        ID = "multipart"
	Stream           ID = "stream"
	Sync             ID = "sync"
	Move             ID = "move"
	DeleteMany       ID = "delete-many"
	OddKeys          ID = "odd-keys"
	Metadata         ID = "metadata"
	Headers          ID = "headers"
	ObjectTagging    ID = "object-tagging"
	BucketTagging    ID = "bucket-tagging"
	Attributes       ID = "attributes"
	Versions         ID = "versions"
	OldVersion       ID = "old-version"
	Undelete         ID = "undelete"
	PutCondition     ID = "put-condition"
	GetCondition     ID = "get-condition"
	PresignedGet     ID = "presigned-get"
	PresignedPut     ID = "presigned-put"
	CRC32            ID = "crc32"
	CRC32C           ID = "crc32c"
	SHA1             ID = "sha1"
	SHA256           ID = "sha256"
	CRC64NVME        ID = "crc64nvme"
	WrongSecret      ID = "wrong-secret"
	UnknownKey       ID = "unknown-key"
	Anonymous        ID = "anonymous"
	OtherBucket      ID = "other-bucket"
	SignatureV2      ID = "signature-v2"
	PresignedGetV2   ID = "presigned-get-v2"
	PostPolicyUpload ID = "post-policy"
)
