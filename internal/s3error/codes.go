//nolint:lll // one code a line
package s3error

import (
	"net/http"
	"slices"
)

// The errors of the store. Codes and statuses are from the "List of error codes" in Amazon's S3 API
// reference.
var (
	ErrAccessControlListNotSupported     = define("AccessControlListNotSupported", http.StatusBadRequest, "The bucket does not allow ACLs")
	ErrAccessForbidden                   = define("AccessForbidden", http.StatusForbidden, "CORSResponse: This CORS request is not allowed.")
	ErrAccessDenied                      = define("AccessDenied", http.StatusForbidden, "Access Denied")
	ErrAuthorizationHeaderMalformed      = define("AuthorizationHeaderMalformed", http.StatusBadRequest, "The authorization header that you provided is not valid")
	ErrAuthorizationQueryParametersError = define("AuthorizationQueryParametersError", http.StatusBadRequest, "The authorization query parameters that you provided are not valid")
	ErrBadDigest                         = define("BadDigest", http.StatusBadRequest, "The Content-MD5 or checksum value that you specified did not match what the server received")
	ErrBadRequest                        = define("BadRequest", http.StatusBadRequest, "The request is not valid")
	ErrBucketAlreadyOwnedByYou           = define("BucketAlreadyOwnedByYou", http.StatusConflict, "Your previous request to create the named bucket succeeded and you already own it")
	ErrEntityTooLarge                    = define("EntityTooLarge", http.StatusBadRequest, "Your proposed upload exceeds the maximum allowed object size")
	ErrExpiredToken                      = define("ExpiredToken", http.StatusBadRequest, "The provided token has expired.")
	ErrIncompleteBody                    = define("IncompleteBody", http.StatusBadRequest, "You did not provide the number of bytes specified by the Content-Length HTTP header")
	ErrInternalError                     = define("InternalError", http.StatusInternalServerError, "We encountered an internal error. Please try again.")
	ErrInvalidAccessKeyID                = define("InvalidAccessKeyId", http.StatusForbidden, "The AWS access key ID that you provided does not exist in our records")
	ErrInvalidArgument                   = define("InvalidArgument", http.StatusBadRequest, "Invalid Argument")
	ErrInvalidBucketName                 = define("InvalidBucketName", http.StatusBadRequest, "The specified bucket is not valid")
	ErrInvalidChunkSize                  = define("InvalidChunkSizeError", http.StatusForbidden, "Only the last chunk is allowed to have a size less than 8192 bytes")
	ErrInvalidDigest                     = define("InvalidDigest", http.StatusBadRequest, "The Content-MD5 or checksum value that you specified is not valid")
	ErrInvalidRequest                    = define("InvalidRequest", http.StatusBadRequest, "Invalid Request")
	ErrInvalidToken                      = define("InvalidToken", http.StatusBadRequest, "The provided token is malformed or otherwise not valid")
	ErrInvalidURI                        = define("InvalidURI", http.StatusBadRequest, "The specified URI couldn't be parsed")
	ErrKeyTooLong                        = define("KeyTooLongError", http.StatusBadRequest, "Your key is too long")
	ErrInvalidPolicyDocument             = define("InvalidPolicyDocument", http.StatusBadRequest, "The content of the form does not meet the conditions specified in the policy document")
	ErrMalformedPOSTRequest              = define("MalformedPOSTRequest", http.StatusBadRequest, "The body of your POST request is not well-formed multipart/form-data")
	ErrMaxPostPreDataLengthExceeded      = define("MaxPostPreDataLengthExceeded", http.StatusBadRequest, "Your POST request fields preceding the upload file were too large")
	ErrMalformedTrailer                  = define("MalformedTrailerError", http.StatusBadRequest, "The request contained trailing data that was not well-formed or did not conform to our published schema")
	ErrMalformedXML                      = define("MalformedXML", http.StatusBadRequest, "The XML that you provided was not well formed or did not validate against our published schema")
	ErrMissingContentLength              = define("MissingContentLength", http.StatusLengthRequired, "You must provide the Content-Length HTTP header")
	ErrNoSuchBucket                      = define("NoSuchBucket", http.StatusNotFound, "The specified bucket does not exist")
	ErrNoSuchKey                         = define("NoSuchKey", http.StatusNotFound, "The specified key does not exist")
	ErrNotImplemented                    = define("NotImplemented", http.StatusNotImplemented, "A header or query that you provided implies functionality that is not implemented")
	ErrPreconditionFailed                = define("PreconditionFailed", http.StatusPreconditionFailed, "At least one of the preconditions that you specified did not hold")
	ErrRequestHeaderSectionTooLarge      = define("RequestHeaderSectionTooLarge", http.StatusBadRequest, "Your request header section exceeds the maximum allowed request header section size")
	ErrRequestTimeTooSkewed              = define("RequestTimeTooSkewed", http.StatusForbidden, "The difference between the request time and the server's time is too large")
	ErrRequestTimeout                    = define("RequestTimeout", http.StatusBadRequest, "Your socket connection to the server was not read from or written to within the timeout period")
	ErrServiceUnavailable                = define("ServiceUnavailable", http.StatusServiceUnavailable, "Service is shutting down")
	ErrSignatureDoesNotMatch             = define("SignatureDoesNotMatch", http.StatusForbidden, "The request signature that we calculated does not match the signature that you provided. Check your AWS secret access key and signing method.")
	ErrBucketNotEmpty                    = define("BucketNotEmpty", http.StatusConflict, "The bucket that you tried to delete is not empty")
	ErrInvalidPart                       = define("InvalidPart", http.StatusBadRequest, "One or more of the specified parts could not be found")
	ErrInvalidPartNumber                 = define("InvalidPartNumber", http.StatusRequestedRangeNotSatisfiable, "The requested partnumber is not satisfiable")
	ErrInvalidPartOrder                  = define("InvalidPartOrder", http.StatusBadRequest, "The list of parts was not in ascending order")
	ErrInvalidRange                      = define("InvalidRange", http.StatusRequestedRangeNotSatisfiable, "The requested range cannot be satisfied")
	ErrMetadataTooLarge                  = define("MetadataTooLarge", http.StatusBadRequest, "Your metadata headers exceed the maximum allowed metadata size")
	ErrMethodNotAllowed                  = define("MethodNotAllowed", http.StatusMethodNotAllowed, "The specified method is not allowed against this resource")
	ErrNoSuchUpload                      = define("NoSuchUpload", http.StatusNotFound, "The specified multipart upload does not exist")
	ErrNoSuchVersion                     = define("NoSuchVersion", http.StatusNotFound, "The version ID specified in the request does not match an existing version")
	ErrNoSuchTagSet                      = define("NoSuchTagSet", http.StatusNotFound, "The TagSet does not exist")
	ErrBucketAlreadyExists               = define("BucketAlreadyExists", http.StatusConflict, "The requested bucket name is not available")
	ErrEntityTooSmall                    = define("EntityTooSmall", http.StatusBadRequest, "Your proposed upload is smaller than the minimum allowed object size")
	ErrIllegalVersioningConfiguration    = define("IllegalVersioningConfigurationException", http.StatusBadRequest, "The versioning configuration specified in the request is invalid")
	ErrInvalidRedirectLocation           = define("InvalidRedirectLocation", http.StatusBadRequest, "The website redirect location must have a prefix of 'http://' or 'https://' or '/'.")
	ErrMissingRequestBody                = define("MissingRequestBodyError", http.StatusBadRequest, "Request Body is empty")
	ErrUnexpectedContent                 = define("UnexpectedContent", http.StatusBadRequest, "This request does not support content.")
	ErrInvalidStorageClass               = define("InvalidStorageClass", http.StatusBadRequest, "The storage class you specified is not valid")
	ErrMalformedACL                      = define("MalformedACLError", http.StatusBadRequest, "The ACL that you provided was not well formed or did not validate against our published schema")
	ErrMissingSecurityHeader             = define("MissingSecurityHeader", http.StatusBadRequest, "Your request is missing a required header")
	ErrInvalidTag                        = define("InvalidTag", http.StatusBadRequest, "The tag provided was not a valid tag")
	ErrNotModified                       = define("NotModified", http.StatusNotModified, "Not Modified")
	ErrObjectUnderActiveHold             = define("ObjectUnderActiveHold", http.StatusForbidden, "The object is under an active hold")
	ErrQuotaExceeded                     = define("QuotaExceeded", http.StatusForbidden, "The quota of the bucket is used up")
	ErrInvalidBucketState                = define("InvalidBucketState", http.StatusConflict, "The request is not valid for the current state of the bucket")
	ErrInvalidLocationConstraint         = define("InvalidLocationConstraint", http.StatusBadRequest, "The specified location constraint is not valid")
	ErrInvalidRetentionPeriod            = define("InvalidRetentionPeriod", http.StatusBadRequest, "Default retention period must be a positive number of at most 36500 days or 100 years")
	ErrNoSuchObjectLockConfiguration     = define("NoSuchObjectLockConfiguration", http.StatusNotFound, "The specified object does not have a ObjectLock configuration")
	ErrContentSHA256Mismatch             = define("XAmzContentSHA256Mismatch", http.StatusBadRequest, "The provided 'x-amz-content-sha256' header does not match what was computed")
)

