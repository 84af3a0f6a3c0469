package s3op

import (
	"net/http"
	"slices"
)

// rejected are S3's other operations. A request for one of them must not be served as an operation of the table, with
// fewer parameters: PUT key?renameObject would overwrite the object.
//
//nolint:lll // one operation a line
var rejected = []Operation{
	{Name: "PutBucketPolicy", Method: http.MethodPut, Level: Bucket, Selects: []string{"policy"}},
	{Name: "DeleteBucketPolicy", Method: http.MethodDelete, Level: Bucket, Selects: []string{"policy"}},
	{Name: "PutBucketEncryption", Method: http.MethodPut, Level: Bucket, Selects: []string{"encryption"}},
	{Name: "DeleteBucketEncryption", Method: http.MethodDelete, Level: Bucket, Selects: []string{"encryption"}},
	{Name: "PutBucketLifecycleConfiguration", Method: http.MethodPut, Level: Bucket, Selects: []string{"lifecycle"}},
	{Name: "DeleteBucketLifecycle", Method: http.MethodDelete, Level: Bucket, Selects: []string{"lifecycle"}},
	{Name: "PutBucketOwnershipControls", Method: http.MethodPut, Level: Bucket, Selects: []string{"ownershipControls"}},
	{Name: "DeleteBucketOwnershipControls", Method: http.MethodDelete, Level: Bucket, Selects: []string{"ownershipControls"}},
	{Name: "PutPublicAccessBlock", Method: http.MethodPut, Level: Bucket, Selects: []string{"publicAccessBlock"}},
	{Name: "DeletePublicAccessBlock", Method: http.MethodDelete, Level: Bucket, Selects: []string{"publicAccessBlock"}},
	{Name: "PutBucketReplication", Method: http.MethodPut, Level: Bucket, Selects: []string{"replication"}},
	{Name: "DeleteBucketReplication", Method: http.MethodDelete, Level: Bucket, Selects: []string{"replication"}},
	{Name: "PutBucketWebsite", Method: http.MethodPut, Level: Bucket, Selects: []string{"website"}},
	{Name: "DeleteBucketWebsite", Method: http.MethodDelete, Level: Bucket, Selects: []string{"website"}},
	{Name: "PutBucketRequestPayment", Method: http.MethodPut, Level: Bucket, Selects: []string{"requestPayment"}},
	{Name: "GetBucketAbac", Method: http.MethodGet, Level: Bucket, Selects: []string{"abac"}},
	{Name: "PutBucketAbac", Method: http.MethodPut, Level: Bucket, Selects: []string{"abac"}},
	{Name: "PutBucketAccelerateConfiguration", Method: http.MethodPut, Level: Bucket, Selects: []string{"accelerate"}},
	{Name: "PutBucketLogging", Method: http.MethodPut, Level: Bucket, Selects: []string{"logging"}},
	{Name: "PutBucketNotificationConfiguration", Method: http.MethodPut, Level: Bucket, Selects: []string{"notification"}},
	{Name: "ListBucketAnalyticsConfigurations", Method: http.MethodGet, Level: Bucket, Selects: []string{"analytics"}},
	{Name: "GetBucketAnalyticsConfiguration", Method: http.MethodGet, Level: Bucket, Selects: []string{"analytics", "id"}},
	{Name: "PutBucketAnalyticsConfiguration", Method: http.MethodPut, Level: Bucket, Selects: []string{"analytics", "id"}},
	{Name: "DeleteBucketAnalyticsConfiguration", Method: http.MethodDelete, Level: Bucket, Selects: []string{"analytics", "id"}},
	{Name: "ListBucketIntelligentTieringConfigurations", Method: http.MethodGet, Level: Bucket, Selects: []string{"intelligent-tiering"}},
	{Name: "GetBucketIntelligentTieringConfiguration", Method: http.MethodGet, Level: Bucket, Selects: []string{"intelligent-tiering", "id"}},
	{Name: "PutBucketIntelligentTieringConfiguration", Method: http.MethodPut, Level: Bucket, Selects: []string{"intelligent-tiering", "id"}},
	{Name: "DeleteBucketIntelligentTieringConfiguration", Method: http.MethodDelete, Level: Bucket, Selects: []string{"intelligent-tiering", "id"}},
	{Name: "ListBucketInventoryConfigurations", Method: http.MethodGet, Level: Bucket, Selects: []string{"inventory"}},
	{Name: "GetBucketInventoryConfiguration", Method: http.MethodGet, Level: Bucket, Selects: []string{"inventory", "id"}},
	{Name: "PutBucketInventoryConfiguration", Method: http.MethodPut, Level: Bucket, Selects: []string{"inventory", "id"}},
	{Name: "DeleteBucketInventoryConfiguration", Method: http.MethodDelete, Level: Bucket, Selects: []string{"inventory", "id"}},
	{Name: "ListBucketMetricsConfigurations", Method: http.MethodGet, Level: Bucket, Selects: []string{"metrics"}},
	{Name: "GetBucketMetricsConfiguration", Method: http.MethodGet, Level: Bucket, Selects: []string{"metrics", "id"}},
	{Name: "PutBucketMetricsConfiguration", Method: http.MethodPut, Level: Bucket, Selects: []string{"metrics", "id"}},
	{Name: "DeleteBucketMetricsConfiguration", Method: http.MethodDelete, Level: Bucket, Selects: []string{"metrics", "id"}},
	{Name: "CreateBucketMetadataConfiguration", Method: http.MethodPost, Level: Bucket, Selects: []string{"metadataConfiguration"}},
	{Name: "GetBucketMetadataConfiguration", Method: http.MethodGet, Level: Bucket, Selects: []string{"metadataConfiguration"}},
	{Name: "DeleteBucketMetadataConfiguration", Method: http.MethodDelete, Level: Bucket, Selects: []string{"metadataConfiguration"}},
	{Name: "CreateBucketMetadataTableConfiguration", Method: http.MethodPost, Level: Bucket, Selects: []string{"metadataTable"}},
	{Name: "GetBucketMetadataTableConfiguration", Method: http.MethodGet, Level: Bucket, Selects: []string{"metadataTable"}},
	{Name: "DeleteBucketMetadataTableConfiguration", Method: http.MethodDelete, Level: Bucket, Selects: []string{"metadataTable"}},
	{Name: "UpdateBucketMetadataAnnotationTableConfiguration", Method: http.MethodPut, Level: Bucket, Selects: []string{"metadataAnnotationTable"}},
	{Name: "UpdateBucketMetadataInventoryTableConfiguration", Method: http.MethodPut, Level: Bucket, Selects: []string{"metadataInventoryTable"}},
	{Name: "UpdateBucketMetadataJournalTableConfiguration", Method: http.MethodPut, Level: Bucket, Selects: []string{"metadataJournalTable"}},
	{Name: "CreateSession", Method: http.MethodGet, Level: Bucket, Selects: []string{"session"}},
	{Name: "ListObjectAnnotations", Method: http.MethodGet, Level: Object, Selects: []string{"annotation"}},
	{Name: "GetObjectAnnotation", Method: http.MethodGet, Level: Object, Selects: []string{"annotation", "annotationName"}},
	{Name: "PutObjectAnnotation", Method: http.MethodPut, Level: Object, Selects: []string{"annotation", "annotationName"}},
	{Name: "DeleteObjectAnnotation", Method: http.MethodDelete, Level: Object, Selects: []string{"annotation", "annotationName"}},
	{Name: "GetObjectTorrent", Method: http.MethodGet, Level: Object, Selects: []string{"torrent"}},
	{Name: "RenameObject", Method: http.MethodPut, Level: Object, Selects: []string{"renameObject"}},
	{Name: "RestoreObject", Method: http.MethodPost, Level: Object, Selects: []string{"restore"}},
	{Name: "SelectObjectContent", Method: http.MethodPost, Level: Object, Selects: []string{"select", "select-type"}},
	{Name: "UpdateObjectEncryption", Method: http.MethodPut, Level: Object, Selects: []string{"encryption"}},
}

// Rejected returns the operations of S3 that are not implemented.
func Rejected() []Operation { return slices.Clone(rejected) }
