// Package failure has the errors of the Blob service, and their responses.
package failure

import (
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/s3error"
	"github.com/cosi-emu/cosi-emu/internal/store/authorization"
	"github.com/cosi-emu/cosi-emu/internal/store/blobstore"
)

// Error is an error of the Blob service; see "Common REST API error codes" and "Blob service
// error codes" in its reference.
type Error struct {
	Status        int
	Code, Message string
}

// Error implements error.
func (f *Error) Error() string { return f.Code + ": " + f.Message }

// With returns the error with another message.
func (f *Error) With(message string) *Error { return &Error{f.Status, f.Code, message} }

// Because returns the error with a cause after its message: some clients compare how messages begin.
func (f *Error) Because(cause string) *Error { return f.With(f.Message + " " + cause) }

// The errors, with the messages of the reference.
//
//nolint:lll // one error a line
var (
	ErrAnonymous           = &Error{http.StatusUnauthorized, "NoAuthenticationInformation", "Server failed to authenticate the request. The URL must have the shared access signature of the Secret."}
	ErrAuthentication      = &Error{http.StatusForbidden, "AuthenticationFailed", "Server failed to authenticate the request. Make sure the value of Authorization header is formed correctly including the signature."}
	ErrPermission          = &Error{http.StatusForbidden, "AuthorizationPermissionMismatch", "This request is not authorized to perform this operation using this permission."}
	ErrOverwrite           = &Error{http.StatusForbidden, "UnauthorizedBlobOverwrite", "This request is not authorized to perform blob overwrites."}
	ErrForbidden           = &Error{http.StatusForbidden, "AuthorizationFailure", "This request is not authorized to perform this operation."}
	ErrProtocol            = &Error{http.StatusForbidden, "AuthorizationProtocolMismatch", "This request is not authorized to perform this operation using this protocol."}
	ErrSourceIP            = &Error{http.StatusForbidden, "AuthorizationSourceIPMismatch", "This request is not authorized to perform this operation using this source IP."}
	ErrCopySource          = &Error{http.StatusForbidden, "CannotVerifyCopySource", "The source of the copy must be a blob of this service, with a shared access signature that may read it."}
	errNoContainer         = &Error{http.StatusNotFound, "ContainerNotFound", "The specified container does not exist."}
	ErrNoBlob              = &Error{http.StatusNotFound, "BlobNotFound", "The specified blob does not exist."}
	ErrNotImplemented      = &Error{http.StatusNotImplemented, "NotImplemented", "cosi-emu does not implement this operation."}
	ErrInvalidURI          = &Error{http.StatusBadRequest, "InvalidUri", "The requested URI does not represent any resource on the server."}
	ErrInvalidResourceName = &Error{http.StatusBadRequest, "InvalidResourceName", "The specified resource name contains invalid characters."}
	ErrInvalidQuery        = &Error{http.StatusBadRequest, "InvalidQueryParameterValue", "Value for one of the query parameters specified in the request URI is invalid."}
	ErrMissingQuery        = &Error{http.StatusBadRequest, "MissingRequiredQueryParameter", "A query parameter that's mandatory for this request is not specified."}
	ErrQueryRange          = &Error{http.StatusBadRequest, "OutOfRangeQueryParameterValue", "One of the query parameters specified in the request URI is outside the permissible range."}
	ErrUnsupportedQuery    = &Error{http.StatusBadRequest, "UnsupportedQueryParameter", "One of the query parameters specified in the request URI is not supported."}
	ErrInvalidHeader       = &Error{http.StatusBadRequest, "InvalidHeaderValue", "The value for one of the HTTP headers is not in the correct format."}
	ErrTooManyCalls        = &Error{http.StatusBadRequest, "ExceedsMaxBatchRequestCount", "The batch operation exceeds maximum number of allowed subrequests."}
	ErrInvalidInput        = &Error{http.StatusBadRequest, "InvalidInput", "One of the request inputs is not valid."}
	ErrMissingHeader       = &Error{http.StatusBadRequest, "MissingRequiredHeader", "An HTTP header that's mandatory for this request is not specified."}
	ErrUnsupportedHeader   = &Error{http.StatusBadRequest, "UnsupportedHeader", "One of the HTTP headers specified in the request is not supported."}
	ErrInvalidXML          = &Error{http.StatusBadRequest, "InvalidXmlDocument", "XML specified is not syntactically valid."}
	ErrInvalidMD5          = &Error{http.StatusBadRequest, "InvalidMd5", "The MD5 value specified in the request is invalid. MD5 value must be 128 bits and base64 encoded."}
	ErrMD5                 = &Error{http.StatusBadRequest, "Md5Mismatch", "The MD5 value specified in the request did not match with the MD5 value calculated by the server."}
	ErrCRC64               = &Error{http.StatusBadRequest, "Crc64Mismatch", "The CRC64 value specified in the request did not match with the CRC64 value calculated by the server."}
	ErrBothSums            = &Error{http.StatusBadRequest, "BothCrc64AndMd5HeaderPresent", "Both x-ms-content-crc64 header and Content-MD5 header are present."}
	ErrBothTags            = &Error{http.StatusBadRequest, "BothUserTagsAndSourceTagsCopyPresentException", "x-ms-tags header must not be present with x-ms-copy-source-tag-option as COPY."}
	ErrMetadata            = &Error{http.StatusBadRequest, "InvalidMetadata", "The metadata specified is invalid. It has characters that are not permitted."}
	ErrMetadataTooLarge    = &Error{http.StatusBadRequest, "MetadataTooLarge", "The metadata specified exceeds the maximum allowable limit (8KB)."}
	ErrTags                = &Error{http.StatusBadRequest, "InvalidTag", "The tags specified are invalid. At most 10 tags are permitted, with keys of 1 to 128 and values of at most 256 characters."}
	ErrInvalidBlock        = &Error{http.StatusBadRequest, "InvalidBlobOrBlock", "The specified blob or block content is invalid."}
	ErrInvalidBlockID      = &Error{http.StatusBadRequest, "InvalidBlockId", "The specified block ID is invalid. The block ID must be Base64-encoded."}
	ErrInvalidBlockList    = &Error{http.StatusBadRequest, "InvalidBlockList", "The specified block list is invalid."}
	ErrBlockListTooLong    = &Error{http.StatusBadRequest, "BlockListTooLong", "The block list may not contain more than 50,000 blocks."}
	ErrBlockCount          = &Error{http.StatusConflict, "BlockCountExceedsLimit", "The uncommitted block count cannot exceed the maximum limit of 100,000 blocks, and the committed block count of an append blob that of 50,000."}
	errIncomplete          = &Error{http.StatusBadRequest, "IncompleteBody", "The body is shorter than its declared length."}
	ErrNoLength            = &Error{http.StatusLengthRequired, "MissingContentLengthHeader", "The Content-Length header was not specified."}
	ErrTooLarge            = &Error{http.StatusRequestEntityTooLarge, "RequestBodyTooLarge", "The request body is too large and exceeds the maximum permissible limit."}
	ErrRange               = &Error{http.StatusRequestedRangeNotSatisfiable, "InvalidRange", "The range specified is invalid for the current size of the resource."}
	ErrPageRange           = &Error{http.StatusRequestedRangeNotSatisfiable, "InvalidPageRange", "The page range specified is invalid."}
	ErrSequenceNumber      = &Error{http.StatusPreconditionFailed, "SequenceNumberConditionNotMet", "The sequence number condition specified was not met."}
	ErrPreviousNewer       = &Error{http.StatusConflict, "PreviousSnapshotCannotBeNewer", "The prevsnapshot query parameter value cannot be newer than snapshot query parameter value."}
	ErrNoPrevious          = &Error{http.StatusConflict, "PreviousSnapshotNotFound", "The previous snapshot is not found."}
	ErrCondition           = &Error{http.StatusPreconditionFailed, "ConditionNotMet", "The condition specified using HTTP conditional header(s) is not met."}
	ErrSourceCondition     = &Error{http.StatusPreconditionFailed, "SourceConditionNotMet", "The source condition specified using HTTP conditional header(s) is not met."}
	ErrNotModified         = &Error{http.StatusNotModified, "ConditionNotMet", ""}
	ErrConditions          = &Error{http.StatusBadRequest, "MultipleConditionHeadersNotSupported", "Multiple condition headers are not supported."}
	ErrNoConditions        = &Error{http.StatusBadRequest, "ConditionHeadersNotSupported", "Condition headers are not supported."}
	ErrUnsatisfiable       = &Error{http.StatusBadRequest, "UnsatisfiableCondition", "The request includes an unsatisfiable condition for this operation."}
	ErrAppendPosition      = &Error{http.StatusPreconditionFailed, "AppendPositionConditionNotMet", "The append position condition specified was not met."}
	ErrMaxBlobSize         = &Error{http.StatusPreconditionFailed, "MaxBlobSizeConditionNotMet", "The max blob size condition specified was not met."}
	ErrExists              = &Error{http.StatusConflict, "BlobAlreadyExists", "The specified blob already exists."}
	ErrBlobType            = &Error{http.StatusConflict, "InvalidBlobType", "The blob type is invalid for this operation."}
	ErrSnapshots           = &Error{http.StatusConflict, "SnapshotsPresent", "This operation is not permitted while the blob has snapshots."}
	ErrArchived            = &Error{http.StatusConflict, "BlobArchived", "This operation is not permitted on an archived blob."}
	ErrTierOfType          = &Error{http.StatusBadRequest, "AccessTierNotSupportedForBlobType", "The access tier is not supported for this blob type."}
	ErrSealed              = &Error{http.StatusConflict, "BlobIsSealed", "The specified blob is sealed, and its contents can't be modified unless the blob is re-created after a delete."}
	ErrNoCopy              = &Error{http.StatusConflict, "NoPendingCopyOperation", "There is currently no pending copy operation."}
	ErrLeaseMissing        = &Error{http.StatusPreconditionFailed, "LeaseIdMissing", "There is currently a lease on the blob and no lease ID was specified in the request."}
	ErrLeaseMismatch       = &Error{http.StatusPreconditionFailed, "LeaseIdMismatchWithBlobOperation", "The lease ID specified did not match the lease ID for the blob."}
	ErrLeaseNotPresent     = &Error{http.StatusPreconditionFailed, "LeaseNotPresentWithBlobOperation", "There is currently no lease on the blob."}
	ErrLeaseOfContainer    = &Error{http.StatusPreconditionFailed, "LeaseNotPresentWithContainerOperation", "There is currently no lease on the container."}
	ErrLeaseLost           = &Error{http.StatusPreconditionFailed, "LeaseLost", "A lease ID was specified, but the lease for the blob has expired."}
	ErrLeasePresent        = &Error{http.StatusConflict, "LeaseAlreadyPresent", "There is already a lease present."}
	ErrLeaseOtherID        = &Error{http.StatusConflict, "LeaseIdMismatchWithLeaseOperation", "The lease ID specified did not match the lease ID for the blob."}
	ErrLeaseNone           = &Error{http.StatusConflict, "LeaseNotPresentWithLeaseOperation", "There is currently no lease on the blob."}
	ErrLeaseBreaking       = &Error{http.StatusConflict, "LeaseIsBreakingAndCannotBeChanged", "The lease ID matched, but the lease is currently in breaking state and cannot be changed."}
	ErrLeaseNoRenewal      = &Error{http.StatusConflict, "LeaseIsBrokenAndCannotBeRenewed", "The lease ID matched, but the lease has been broken explicitly and cannot be renewed."}
	ErrLeaseNoAcquiring    = &Error{http.StatusConflict, "LeaseIsBreakingAndCannotBeAcquired", "The lease ID matched, but the lease is currently in breaking state and cannot be acquired until it is broken."}
	errQuota               = &Error{http.StatusForbidden, "QuotaExceeded", "The quota of the container is used up: its BucketClass has quotaBytes or quotaObjects."}
	errStorageFull         = &Error{s3error.ErrStorageFull.Status, "InternalError", s3error.ErrStorageFull.Message}
	errTimeout             = &Error{http.StatusRequestTimeout, "OperationTimedOut", "The body did not arrive in time."}
	ErrBusy                = &Error{http.StatusServiceUnavailable, "ServerBusy", "The service is ending."}
	ErrInternal            = &Error{http.StatusInternalServerError, "InternalError", "The server has an internal error; its log has the cause."}
)

