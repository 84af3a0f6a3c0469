package azure

import (
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"os"
	"syscall"
	"time"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure/sas"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3error"
	"github.com/cosi-emu/cosi-emu/internal/store/authorization"
	"github.com/cosi-emu/cosi-emu/internal/store/blobstore"
)

// failure is an error of the Blob service; see "Common REST API error codes" and "Blob service
// error codes" in its reference.
type failure struct {
	status        int
	code, message string
}

// Error implements error.
func (f *failure) Error() string { return f.code + ": " + f.message }

func (f *failure) with(message string) *failure { return &failure{f.status, f.code, message} }

//nolint:lll // one error a line, with the messages of the reference
var (
	errAnonymous           = &failure{http.StatusUnauthorized, "NoAuthenticationInformation", "Server failed to authenticate the request. The URL must have the shared access signature of the Secret."}
	errAuthentication      = &failure{http.StatusForbidden, "AuthenticationFailed", "Server failed to authenticate the request. Make sure the value of Authorization header is formed correctly including the signature."}
	errPermission          = &failure{http.StatusForbidden, "AuthorizationPermissionMismatch", "This request is not authorized to perform this operation using this permission."}
	errForbidden           = &failure{http.StatusForbidden, "AuthorizationFailure", "This request is not authorized to perform this operation."}
	errProtocol            = &failure{http.StatusForbidden, "AuthorizationProtocolMismatch", "This request is not authorized to perform this operation using this protocol."}
	errSourceIP            = &failure{http.StatusForbidden, "AuthorizationSourceIPMismatch", "This request is not authorized to perform this operation using this source IP."}
	errCopySource          = &failure{http.StatusForbidden, "CannotVerifyCopySource", "The source of the copy must be a blob of this service, with a shared access signature that may read it."}
	errNoContainer         = &failure{http.StatusNotFound, "ContainerNotFound", "The specified container does not exist."}
	errNoBlob              = &failure{http.StatusNotFound, "BlobNotFound", "The specified blob does not exist."}
	errNotImplemented      = &failure{http.StatusNotImplemented, "NotImplemented", "cosi-emu does not implement this operation."}
	errInvalidURI          = &failure{http.StatusBadRequest, "InvalidUri", "The requested URI does not represent any resource on the server."}
	errInvalidResourceName = &failure{http.StatusBadRequest, "InvalidResourceName", "The specified resource name contains invalid characters."}
	errInvalidQuery        = &failure{http.StatusBadRequest, "InvalidQueryParameterValue", "Value for one of the query parameters specified in the request URI is invalid."}
	errQueryRange          = &failure{http.StatusBadRequest, "OutOfRangeQueryParameterValue", "One of the query parameters specified in the request URI is outside the permissible range."}
	errUnsupportedQuery    = &failure{http.StatusBadRequest, "UnsupportedQueryParameter", "One of the query parameters specified in the request URI is not supported."}
	errInvalidHeader       = &failure{http.StatusBadRequest, "InvalidHeaderValue", "The value for one of the HTTP headers is not in the correct format."}
	errMissingHeader       = &failure{http.StatusBadRequest, "MissingRequiredHeader", "An HTTP header that's mandatory for this request is not specified."}
	errUnsupportedHeader   = &failure{http.StatusBadRequest, "UnsupportedHeader", "One of the HTTP headers specified in the request is not supported."}
	errInvalidXML          = &failure{http.StatusBadRequest, "InvalidXmlDocument", "XML specified is not syntactically valid."}
	errInvalidMD5          = &failure{http.StatusBadRequest, "InvalidMd5", "The MD5 value specified in the request is invalid. MD5 value must be 128 bits and base64 encoded."}
	errMD5                 = &failure{http.StatusBadRequest, "Md5Mismatch", "The MD5 value specified in the request did not match with the MD5 value calculated by the server."}
	errCRC64               = &failure{http.StatusBadRequest, "Crc64Mismatch", "The CRC64 value specified in the request did not match with the CRC64 value calculated by the server."}
	errMetadata            = &failure{http.StatusBadRequest, "InvalidMetadata", "The metadata specified is invalid. It has characters that are not permitted."}
	errMetadataTooLarge    = &failure{http.StatusBadRequest, "MetadataTooLarge", "The metadata specified exceeds the maximum allowable limit (8KB)."}
	errTags                = &failure{http.StatusBadRequest, "InvalidTag", "The tags specified are invalid. At most 10 tags are permitted, with keys of 1 to 128 and values of at most 256 characters."}
	errInvalidBlock        = &failure{http.StatusBadRequest, "InvalidBlobOrBlock", "The specified blob or block content is invalid."}
	errInvalidBlockID      = &failure{http.StatusBadRequest, "InvalidBlockId", "The specified block ID is invalid. The block ID must be Base64-encoded."}
	errInvalidBlockList    = &failure{http.StatusBadRequest, "InvalidBlockList", "The specified block list is invalid."}
	errBlockListTooLong    = &failure{http.StatusBadRequest, "BlockListTooLong", "The block list may not contain more than 50,000 blocks."}
	errBlockCount          = &failure{http.StatusConflict, "BlockCountExceedsLimit", "The uncommitted block count cannot exceed the maximum limit of 100,000 blocks, and the committed block count of an append blob that of 50,000."}
	errIncomplete          = &failure{http.StatusBadRequest, "IncompleteBody", "The body is shorter than its declared length."}
	errNoLength            = &failure{http.StatusLengthRequired, "MissingContentLengthHeader", "The Content-Length header was not specified."}
	errTooLarge            = &failure{http.StatusRequestEntityTooLarge, "RequestBodyTooLarge", "The request body is too large and exceeds the maximum permissible limit."}
	errRange               = &failure{http.StatusRequestedRangeNotSatisfiable, "InvalidRange", "The range specified is invalid for the current size of the resource."}
	errCondition           = &failure{http.StatusPreconditionFailed, "ConditionNotMet", "The condition specified using HTTP conditional header(s) is not met."}
	errSourceCondition     = &failure{http.StatusPreconditionFailed, "SourceConditionNotMet", "The source condition specified using HTTP conditional header(s) is not met."}
	errNotModified         = &failure{http.StatusNotModified, "ConditionNotMet", ""}
	errConditions          = &failure{http.StatusBadRequest, "MultipleConditionHeadersNotSupported", "Multiple condition headers are not supported."}
	errNoConditions        = &failure{http.StatusBadRequest, "ConditionHeadersNotSupported", "Condition headers are not supported."}
	errAppendPosition      = &failure{http.StatusPreconditionFailed, "AppendPositionConditionNotMet", "The append position condition specified was not met."}
	errMaxBlobSize         = &failure{http.StatusPreconditionFailed, "MaxBlobSizeConditionNotMet", "The max blob size condition specified was not met."}
	errExists              = &failure{http.StatusConflict, "BlobAlreadyExists", "The specified blob already exists."}
	errBlobType            = &failure{http.StatusConflict, "InvalidBlobType", "The blob type is invalid for this operation."}
	errSnapshots           = &failure{http.StatusConflict, "SnapshotsPresent", "This operation is not permitted while the blob has snapshots."}
	errNoCopy              = &failure{http.StatusConflict, "NoPendingCopyOperation", "There is currently no pending copy operation."}
	errLeaseMissing        = &failure{http.StatusPreconditionFailed, "LeaseIdMissing", "There is currently a lease on the blob and no lease ID was specified in the request."}
	errLeaseMismatch       = &failure{http.StatusPreconditionFailed, "LeaseIdMismatchWithBlobOperation", "The lease ID specified did not match the lease ID for the blob."}
	errLeaseNotPresent     = &failure{http.StatusPreconditionFailed, "LeaseNotPresentWithBlobOperation", "There is currently no lease on the blob."}
	errLeaseOfContainer    = &failure{http.StatusPreconditionFailed, "LeaseNotPresentWithContainerOperation", "There is currently no lease on the container."}
	errLeaseLost           = &failure{http.StatusPreconditionFailed, "LeaseLost", "A lease ID was specified, but the lease for the blob has expired."}
	errLeasePresent        = &failure{http.StatusConflict, "LeaseAlreadyPresent", "There is already a lease present."}
	errLeaseOtherID        = &failure{http.StatusConflict, "LeaseIdMismatchWithLeaseOperation", "The lease ID specified did not match the lease ID for the blob."}
	errLeaseNone           = &failure{http.StatusConflict, "LeaseNotPresentWithLeaseOperation", "There is currently no lease on the blob."}
	errLeaseBreaking       = &failure{http.StatusConflict, "LeaseIsBreakingAndCannotBeChanged", "The lease ID matched, but the lease is currently in breaking state and cannot be changed."}
	errLeaseNoRenewal      = &failure{http.StatusConflict, "LeaseIsBrokenAndCannotBeRenewed", "The lease ID matched, but the lease has been broken explicitly and cannot be renewed."}
	errLeaseNoAcquiring    = &failure{http.StatusConflict, "LeaseIsBreakingAndCannotBeAcquired", "The lease ID matched, but the lease is currently in breaking state and cannot be acquired until it is broken."}
	errQuota               = &failure{http.StatusForbidden, "QuotaExceeded", "The quota of the container is used up: its BucketClass has quotaBytes or quotaObjects."}
	errStorageFull         = &failure{s3error.ErrStorageFull.Status, "InternalError", s3error.ErrStorageFull.Message}
	errTimeout             = &failure{http.StatusRequestTimeout, "OperationTimedOut", "The body did not arrive in time."}
	errBusy                = &failure{http.StatusServiceUnavailable, "ServerBusy", "The service is ending."}
	errInternal            = &failure{http.StatusInternalServerError, "InternalError", "The server has an internal error; its log has the cause."}
)

