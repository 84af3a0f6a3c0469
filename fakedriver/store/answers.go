package store

import (
	"encoding/xml"
	"net/http"
	"strconv"

	"github.com/cosi-emu/cosi-emu/fakedriver/store/internal/s3error"
)

const namespace = "http://s3.amazonaws.com/doc/2006-03-01/"

// ownAnswer returns the function that answers an operation without gofakes3: what
// concerns accounts, and what is asked of buckets about features that none has.
func ownAnswer(operation string) (func(*Store, *exchange) error, bool) {
	switch operation {
	case "CreateBucket":
		return (*Store).createBucketByS3, true
	case "DeleteBucket":
		return (*Store).deleteBucketByS3, true
	case "ListBuckets":
		return (*Store).listBuckets, true
	case "GetBucketLocation":
		return (*Store).bucketLocation, true
	case "GetBucketAcl":
		return (*Store).acl, true
	case "GetObjectAcl", "GetObjectTagging":
		return (*Store).objectProperty, true
	case "GetBucketRequestPayment":
		return (*Store).requestPayment, true
	}
	if code, ok := notConfigured[operation]; ok {
		return func(*Store, *exchange) error { return s3error.ByCode(code, http.StatusNotFound) }, true
	}
	return nil, false
}

// notConfigured are the answers about features that no bucket has switched on.
var notConfigured = map[string]string{
	"GetBucketCors":                   "NoSuchCORSConfiguration",
	"GetBucketEncryption":             "ServerSideEncryptionConfigurationNotFoundError",
	"GetBucketLifecycleConfiguration": "NoSuchLifecycleConfiguration",
	"GetBucketOwnershipControls":      "OwnershipControlsNotFoundError",
	"GetBucketPolicy":                 "NoSuchBucketPolicy",
	"GetBucketReplication":            "ReplicationConfigurationNotFoundError",
	"GetBucketTagging":                "NoSuchTagSet",
	"GetBucketWebsite":                "NoSuchWebsiteConfiguration",
	"GetObjectLockConfiguration":      "ObjectLockConfigurationNotFoundError",
	"GetPublicAccessBlock":            "NoSuchPublicAccessBlockConfiguration",
}

// sendXML answers with a document.
func sendXML(x *exchange, document any) error {
	body, err := xml.Marshal(document)
	if err != nil {
		return err
	}
	header := x.w.Header()
	header.Set("Content-Type", "application/xml")
	header.Set("Content-Length", strconv.Itoa(len(xml.Header)+len(body)))
	_, _ = x.w.Write(append([]byte(xml.Header), body...)) // a client that has gone is not our error
	return nil
}
