package azure

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/cosi-emu/cosi-emu/internal/store/authorization"
)

// bodyKind is the use of a request body by an operation.
type bodyKind int

const (
	noBody bodyKind = iota
	document
	content
)

type operation struct {
	// name is from Azure's reference, without spaces.
	name   string
	method string
	level  level
	comp   string
	// restype is container for operations on containers.
	restype string
	// selects is a header that distinguishes the operation from others with the same URL.
	selects string
	// letters are permissions of a signature, any one of which is enough; needs are the grant's.
	// Without needs, only the driver may do it.
	letters string
	needs   []authorization.Need
	// queries and headers are supported, besides the common ones.
	queries, headers []string
	body             bodyKind
	do               func(*Service, *exchange) error
}

// anyAccess has at least one need of every grant.
var anyAccess = slices.Concat(authorization.ReadObject, authorization.WriteObject, authorization.ReadBucket, authorization.WriteBucket)

const (
	copySource = "X-Ms-Copy-Source"
	tagOption  = "X-Ms-Copy-Source-Tag-Option"
)

var (
	onRead    = []string{"snapshot"}
	leased    = []string{leaseHeader}
	described = []string{leaseHeader, "X-Ms-Blob-Cache-Control", "X-Ms-Blob-Content-Disposition", "X-Ms-Blob-Content-Encoding",
		"X-Ms-Blob-Content-Language", "X-Ms-Blob-Content-Md5", "X-Ms-Blob-Content-Type", tagsHeader}
	transferred = []string{"X-Ms-Content-Crc64"}
	ranged      = []string{leaseHeader, "X-Ms-Range", "X-Ms-Range-Get-Content-Md5", "X-Ms-Range-Get-Content-Crc64"}
	fromSource  = []string{copySource, "X-Ms-Source-If-Match", "X-Ms-Source-If-None-Match", "X-Ms-Source-If-Modified-Since",
		"X-Ms-Source-If-Unmodified-Since"}
	verified  = append([]string{"X-Ms-Source-Content-Md5", "X-Ms-Source-Content-Crc64"}, fromSource...)
	fromRange = append([]string{"X-Ms-Source-Range"}, verified...)
	appended  = []string{leaseHeader, "X-Ms-Blob-Condition-Maxsize", "X-Ms-Blob-Condition-Appendpos", "X-Ms-Content-Crc64"}
	onList    = []string{"prefix", "delimiter", "marker", "maxresults", "include", "showonly"}
)

