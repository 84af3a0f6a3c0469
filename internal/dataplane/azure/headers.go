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
	alwaysQueries = append(sas.Parameters(), "comp", "restype", "timeout")
	// unsupportedQueries would change the result of an operation. Azure ignores unknown parameters.
	unsupportedQueries = []string{"snapshot", "versionid", "deletetype", "showonly", "startfrom", "ses"}
	// unsupportedHeaders would change the result of an operation, except with the value that requests the
	// default. Azure ignores unknown headers, and the headers of another operation.
	unsupportedHeaders = map[string]string{
		"X-Ms-Encryption-Key": "", "X-Ms-Encryption-Key-Sha256": "", "X-Ms-Encryption-Algorithm": "", "X-Ms-Encryption-Scope": "",
		"X-Ms-Source-Encryption-Key": "", "X-Ms-Source-Encryption-Key-Sha256": "", "X-Ms-Source-Encryption-Algorithm": "",
		"X-Ms-Immutability-Policy-Until-Date": "", "X-Ms-Immutability-Policy-Mode": "", "X-Ms-Legal-Hold": "false",
		"X-Ms-Copy-Source-Authorization": "", "X-Ms-Previous-Snapshot-Url": "", "X-Ms-Structured-Body": "",
		"X-Ms-Structured-Content-Length": "", "X-Ms-Server-Encrypted": "true", "X-Ms-Expiry-Option": "", "X-Ms-Expiry-Time": "",
	}
	withoutConditions = []string{"GetContainerProperties", "GetContainerMetadata", "GetAccountInformation", "ListBlobs", "PutBlock",
		"PutBlockFromURL", "AbortCopyBlob", "FindBlobsByTagsInContainer", "BlobBatch", "SetBlobTier"}
	conditionHeaders = []string{"If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since"}
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

// check rejects ambiguous parameters and headers, and unsupported ones that would change the
// operation.
func (o operation) check(query url.Values, header http.Header) error {
	for name, values := range query {
		if err := o.checkQuery(name, len(values)); err != nil {
			return err
		}
	}
	for name, values := range header {
		if err := o.checkHeader(name, values); err != nil {
			return err
		}
	}
	return nil
}

func (o operation) checkQuery(name string, count int) error {
	takes := slices.Contains(alwaysQueries, name) || slices.Contains(o.queries, name)
	unsupported := !takes && slices.Contains(unsupportedQueries, strings.ToLower(name))
	switch {
	case count > 1 && (takes || unsupported):
		return failure.ErrInvalidQuery.Because("The query parameter " + name + " is given more than once.")
	case unsupported:
		return failure.ErrUnsupportedQuery.Because("cosi-emu does not implement the query parameter " + name + " of " + o.name + ".")
	}
	return nil
}

func (o operation) checkHeader(name string, values []string) error {
	switch {
	case slices.Contains(conditionHeaders, name) && slices.Contains(withoutConditions, o.name):
		return failure.ErrNoConditions.With("The header " + strings.ToLower(name) + " is not supported by " + o.name + ".")
	case !strings.HasPrefix(name, "X-Ms-"):
		return nil
	case len(values) > 1:
		return failure.ErrInvalidHeader.Because("The header " + strings.ToLower(name) + " is given more than once.")
	}
	if neutral, ok := unsupportedHeaders[name]; ok && values[0] != neutral {
		return failure.ErrUnsupportedHeader.Because("cosi-emu does not implement the header " + strings.ToLower(name) + ".")
	}
	return nil
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
		return sas.Version, failure.ErrInvalidHeader.Because("The value of x-ms-version must be a date from " + oldestVersion + " on.")
	}
	return version, nil
}

// ifTagsHeader is a condition on the tags of a blob.
const ifTagsHeader = "X-Ms-If-Tags"
