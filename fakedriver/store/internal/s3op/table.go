package s3op

import (
	"net/http"
	"slices"
)

var (
	readData    = []Need{{ObjectData, Read}}
	writeData   = []Need{{ObjectData, Write}}
	readObject  = []Need{{ObjectData, Read}, {ObjectMetadata, Read}}
	readBucket  = []Need{{BucketMetadata, Read}, {ObjectData, Read}}
	readHeaders = []string{"If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since"}
	overrides   = []string{
		"response-cache-control", "response-content-disposition", "response-content-encoding",
		"response-content-language", "response-content-type", "response-expires",
	}
)

// table is the allow-list: an operation that is not in it is not implemented.
//
// Reading metadata is allowed to whoever may read the data, because the KEP lets
// users "assume access also allows corresponding access to bucket and object
// metadata"; writing it is not implied.
var table = []Operation{
	{Name: "ListBuckets", Method: http.MethodGet, Level: Service},

	{Name: "CreateBucket", Method: http.MethodPut, Level: Bucket, Reserved: true, Body: Document},
	{Name: "DeleteBucket", Method: http.MethodDelete, Level: Bucket, Reserved: true},
	{Name: "HeadBucket", Method: http.MethodHead, Level: Bucket},
	{Name: "GetBucketLocation", Method: http.MethodGet, Level: Bucket, Selects: []string{"location"}},
	{Name: "ListObjects", Method: http.MethodGet, Level: Bucket, Needs: readData,
		Takes: []string{"prefix", "delimiter", "marker", "max-keys", "encoding-type"}},
	{Name: "ListObjectsV2", Method: http.MethodGet, Level: Bucket, Selects: []string{"list-type"}, Needs: readData,
		Takes: []string{"prefix", "delimiter", "continuation-token", "start-after", "max-keys", "encoding-type", "fetch-owner"}},
	{Name: "ListMultipartUploads", Method: http.MethodGet, Level: Bucket, Selects: []string{"uploads"}, Needs: writeData,
		Takes: []string{"prefix", "delimiter", "key-marker", "upload-id-marker", "max-uploads", "encoding-type"}},
	{Name: "DeleteObjects", Method: http.MethodPost, Level: Bucket, Selects: []string{"delete"}, Needs: writeData, Body: Document},

	{Name: "GetObject", Method: http.MethodGet, Level: Object, Needs: readData, Takes: overrides, Conditions: readHeaders},
	{Name: "HeadObject", Method: http.MethodHead, Level: Object, Needs: readObject, Takes: overrides, Conditions: readHeaders},
	{Name: "PutObject", Method: http.MethodPut, Level: Object, Needs: writeData, Body: Data,
		Conditions: []string{"If-Match", "If-None-Match"}},
	{Name: "CopyObject", Method: http.MethodPut, Level: Object, CopySource: true, Needs: writeData},
	{Name: "DeleteObject", Method: http.MethodDelete, Level: Object, Needs: writeData},

	{Name: "CreateMultipartUpload", Method: http.MethodPost, Level: Object, Selects: []string{"uploads"}, Needs: writeData},
	{Name: "UploadPart", Method: http.MethodPut, Level: Object, Selects: []string{"uploadId", "partNumber"}, Needs: writeData, Body: Data},
	{Name: "ListParts", Method: http.MethodGet, Level: Object, Selects: []string{"uploadId"}, Needs: writeData,
		Takes: []string{"max-parts", "part-number-marker", "encoding-type"}},
	{Name: "CompleteMultipartUpload", Method: http.MethodPost, Level: Object, Selects: []string{"uploadId"}, Needs: writeData, Body: Document},
	{Name: "AbortMultipartUpload", Method: http.MethodDelete, Level: Object, Selects: []string{"uploadId"}, Needs: writeData},

	// What clients ask of an ordinary bucket and get an ordinary answer to.
	{Name: "GetBucketAcl", Method: http.MethodGet, Level: Bucket, Selects: []string{"acl"}, Needs: readBucket},
	{Name: "GetBucketCors", Method: http.MethodGet, Level: Bucket, Selects: []string{"cors"}, Needs: readBucket},
	{Name: "GetBucketEncryption", Method: http.MethodGet, Level: Bucket, Selects: []string{"encryption"}, Needs: readBucket},
	{Name: "GetBucketLifecycleConfiguration", Method: http.MethodGet, Level: Bucket, Selects: []string{"lifecycle"}, Needs: readBucket},
	{Name: "GetBucketOwnershipControls", Method: http.MethodGet, Level: Bucket, Selects: []string{"ownershipControls"}, Needs: readBucket},
	{Name: "GetBucketPolicy", Method: http.MethodGet, Level: Bucket, Selects: []string{"policy"}, Needs: readBucket},
	{Name: "GetBucketReplication", Method: http.MethodGet, Level: Bucket, Selects: []string{"replication"}, Needs: readBucket},
	{Name: "GetBucketRequestPayment", Method: http.MethodGet, Level: Bucket, Selects: []string{"requestPayment"}, Needs: readBucket},
	{Name: "GetBucketTagging", Method: http.MethodGet, Level: Bucket, Selects: []string{"tagging"}, Needs: readBucket},
	{Name: "GetBucketVersioning", Method: http.MethodGet, Level: Bucket, Selects: []string{"versioning"}, Needs: readBucket},
	{Name: "GetBucketWebsite", Method: http.MethodGet, Level: Bucket, Selects: []string{"website"}, Needs: readBucket},
	{Name: "GetObjectAcl", Method: http.MethodGet, Level: Object, Selects: []string{"acl"}, Needs: readObject},
	{Name: "GetObjectLockConfiguration", Method: http.MethodGet, Level: Bucket, Selects: []string{"object-lock"}, Needs: readBucket},
	{Name: "GetObjectTagging", Method: http.MethodGet, Level: Object, Selects: []string{"tagging"}, Needs: readObject},
	{Name: "GetPublicAccessBlock", Method: http.MethodGet, Level: Bucket, Selects: []string{"publicAccessBlock"}, Needs: readBucket},
}

// Table returns every operation that the store knows.
func Table() []Operation {
	return slices.Clone(table)
}