// operations is the allow-list; the first match counts. Rows without a function are not served, and
// rejected by name.
//
//nolint:lll // one operation a line
var operations = []operation{
	{name: "GetContainerProperties", method: http.MethodGet, level: levelContainer, restype: "container", letters: "rlacwdt", needs: authorization.ReadBucket, headers: leased, do: (*Service).containerProperties},
	{name: "GetContainerProperties", method: http.MethodHead, level: levelContainer, restype: "container", letters: "rlacwdt", needs: authorization.ReadBucket, headers: leased, do: (*Service).containerProperties},
	{name: "GetContainerMetadata", method: http.MethodGet, level: levelContainer, restype: "container", comp: "metadata", letters: "rlacwdt", needs: authorization.ReadBucket, headers: leased, do: (*Service).containerProperties},
	{name: "GetContainerMetadata", method: http.MethodHead, level: levelContainer, restype: "container", comp: "metadata", letters: "rlacwdt", needs: authorization.ReadBucket, headers: leased, do: (*Service).containerProperties},
	{name: "GetAccountInformation", method: http.MethodGet, level: levelContainer, restype: "account", comp: "properties", letters: "racwdlt", needs: anyAccess, do: (*Service).accountInformation},
	{name: "GetAccountInformation", method: http.MethodHead, level: levelContainer, restype: "account", comp: "properties", letters: "racwdlt", needs: anyAccess, do: (*Service).accountInformation},
	{name: "GetAccountInformation", method: http.MethodGet, level: levelBlob, restype: "account", comp: "properties", letters: "racwdlt", needs: anyAccess, do: (*Service).accountInformation},
	{name: "GetAccountInformation", method: http.MethodHead, level: levelBlob, restype: "account", comp: "properties", letters: "racwdlt", needs: anyAccess, do: (*Service).accountInformation},
	{name: "ListBlobs", method: http.MethodGet, level: levelContainer, restype: "container", comp: "list", letters: "l", needs: authorization.ReadData, queries: onList, do: (*Service).list},
	{name: "GetBlob", method: http.MethodGet, level: levelBlob, letters: "r", needs: authorization.ReadData, queries: onRead, headers: ranged, do: (*Service).get},
	{name: "GetBlobProperties", method: http.MethodHead, level: levelBlob, letters: "r", needs: authorization.ReadObject, queries: onRead, headers: leased, do: (*Service).getProperties},
	{name: "GetBlobMetadata", method: http.MethodGet, level: levelBlob, comp: "metadata", letters: "r", needs: authorization.ReadObject, queries: onRead, headers: leased, do: (*Service).getMetadata},
	{name: "GetBlobMetadata", method: http.MethodHead, level: levelBlob, comp: "metadata", letters: "r", needs: authorization.ReadObject, queries: onRead, headers: leased, do: (*Service).getMetadata},
	{name: "GetBlockList", method: http.MethodGet, level: levelBlob, comp: "blocklist", letters: "r", needs: authorization.ReadObject, queries: []string{"snapshot", "blocklisttype"}, headers: leased, do: (*Service).getBlockList},
	{name: "GetBlobTags", method: http.MethodGet, level: levelBlob, comp: "tags", letters: "t", needs: authorization.ReadObject, queries: onRead, headers: leased, do: (*Service).getTags},
	{name: "PutBlobFromURL", method: http.MethodPut, level: levelBlob, selects: copySource + "+" + typeHeader, letters: "cw", needs: authorization.WriteData, headers: slices.Concat(described, verified, []string{typeHeader, "X-Ms-Copy-Source-Blob-Properties", tagOption}), do: (*Service).putFromURL},
	{name: "CopyBlobFromURL", method: http.MethodPut, level: levelBlob, selects: copySource + "+X-Ms-Requires-Sync", letters: "cw", needs: authorization.WriteData, headers: slices.Concat(verified, []string{leaseHeader, tagsHeader, "X-Ms-Requires-Sync", tagOption}), do: (*Service).copyBlob},
	{name: "CopyBlob", method: http.MethodPut, level: levelBlob, selects: copySource, letters: "cw", needs: authorization.WriteData, headers: slices.Concat(fromSource, []string{leaseHeader, tagsHeader}), do: (*Service).copyBlob},
	{name: "PutBlob", method: http.MethodPut, level: levelBlob, letters: "cw", needs: authorization.WriteData, headers: slices.Concat(described, transferred, []string{typeHeader}), body: content, do: (*Service).put},
	{name: "PutBlockFromURL", method: http.MethodPut, level: levelBlob, comp: "block", selects: copySource, letters: "w", needs: authorization.WriteData, queries: []string{"blockid"}, headers: slices.Concat(fromRange, leased), do: (*Service).putBlockFromURL},
	{name: "PutBlock", method: http.MethodPut, level: levelBlob, comp: "block", letters: "w", needs: authorization.WriteData, queries: []string{"blockid"}, headers: slices.Concat(leased, transferred), body: content, do: (*Service).putBlock},
	{name: "PutBlockList", method: http.MethodPut, level: levelBlob, comp: "blocklist", letters: "w", needs: authorization.WriteData, headers: slices.Concat(described, transferred), body: document, do: (*Service).putBlockList},
	{name: "AppendBlockFromURL", method: http.MethodPut, level: levelBlob, comp: "appendblock", selects: copySource, letters: "aw", needs: authorization.WriteData, headers: slices.Concat(fromRange, appended), do: (*Service).appendFromURL},
	{name: "AppendBlock", method: http.MethodPut, level: levelBlob, comp: "appendblock", letters: "aw", needs: authorization.WriteData, headers: appended, body: content, do: (*Service).appendBlock},
	{name: "SetBlobMetadata", method: http.MethodPut, level: levelBlob, comp: "metadata", letters: "w", needs: authorization.WriteObjectMetadata, headers: leased, do: (*Service).setMetadata},
	{name: "SetBlobProperties", method: http.MethodPut, level: levelBlob, comp: "properties", letters: "w", needs: authorization.WriteObjectMetadata, headers: described, do: (*Service).setProperties},
	{name: "SetBlobTags", method: http.MethodPut, level: levelBlob, comp: "tags", letters: "t", needs: authorization.WriteObjectMetadata, headers: slices.Concat(leased, transferred), body: document, do: (*Service).setTags},
	{name: "SnapshotBlob", method: http.MethodPut, level: levelBlob, comp: "snapshot", letters: "cw", needs: authorization.WriteData, headers: leased, do: (*Service).snapshot},
	{name: "LeaseBlob", method: http.MethodPut, level: levelBlob, comp: "lease", letters: "w", needs: authorization.WriteData, headers: []string{leaseHeader, "X-Ms-Lease-Action", "X-Ms-Lease-Duration", "X-Ms-Proposed-Lease-Id", "X-Ms-Lease-Break-Period"}, do: (*Service).lease},
	{name: "DeleteBlob", method: http.MethodDelete, level: levelBlob, letters: "d", needs: authorization.WriteData, queries: onRead, headers: []string{leaseHeader, "X-Ms-Delete-Snapshots"}, do: (*Service).remove},
	{name: "AbortCopyBlob", method: http.MethodPut, level: levelBlob, comp: "copy", letters: "w", needs: authorization.WriteData, queries: []string{"copyid"}, headers: []string{leaseHeader, "X-Ms-Copy-Action"}, do: (*Service).abortCopy},
	// Only the driver may do these.
	{name: "ListContainers", method: http.MethodGet, level: levelAccount, comp: "list"},
	{name: "CreateContainer", method: http.MethodPut, level: levelContainer, restype: "container"},
	{name: "DeleteContainer", method: http.MethodDelete, level: levelContainer, restype: "container"},
	{name: "SetContainerMetadata", method: http.MethodPut, level: levelContainer, restype: "container", comp: "metadata"},
	{name: "GetContainerACL", method: http.MethodGet, level: levelContainer, restype: "container", comp: "acl"},
	{name: "GetContainerACL", method: http.MethodHead, level: levelContainer, restype: "container", comp: "acl"},
	{name: "SetContainerACL", method: http.MethodPut, level: levelContainer, restype: "container", comp: "acl"},
	{name: "LeaseContainer", method: http.MethodPut, level: levelContainer, restype: "container", comp: "lease"},
	// These are not served.
	{name: "RestoreContainer", method: http.MethodPut, level: levelContainer, restype: "container", comp: "undelete", needs: authorization.WriteBucket},
	{name: "FindBlobsByTagsInContainer", method: http.MethodGet, level: levelContainer, restype: "container", comp: "blobs", needs: authorization.ReadData},
	{name: "BlobBatch", method: http.MethodPost, level: levelContainer, restype: "container", comp: "batch", needs: authorization.WriteData},
	{name: "PutPage", method: http.MethodPut, level: levelBlob, comp: "page", needs: authorization.WriteData},
	{name: "GetPageRanges", method: http.MethodGet, level: levelBlob, comp: "pagelist", needs: authorization.ReadData},
	{name: "IncrementalCopyBlob", method: http.MethodPut, level: levelBlob, comp: "incrementalcopy", needs: authorization.WriteData},
	{name: "AppendBlobSeal", method: http.MethodPut, level: levelBlob, comp: "seal", needs: authorization.WriteData},
	{name: "SetBlobTier", method: http.MethodPut, level: levelBlob, comp: "tier", needs: authorization.WriteData},
	{name: "SetBlobExpiry", method: http.MethodPut, level: levelBlob, comp: "expiry", needs: authorization.WriteData},
	{name: "SetBlobImmutabilityPolicy", method: http.MethodPut, level: levelBlob, comp: "immutabilityPolicies", needs: authorization.WriteData},
	{name: "DeleteBlobImmutabilityPolicy", method: http.MethodDelete, level: levelBlob, comp: "immutabilityPolicies", needs: authorization.WriteData},
	{name: "SetBlobLegalHold", method: http.MethodPut, level: levelBlob, comp: "legalhold", needs: authorization.WriteData},
	{name: "QueryBlobContents", method: http.MethodPost, level: levelBlob, comp: "query", needs: authorization.ReadData},
	{name: "UndeleteBlob", method: http.MethodPut, level: levelBlob, comp: "undelete", needs: authorization.WriteData},
}

// Operations returns the names of all operations that Describe knows, sorted.
func Operations() []string {
	var names []string
	for _, known := range operations {
		names = append(names, known.name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// IsOfBlob reports whether an operation concerns a blob.
func IsOfBlob(name string) bool { return isOf(name, levelBlob) }

// IsOfContainer reports whether an operation concerns a container.
func IsOfContainer(name string) bool { return isOf(name, levelContainer) }

func isOf(name string, l level) bool {
	return slices.ContainsFunc(operations, func(o operation) bool { return o.name == name && o.level == l })
}

func find(method string, t target, query url.Values, header http.Header) (operation, bool) {
	for _, op := range operations {
		if op.method == method && op.level == t.level && op.comp == query.Get("comp") && op.restype == query.Get("restype") &&
			op.isSelected(header) {
			return op, true
		}
	}
	return operation{}, false
}
