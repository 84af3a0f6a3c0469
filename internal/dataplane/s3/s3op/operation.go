// Package s3op identifies the operation of an S3 request, and the required permission. The table is
// an allow-list, because gofakes3 treats unknown sub-resources as the object or bucket itself: PUT
// key?tagging would overwrite the object.
package s3op

import "github.com/cosi-emu/cosi-emu/internal/store/authorization"

// Level is the level of a path: service, bucket or object.
type Level string

// The levels of operations.
const (
	Service Level = "service"
	Bucket  Level = "bucket"
	Object  Level = "object"
)

// Body is the kind of a request body.
type Body int

const (
	// NoBody ignores the body.
	NoBody Body = iota
	// Data is the content of an object.
	Data
	// Form is a form with fields and the content of an object.
	Form
	// Document is XML, with a small size limit.
	Document
	// RequiredDocument is a document that must not be empty.
	RequiredDocument
)

// Operation is one row of the table: how to identify an operation, and its requirements.
type Operation struct {
	// Name is S3's own, for example PutObject.
	Name string

	// Method and Level, together with Selects, identify the operation.
	Method string
	Level  Level
	// Selects are the required query parameters; the row with the most of them counts.
	Selects []string
	// CopySource reports whether the header X-Amz-Copy-Source is required.
	CopySource bool

	// Takes are the other supported query parameters. All others are rejected, because ignoring
	// them would change the meaning of the request.
	Takes []string
	// Conditions are the supported conditional headers.
	Conditions []string
	// Headers are the other supported headers of S3.
	Headers []string

	// Needs are permissions, any one of which is enough. With none, any access to
	// the bucket is enough.
	Needs []authorization.Need
	// AlsoNeeds are further permissions, any one of which is required.
	AlsoNeeds []authorization.Need
	// Reserved operations are only for the driver and for administrators' keys.
	Reserved bool
	// Administrative operations change settings of the storage, or permissions of others. Only an
	// administrator's key may use them.
	Administrative bool

	Body Body
	// Digest reports whether S3 requires a digest of the document.
	Digest bool
}

// Uploads reports whether the body is, or contains, the content of an object or a part.
func (o Operation) Uploads() bool { return o.Body == Data || o.Body == Form }

// Mutates reports whether the operation changes stored data.
func (o Operation) Mutates() bool {
	return o.Administrative || (len(o.Needs) > 0 && o.Needs[0].Direction == authorization.Write)
}
