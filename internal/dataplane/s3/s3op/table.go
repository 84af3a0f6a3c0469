package s3op

import (
	"net/http"
	"slices"

	"github.com/cosi-emu/cosi-emu/internal/store/authorization"
)

var (
	readHeaders  = []string{"If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since"}
	writeHeaders = []string{"If-Match", "If-None-Match"}
	lockHeaders  = []string{"X-Amz-Object-Lock-Mode", "X-Amz-Object-Lock-Retain-Until-Date", "X-Amz-Object-Lock-Legal-Hold"}
	attributes   = append([]string{"X-Amz-Server-Side-Encryption", "X-Amz-Tagging", "X-Amz-Website-Redirect-Location"}, lockHeaders...)
	listHeaders  = []string{"X-Amz-Optional-Object-Attributes"}
	bypass       = []string{"X-Amz-Bypass-Governance-Retention"}
	copyHeaders  = []string{
		"X-Amz-Copy-Source-If-Match", "X-Amz-Copy-Source-If-None-Match",
		"X-Amz-Copy-Source-If-Modified-Since", "X-Amz-Copy-Source-If-Unmodified-Since",
	}
	version   = []string{"versionId"}
	overrides = []string{
		"versionId", "partNumber",
		"response-cache-control", "response-content-disposition", "response-content-encoding",
		"response-content-language", "response-content-type", "response-expires",
	}
)

