package store

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/fakedriver/store/internal/s3error"
)

const (
	namespace = "http://s3.amazonaws.com/doc/2006-03-01/"
	timestamp = "2006-01-02T15:04:05.000Z"
)

// formatTime writes a time as it is in documents.
func formatTime(t time.Time) string { return t.UTC().Format(timestamp) }

// answers are the functions that answer the operations, by name. Reads, and
// writes of one object, go through gofakes3; what its interfaces or documents
// cannot express is answered here.
var answers = map[string]func(*Store, *exchange) error{
	"AbortMultipartUpload":    (*Store).serveCore,
	"CompleteMultipartUpload": (*Store).completeUpload,
	"CopyObject":              (*Store).copyObject,
	"CreateBucket":            (*Store).createBucketByS3,
	"CreateMultipartUpload":   (*Store).serveCore,
	"DeleteBucket":            (*Store).deleteBucketByS3,
	"DeleteBucketTagging":     (*Store).deleteBucketTagging,
	"DeleteObject":            (*Store).serveCore,
	"DeleteObjectTagging":     (*Store).deleteObjectTagging,
	"DeleteObjects":           (*Store).deleteObjects,
	"GetBucketAcl":            (*Store).acl,
	"GetBucketLocation":       (*Store).bucketLocation,
	"GetBucketRequestPayment": (*Store).requestPayment,
	"GetBucketTagging":        (*Store).getBucketTagging,
	"GetBucketVersioning":     (*Store).getBucketVersioning,
	"GetObject":               (*Store).readObject,
	"GetObjectAcl":            (*Store).objectACL,
	"GetObjectAttributes":     (*Store).objectAttributes,
	"GetObjectTagging":        (*Store).getObjectTagging,
	"HeadBucket":              (*Store).headBucket,
	"HeadObject":              (*Store).readObject,
	"ListBuckets":             (*Store).listBuckets,
	"ListMultipartUploads":    (*Store).listUploads,
	"ListObjectVersions":      (*Store).listVersions,
	"ListObjects":             (*Store).listObjects,
	"ListObjectsV2":           (*Store).listObjectsV2,
	"ListParts":               (*Store).listParts,
	"PutBucketTagging":        (*Store).putBucketTagging,
	"PutBucketVersioning":     (*Store).putBucketVersioning,
	"PutObject":               (*Store).putObject,
	"PutObjectTagging":        (*Store).putObjectTagging,
	"UploadPart":              (*Store).uploadPart,
	"UploadPartCopy":          (*Store).copyPart,
}

// answer runs the function of the operation.
func (s *Store) answer(x *exchange) error {
	if err, ok := notConfigured[x.operation.Name]; ok {
		return err
	}
	run, ok := answers[x.operation.Name]
	if !ok {
		return fmt.Errorf("the operation %s has no answer", x.operation.Name)
	}
	return run(s, x)
}

// notConfigured are the answers about features that no bucket has switched on.
var notConfigured = map[string]error{
	"GetBucketCors":                   s3error.ErrNoSuchCORSConfiguration,
	"GetBucketEncryption":             s3error.ErrNoSuchEncryption,
	"GetBucketLifecycleConfiguration": s3error.ErrNoSuchLifecycleConfiguration,
	"GetBucketOwnershipControls":      s3error.ErrNoSuchOwnershipControls,
	"GetBucketPolicy":                 s3error.ErrNoSuchBucketPolicy,
	"GetBucketReplication":            s3error.ErrNoSuchReplication,
	"GetBucketWebsite":                s3error.ErrNoSuchWebsiteConfiguration,
	"GetObjectLockConfiguration":      s3error.ErrNoSuchObjectLock,
	"GetPublicAccessBlock":            s3error.ErrNoSuchPublicAccessBlock,
}

// documents are buffers that answers are written to. That of a full listing has
// some hundred kilobytes.
var documents = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// sendXML answers with a document.
func sendXML(x *exchange, document any) error {
	body, _ := documents.Get().(*bytes.Buffer) // the pool has nothing else
	defer documents.Put(body)
	body.Reset()
	body.WriteString(xml.Header)
	if err := xml.NewEncoder(body).Encode(document); err != nil {
		return err
	}
	header := x.w.Header()
	header.Set("Content-Type", "application/xml")
	header.Set("Content-Length", strconv.Itoa(body.Len()))
	_, _ = x.w.Write(body.Bytes()) // a client that has gone is not our error
	return nil
}