// Of returns the response for an error.
func Of(err error) *Error {
	if known, ok := errors.AsType[*Error](err); ok {
		return known
	}
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return ErrTooLarge
	}
	switch {
	case errors.Is(err, authorization.ErrIdentity):
		return ErrAuthentication
	case errors.Is(err, authorization.ErrDenied):
		return ErrForbidden
	case errors.Is(err, fakedriver.ErrNotExist), errors.Is(err, s3error.ErrNoSuchBucket):
		return errNoContainer
	case errors.Is(err, s3error.ErrQuotaExceeded):
		return errQuota
	case errors.Is(err, syscall.ENOSPC):
		return errStorageFull
	case errors.Is(err, fakedriver.ErrClosed):
		return ErrBusy
	case errors.Is(err, os.ErrDeadlineExceeded):
		return errTimeout
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errIncomplete
	case errors.Is(err, blobstore.ErrDamaged):
		return ErrInternal.With(s3error.From(err).Message)
	default:
		return ErrInternal
	}
}

// Write responds with the error.
func (f *Error) Write(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("X-Ms-Error-Code", f.Code)
	if f == ErrAnonymous {
		header.Set("WWW-Authenticate", `Bearer authorization_uri="https://login.microsoftonline.com/common/oauth2/authorize"`)
	}
	if r.Method == http.MethodHead || f.Status == http.StatusNotModified {
		w.WriteHeader(f.Status)
		return
	}
	text := f.Message + "\nRequestId:" + header.Get("X-Ms-Request-Id") + "\nTime:" + time.Now().UTC().Format(time.RFC3339Nano)
	body, err := xml.Marshal(struct {
		XMLName xml.Name `xml:"Error"`
		Code    string   `xml:"Code"`
		Message string   `xml:"Message"`
	}{Code: f.Code, Message: text})
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	header.Set("Content-Type", "application/xml")
	w.WriteHeader(f.Status)
	_, _ = w.Write(append([]byte(xml.Header), Literal(body)...)) // the client may have disconnected
}

var literals = strings.NewReplacer("&#39;", "'", "&#34;", "&quot;", "&#xA;", "\n")

// Literal returns a document with literal quotes and line breaks in texts: Azure's client for
// JavaScript reads no numeric references.
func Literal(document []byte) []byte { return []byte(literals.Replace(string(document))) }
