package azure

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure/failure"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure/sas"
)

const (
	versionHeader  = "X-Ms-Version"
	clientIDHeader = "X-Ms-Client-Request-Id"
	typeHeader     = "X-Ms-Blob-Type"
	leaseHeader    = "X-Ms-Lease-Id"
	tagsHeader     = "X-Ms-Tags"
	metadataPrefix = "X-Ms-Meta-"

	// oldestVersion is the oldest version of the API that is served.
	oldestVersion = "2019-12-12"
	// maxClientID is the maximum length of a client's ID in the response.
	maxClientID = 1024
)

var (
	// always are headers and parameters that change no operation.
	always        = []string{versionHeader, clientIDHeader, "X-Ms-Date", "X-Ms-Return-Client-Request-Id"}
	alwaysQueries = append(sas.Parameters(), "comp", "restype", "timeout")
	// withMetadata are the operations that take metadata.
	withMetadata      = []string{"PutBlob", "PutBlockList", "SetBlobMetadata", "CopyBlob", "CopyBlobFromURL", "PutBlobFromURL", "SnapshotBlob"}
	withoutConditions = []string{"GetContainerProperties", "GetContainerMetadata", "GetAccountInformation", "ListBlobs", "PutBlock",
		"PutBlockFromURL", "AbortCopyBlob"}
	conditionHeaders = []string{"If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since"}
	// asUsual are the headers with a value that only requests the default.
	asUsual = map[string]string{
		"X-Ms-Access-Tier": "Hot", "X-Ms-Server-Encrypted": "true", "X-Ms-Seal-Blob": "false", "X-Ms-Legal-Hold": "false",
	}
)

func (o operation) isSelected(header http.Header) bool {
	if o.selects == "" {
		return true
	}
	for name := range strings.SplitSeq(o.selects, "+") {
		if header.Get(name) == "" {
			return false
		}
	}
	return true
}

// check rejects unsupported headers, which could change the operation, and parameters that are
// ambiguous or unsupported.
func (o operation) check(query url.Values, header http.Header) error {
	for name, values := range query {
		switch {
		case len(values) > 1:
			return failure.ErrInvalidQuery.With("The query parameter " + printable(name) + " is given more than once.")
		case !slices.Contains(alwaysQueries, name) && !slices.Contains(o.queries, name):
			return failure.ErrUnsupportedQuery.With("cosi-emu does not implement the query parameter " + printable(name) + " of " + o.name + ".")
		}
	}
	for name, values := range header {
		switch {
		case slices.Contains(conditionHeaders, name) && slices.Contains(withoutConditions, o.name):
			return failure.ErrNoConditions.With("The header " + strings.ToLower(name) + " is not supported by " + o.name + ".")
		case !strings.HasPrefix(name, "X-Ms-"):
		case !o.takes(name, values[0]):
			return failure.ErrUnsupportedHeader.With("cosi-emu does not implement the header " + strings.ToLower(name) + " of " + o.name + ".")
		case len(values) > 1:
			return failure.ErrInvalidHeader.With("The header " + strings.ToLower(name) + " is given more than once.")
		}
	}
	return nil
}

// takes reports whether the operation supports a header of Azure.
func (o operation) takes(name, value string) bool {
	return slices.Contains(always, name) || slices.Contains(o.headers, name) ||
		name == ifTagsHeader && o.level == levelBlob && !slices.Contains(withoutConditions, o.name) ||
		strings.HasPrefix(name, metadataPrefix) && slices.Contains(withMetadata, o.name) || asUsual[name] == value
}

func printable(name string) string { return strings.ToValidUTF8(name, "?") }

// versionOf returns the API version of a request: the header's, or else the signature's.
func versionOf(query url.Values, header http.Header) (string, error) {
	version := header.Get(versionHeader)
	if version == "" {
		version = query.Get("sv")
	}
	if version == "" {
		return sas.Version, nil // only for the error of a request without a signature
	}
	if _, err := time.Parse(time.DateOnly, version); err != nil || version < oldestVersion {
		return sas.Version, failure.ErrInvalidHeader.With("The value of x-ms-version must be a date from " + oldestVersion + " on.")
	}
	return version, nil
}

// ifTagsHeader is a condition on the tags of a blob.
const ifTagsHeader = "X-Ms-If-Tags"
