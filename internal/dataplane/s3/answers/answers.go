package answers

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/go-logr/logr"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3exchange"
	"github.com/cosi-emu/cosi-emu/internal/s3error"
	"github.com/cosi-emu/cosi-emu/internal/store"
)

const namespace = "http://s3.amazonaws.com/doc/2006-03-01/"

// formatTime writes a time in the form of documents, with the precision of a header.
func formatTime(t time.Time) string { return inDocument(t).Format(s3exchange.Timestamp) }

func inDocument(t time.Time) time.Time { return t.UTC().Truncate(time.Second) }

// table has the functions that answer the operations, by name.
var table = map[string]func(*Answers, *s3exchange.Exchange) error{
	"AbortMultipartUpload":    (*Answers).serveGofakes3,
	"CompleteMultipartUpload": (*Answers).completeUpload,
	"ComposeObject":           (*Answers).composeObject,
	"CopyObject":              (*Answers).copyObject,
	"CreateBucket":            (*Answers).createBucketByS3,
	"CreateMultipartUpload":   (*Answers).serveGofakes3,
	"DeleteBucket":            (*Answers).deleteBucketByS3,
	"DeleteBucketCors":        (*Answers).deleteBucketCors,
	"DeleteBucketTagging":     (*Answers).deleteBucketTagging,
	"DeleteObject":            (*Answers).serveGofakes3,
	"DeleteObjectTagging":     (*Answers).deleteObjectTagging,
	"DeleteObjects":           (*Answers).deleteObjects,
	"GetBucketAcl":            (*Answers).acl,

	"GetBucketAccelerateConfiguration":   nothingConfigured("AccelerateConfiguration"),
	"GetBucketLogging":                   nothingConfigured("BucketLoggingStatus"),
	"GetBucketNotificationConfiguration": nothingConfigured("NotificationConfiguration"),

	"GetObjectLegalHold":         (*Answers).getObjectLegalHold,
	"GetObjectLockConfiguration": (*Answers).getObjectLockConfiguration,
	"GetObjectRetention":         (*Answers).getObjectRetention,
	"PutObjectLegalHold":         (*Answers).putObjectLegalHold,
	"PutObjectLockConfiguration": (*Answers).putObjectLockConfiguration,
	"PutObjectRetention":         (*Answers).putObjectRetention,

	"GetBucketCors":           (*Answers).getBucketCors,
	"GetBucketLocation":       (*Answers).bucketLocation,
	"GetBucketRequestPayment": (*Answers).requestPayment,
	"GetBucketTagging":        (*Answers).getBucketTagging,
	"GetBucketVersioning":     (*Answers).getBucketVersioning,
	"GetObject":               (*Answers).readObject,
	"GetObjectAcl":            (*Answers).objectACL,
	"GetObjectAttributes":     (*Answers).objectAttributes,
	"GetObjectTagging":        (*Answers).getObjectTagging,
	"HeadBucket":              (*Answers).headBucket,
	"HeadObject":              (*Answers).readObject,
	"ListBuckets":             (*Answers).listBuckets,
	"ListMultipartUploads":    (*Answers).listUploads,
	"ListObjectVersions":      (*Answers).listVersions,
	"ListObjects":             (*Answers).listObjects,
	"ListObjectsV2":           (*Answers).listObjectsV2,
	"ListParts":               (*Answers).listParts,
	"PostObject":              (*Answers).postObject,
	"PutBucketAcl":            (*Answers).putBucketACL,
	"PutBucketCors":           (*Answers).putBucketCors,
	"PutBucketTagging":        (*Answers).putBucketTagging,
	"PutBucketVersioning":     (*Answers).putBucketVersioning,
	"PutObject":               (*Answers).putObject,
	"PutObjectAcl":            (*Answers).putObjectACL,
	"PutObjectTagging":        (*Answers).putObjectTagging,
	"UploadPart":              (*Answers).uploadPart,
	"UploadPartCopy":          (*Answers).copyPart,
}

// Answers answers requests.
type Answers struct {
	store    *store.Store
	logger   logr.Logger
	gofakes3 http.Handler
	requests sync.Map // that gofakes3 serves, by ID
}

// New returns answers.
func New(s *store.Store, logger logr.Logger) *Answers {
	a := &Answers{store: s, logger: logger}
	a.gofakes3 = newGofakes3(a)
	return a
}

// Answer performs a request, and writes the response, or returns an error, S3's or an internal one,
// which is not written.
func (a *Answers) Answer(x *s3exchange.Exchange) error {
	if err := a.openBucket(x); err != nil {
		return err
	}
	if err, ok := notConfigured[x.Operation.Name]; ok {
		return err
	}
	run, ok := table[x.Operation.Name]
	if !ok {
		return fmt.Errorf("the operation %s has no answer", x.Operation.Name)
	}
	return run(a, x)
}

// openBucket finds the contents of the bucket by its UID: the account has no access to another
// bucket of the same name.
func (a *Answers) openBucket(x *s3exchange.Exchange) (err error) {
	if x.Bucket == "" || x.Operation.Reserved {
		return nil
	}
	x.Conditions = s3exchange.ReadConditions(x.R.Header, "")
	if err := x.Dialect.Conditions(x.R.Header, &x.Conditions); err != nil {
		return err
	}
	x.Contents, err = a.store.Objects().Bucket(x.UID)
	return err
}

// RegionOf returns the region of a bucket; the store's for an unknown bucket, or one without its
// own region.
func (a *Answers) RegionOf(bucket string) string {
	if b, ok := a.store.Registry().Bucket(bucket); ok && b.Region != "" {
		return b.Region
	}
	return a.store.Region()
}

// notConfigured are the errors for features that no bucket has.
var notConfigured = map[string]error{
	"GetBucketEncryption":             s3error.ErrNoSuchEncryption,
	"GetBucketLifecycleConfiguration": s3error.ErrNoSuchLifecycleConfiguration,
	"GetBucketOwnershipControls":      s3error.ErrNoSuchOwnershipControls,
	"GetBucketPolicy":                 s3error.ErrNoSuchBucketPolicy,
	"GetBucketPolicyStatus":           s3error.ErrNoSuchBucketPolicy,
	"GetBucketReplication":            s3error.ErrNoSuchReplication,
	"GetBucketWebsite":                s3error.ErrNoSuchWebsiteConfiguration,
	"GetPublicAccessBlock":            s3error.ErrNoSuchPublicAccessBlock,
}

// documents are buffers for responses. A full listing needs some hundred kilobytes.
var documents = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// newDocument returns an empty buffer. The caller puts it back.
func newDocument() *bytes.Buffer {
	document, _ := documents.Get().(*bytes.Buffer)
	document.Reset()
	return document
}

func sendXML(x *s3exchange.Exchange, document any) error {
	return sendXMLAs(x, http.StatusOK, document)
}

func sendXMLAs(x *s3exchange.Exchange, status int, document any) error {
	body := newDocument()
	defer documents.Put(body)
	body.WriteString(xml.Header)
	if err := xml.NewEncoder(body).Encode(document); err != nil {
		return err
	}
	header := x.W.Header()
	header.Set("Content-Type", "application/xml")
	header.Set("Content-Length", strconv.Itoa(body.Len()))
	x.W.WriteHeader(status)
	_, _ = x.W.Write(body.Bytes()) // the client may have disconnected
	return nil
}