// table is the allow-list: an operation that is not in it is not implemented.
//
//nolint:lll // one operation a line
var table = []Operation{
	{Name: "ListBuckets", Method: http.MethodGet, Level: Service,
		Takes: []string{"prefix", "bucket-region", "continuation-token", "max-buckets"}},

	{Name: "CreateBucket", Method: http.MethodPut, Level: Bucket, Reserved: true, Body: Document,
		Headers: []string{"X-Amz-Bucket-Object-Lock-Enabled", "X-Amz-Object-Ownership"}},
	{Name: "DeleteBucket", Method: http.MethodDelete, Level: Bucket, Reserved: true},
	{Name: "HeadBucket", Method: http.MethodHead, Level: Bucket},
	{Name: "GetBucketLocation", Method: http.MethodGet, Level: Bucket, Selects: []string{"location"}},
	{Name: "ListObjects", Method: http.MethodGet, Level: Bucket, Needs: authorization.ReadData,
		Takes: []string{"prefix", "delimiter", "marker", "max-keys", "encoding-type"}, Headers: listHeaders},
	{Name: "ListObjectsV2", Method: http.MethodGet, Level: Bucket, Selects: []string{"list-type"}, Needs: authorization.ReadData,
		Takes: []string{"prefix", "delimiter", "continuation-token", "start-after", "max-keys", "encoding-type", "fetch-owner"}, Headers: listHeaders},
	{Name: "ListObjectVersions", Method: http.MethodGet, Level: Bucket, Selects: []string{"versions"}, Needs: authorization.ReadData,
		Takes: []string{"prefix", "delimiter", "key-marker", "version-id-marker", "max-keys", "encoding-type"}, Headers: listHeaders},
	{Name: "ListMultipartUploads", Method: http.MethodGet, Level: Bucket, Selects: []string{"uploads"}, Needs: authorization.WriteData,
		Takes: []string{"prefix", "delimiter", "key-marker", "upload-id-marker", "max-uploads", "encoding-type"}},
	{Name: "DeleteObjects", Method: http.MethodPost, Level: Bucket, Selects: []string{"delete"}, Needs: authorization.WriteData, Body: RequiredDocument, Digest: true,
		Headers: bypass},

	{Name: "GetObject", Method: http.MethodGet, Level: Object, Needs: authorization.ReadData, Takes: overrides, Conditions: readHeaders},
	{Name: "HeadObject", Method: http.MethodHead, Level: Object, Needs: authorization.ReadObject, Takes: overrides, Conditions: readHeaders},
	{Name: "GetObjectAttributes", Method: http.MethodGet, Level: Object, Selects: []string{"attributes"}, Needs: authorization.ReadObject, Takes: version,
		Headers: []string{"X-Amz-Object-Attributes", "X-Amz-Max-Parts", "X-Amz-Part-Number-Marker"}},
	{Name: "PutObject", Method: http.MethodPut, Level: Object, Needs: authorization.WriteData, Body: Data,
		Conditions: writeHeaders, Headers: attributes},
	{Name: "PostObject", Method: http.MethodPost, Level: Bucket, Needs: authorization.WriteData, Body: Form, Headers: attributes},
	{Name: "CopyObject", Method: http.MethodPut, Level: Object, CopySource: true, Needs: authorization.WriteData,
		Conditions: writeHeaders, Headers: slices.Concat(attributes, copyHeaders, []string{"X-Amz-Metadata-Directive", "X-Amz-Tagging-Directive"})},
	{Name: "DeleteObject", Method: http.MethodDelete, Level: Object, Needs: authorization.WriteData, Takes: version, Conditions: []string{"If-Match"},
		Headers: bypass},

	{Name: "CreateMultipartUpload", Method: http.MethodPost, Level: Object, Selects: []string{"uploads"}, Needs: authorization.WriteData,
		Headers: append([]string{"X-Amz-Metadata-Directive"}, attributes...)}, // s3cmd sends it, and S3 ignores it
	{Name: "UploadPart", Method: http.MethodPut, Level: Object, Selects: []string{"uploadId", "partNumber"}, Needs: authorization.WriteData, Body: Data},
	{Name: "UploadPartCopy", Method: http.MethodPut, Level: Object, Selects: []string{"uploadId", "partNumber"}, CopySource: true, Needs: authorization.WriteData,
		Headers: slices.Concat(copyHeaders, []string{"X-Amz-Copy-Source-Range"})},
	{Name: "ListParts", Method: http.MethodGet, Level: Object, Selects: []string{"uploadId"}, Needs: authorization.WriteData,
		Takes: []string{"max-parts", "part-number-marker", "encoding-type"}},
	{Name: "CompleteMultipartUpload", Method: http.MethodPost, Level: Object, Selects: []string{"uploadId"}, Needs: authorization.WriteData, Body: Document,
		Conditions: writeHeaders},
	{Name: "AbortMultipartUpload", Method: http.MethodDelete, Level: Object, Selects: []string{"uploadId"}, Needs: authorization.WriteData},

	{Name: "GetObjectTagging", Method: http.MethodGet, Level: Object, Selects: []string{"tagging"}, Needs: authorization.ReadObject, Takes: version},
	{Name: "PutObjectTagging", Method: http.MethodPut, Level: Object, Selects: []string{"tagging"}, Needs: authorization.WriteObjectMetadata, Takes: version, Body: RequiredDocument},
	{Name: "DeleteObjectTagging", Method: http.MethodDelete, Level: Object, Selects: []string{"tagging"}, Needs: authorization.WriteObjectMetadata, Takes: version},
	{Name: "GetBucketTagging", Method: http.MethodGet, Level: Bucket, Selects: []string{"tagging"}, Needs: authorization.ReadBucket},
	{Name: "PutBucketTagging", Method: http.MethodPut, Level: Bucket, Selects: []string{"tagging"}, Needs: authorization.WriteBucket, Body: RequiredDocument, Digest: true},
	{Name: "DeleteBucketTagging", Method: http.MethodDelete, Level: Bucket, Selects: []string{"tagging"}, Needs: authorization.WriteBucket},

	{Name: "GetBucketCors", Method: http.MethodGet, Level: Bucket, Selects: []string{"cors"}, Needs: authorization.ReadBucket},
	{Name: "PutBucketCors", Method: http.MethodPut, Level: Bucket, Selects: []string{"cors"}, Needs: authorization.WriteBucket, Body: RequiredDocument, Digest: true},
	{Name: "DeleteBucketCors", Method: http.MethodDelete, Level: Bucket, Selects: []string{"cors"}, Needs: authorization.WriteBucket},

	// Versioning changes the behavior of the storage, which the KEP keeps from users.
	{Name: "GetBucketVersioning", Method: http.MethodGet, Level: Bucket, Selects: []string{"versioning"}, Needs: authorization.ReadBucket},
	{Name: "PutBucketVersioning", Method: http.MethodPut, Level: Bucket, Selects: []string{"versioning"}, Administrative: true, Body: RequiredDocument},

	// The same applies to the default retention, but not to the lock of an object.
	{Name: "GetObjectLockConfiguration", Method: http.MethodGet, Level: Bucket, Selects: []string{"object-lock"}, Needs: authorization.ReadBucket},
	{Name: "PutObjectLockConfiguration", Method: http.MethodPut, Level: Bucket, Selects: []string{"object-lock"}, Administrative: true, Body: RequiredDocument, Digest: true},
	{Name: "GetObjectLegalHold", Method: http.MethodGet, Level: Object, Selects: []string{"legal-hold"}, Needs: authorization.ReadObject, Takes: version},
	{Name: "PutObjectLegalHold", Method: http.MethodPut, Level: Object, Selects: []string{"legal-hold"}, Needs: authorization.WriteObjectMetadata, Takes: version, Body: Document, Digest: true},
	{Name: "GetObjectRetention", Method: http.MethodGet, Level: Object, Selects: []string{"retention"}, Needs: authorization.ReadObject, Takes: version},
	{Name: "PutObjectRetention", Method: http.MethodPut, Level: Object, Selects: []string{"retention"}, Needs: authorization.WriteObjectMetadata, Takes: version, Body: Document, Digest: true,
		Headers: bypass},

	// Only grants give permissions. An ACL that matches the effective permissions changes nothing.
	{Name: "PutBucketAcl", Method: http.MethodPut, Level: Bucket, Selects: []string{"acl"}, Needs: authorization.WriteBucket, Body: Document},
	{Name: "PutObjectAcl", Method: http.MethodPut, Level: Object, Selects: []string{"acl"}, Needs: authorization.WriteObject, Takes: version, Body: Document},

	// Clients use these on ordinary buckets, and get S3's default responses.
	{Name: "GetBucketAccelerateConfiguration", Method: http.MethodGet, Level: Bucket, Selects: []string{"accelerate"}, Needs: authorization.ReadBucket},
	{Name: "GetBucketAcl", Method: http.MethodGet, Level: Bucket, Selects: []string{"acl"}, Needs: authorization.ReadBucket},
	{Name: "GetBucketEncryption", Method: http.MethodGet, Level: Bucket, Selects: []string{"encryption"}, Needs: authorization.ReadBucket},
	{Name: "GetBucketLifecycleConfiguration", Method: http.MethodGet, Level: Bucket, Selects: []string{"lifecycle"}, Needs: authorization.ReadBucket},
	{Name: "GetBucketLogging", Method: http.MethodGet, Level: Bucket, Selects: []string{"logging"}, Needs: authorization.ReadBucket},
	{Name: "GetBucketNotificationConfiguration", Method: http.MethodGet, Level: Bucket, Selects: []string{"notification"}, Needs: authorization.ReadBucket},
	{Name: "GetBucketOwnershipControls", Method: http.MethodGet, Level: Bucket, Selects: []string{"ownershipControls"}, Needs: authorization.ReadBucket},
	{Name: "GetBucketPolicy", Method: http.MethodGet, Level: Bucket, Selects: []string{"policy"}, Needs: authorization.ReadBucket},
	{Name: "GetBucketPolicyStatus", Method: http.MethodGet, Level: Bucket, Selects: []string{"policyStatus"}, Needs: authorization.ReadBucket},
	{Name: "GetBucketReplication", Method: http.MethodGet, Level: Bucket, Selects: []string{"replication"}, Needs: authorization.ReadBucket},
	{Name: "GetBucketRequestPayment", Method: http.MethodGet, Level: Bucket, Selects: []string{"requestPayment"}, Needs: authorization.ReadBucket},
	{Name: "GetBucketWebsite", Method: http.MethodGet, Level: Bucket, Selects: []string{"website"}, Needs: authorization.ReadBucket},
	{Name: "GetObjectAcl", Method: http.MethodGet, Level: Object, Selects: []string{"acl"}, Needs: authorization.ReadObject, Takes: version},
	{Name: "GetPublicAccessBlock", Method: http.MethodGet, Level: Bucket, Selects: []string{"publicAccessBlock"}, Needs: authorization.ReadBucket},
}

// Table returns all operations of the store.
func Table() []Operation {
	return slices.Clone(table)
}