// failureOf returns the response for an error.
func failureOf(err error) *failure {
	if known, ok := errors.AsType[*failure](err); ok {
		return known
	}
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return errTooLarge
	}
	switch {
	case errors.Is(err, authorization.ErrIdentity):
		return errAuthentication
	case errors.Is(err, authorization.ErrDenied):
		return errForbidden
	case errors.Is(err, fakedriver.ErrNotExist), errors.Is(err, s3error.ErrNoSuchBucket):
		return errNoContainer
	case errors.Is(err, s3error.ErrQuotaExceeded):
		return errQuota
	case errors.Is(err, syscall.ENOSPC):
		return errStorageFull
	case errors.Is(err, fakedriver.ErrClosed):
		return errBusy
	case errors.Is(err, os.ErrDeadlineExceeded):
		return errTimeout
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errIncomplete
	case errors.Is(err, blobstore.ErrDamaged):
		return errInternal.with(s3error.From(err).Message)
	default:
		return errInternal
	}
}

// Fail responds with an error, for faults in front of the service.
func Fail(w http.ResponseWriter, r *http.Request, status int, code, message string) {
	w.Header().Set("X-Ms-Request-Id", requestID())
	w.Header().Set(versionHeader, sas.Version)
	(&failure{status, code, message}).write(w, r)
}

func (f *failure) write(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("X-Ms-Error-Code", f.code)
	if f == errAnonymous {
		header.Set("WWW-Authenticate", `Bearer authorization_uri="https://login.microsoftonline.com/common/oauth2/authorize"`)
	}
	if r.Method == http.MethodHead || f.status == http.StatusNotModified {
		w.WriteHeader(f.status)
		return
	}
	text := f.message + "\nRequestId:" + header.Get("X-Ms-Request-Id") + "\nTime:" + time.Now().UTC().Format(time.RFC3339Nano)
	body, err := xml.Marshal(struct {
		XMLName xml.Name `xml:"Error"`
		Code    string   `xml:"Code"`
		Message string   `xml:"Message"`
	}{Code: f.code, Message: text})
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	header.Set("Content-Type", "application/xml")
	w.WriteHeader(f.status)
	_, _ = w.Write(append([]byte(xml.Header), literal(body)...)) // the client may have disconnected
}