// The errors about features that are not configured.
var (
	ErrNoSuchBucketPolicy           = define("NoSuchBucketPolicy", http.StatusNotFound, "The bucket policy does not exist")
	ErrNoSuchCORSConfiguration      = define("NoSuchCORSConfiguration", http.StatusNotFound, "The CORS configuration does not exist")
	ErrNoSuchEncryption             = define("ServerSideEncryptionConfigurationNotFoundError", http.StatusNotFound, "The server side encryption configuration was not found")
	ErrNoSuchLifecycleConfiguration = define("NoSuchLifecycleConfiguration", http.StatusNotFound, "The lifecycle configuration does not exist")
	ErrNoSuchObjectLock             = define("ObjectLockConfigurationNotFoundError", http.StatusNotFound, "Object Lock configuration does not exist for this bucket")
	ErrNoSuchOwnershipControls      = define("OwnershipControlsNotFoundError", http.StatusNotFound, "The bucket ownership controls were not found")
	ErrNoSuchPublicAccessBlock      = define("NoSuchPublicAccessBlockConfiguration", http.StatusNotFound, "The public access block configuration was not found")
	ErrNoSuchReplication            = define("ReplicationConfigurationNotFoundError", http.StatusNotFound, "The replication configuration was not found")
	ErrNoSuchWebsiteConfiguration   = define("NoSuchWebsiteConfiguration", http.StatusNotFound, "The specified bucket does not have a website configuration")
)

var codes []string

// Codes returns the codes of all errors.
func Codes() []string { return slices.Clone(codes) }

func define(code string, status int, message string) *Error {
	codes = append(codes, code)
	return &Error{Code: code, Status: status, Message: message}
}
