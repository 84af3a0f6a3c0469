package azure

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure/sas"
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
	// queries are the parameters of the operation, besides the common ones.
	queries []string
	body    bodyKind
	do      func(*Service, *exchange) error
}

// anyAccess has at least one need of every grant.
var anyAccess = slices.Concat(authorization.ReadObject, authorization.WriteObject, authorization.ReadBucket, authorization.WriteBucket)

const (
	copySource = "X-Ms-Copy-Source"
	tagOption  = "X-Ms-Copy-Source-Tag-Option"
)

var (
	onRead = []string{"snapshot"}
	onList = []string{"prefix", "delimiter", "marker", "maxresults", "include"}
)

// operations is the allow-list; the first match counts. Rows without a function are not served, and
// rejected by name.
//
//nolint:lll // one operation a line
var operations = []operation{
	{name: "GetContainerProperties", method: http.MethodGet, level: levelContainer, restype: "container", letters: sas.AllPermissions, needs: authorization.ReadBucket, do: (*Service).containerProperties},
	{name: "GetContainerProperties", method: http.MethodHead, level: levelContainer, restype: "container", letters: sas.AllPermissions, needs: authorization.ReadBucket, do: (*Service).containerProperties},
	{name: "GetContainerMetadata", method: http.MethodGet, level: levelContainer, restype: "container", comp: "metadata", letters: sas.AllPermissions, needs: authorization.ReadBucket, do: (*Service).containerProperties},
	{name: "GetContainerMetadata", method: http.MethodHead, level: levelContainer, restype: "container", comp: "metadata", letters: sas.AllPermissions, needs: authorization.ReadBucket, do: (*Service).containerProperties},
	{name: "GetAccountInformation", method: http.MethodGet, level: levelContainer, restype: "account", comp: "properties", letters: sas.AllPermissions, needs: anyAccess, do: (*Service).accountInformation},
	{name: "GetAccountInformation", method: http.MethodHead, level: levelContainer, restype: "account", comp: "properties", letters: sas.AllPermissions, needs: anyAccess, do: (*Service).accountInformation},
	{name: "GetAccountInformation", method: http.MethodGet, level: levelBlob, restype: "account", comp: "properties", letters: sas.AllPermissions, needs: anyAccess, do: (*Service).accountInformation},
	{name: "GetAccountInformation", method: http.MethodHead, level: levelBlob, restype: "account", comp: "properties", letters: sas.AllPermissions, needs: anyAccess, do: (*Service).accountInformation},
	{name: "ListBlobs", method: http.MethodGet, level: levelContainer, restype: "container", comp: "list", letters: "l", needs: authorization.ReadData, queries: onList, do: (*Service).list},
	{name: "GetBlob", method: http.MethodGet, level: levelBlob, letters: "r", needs: authorization.ReadData, queries: onRead, do: (*Service).get},
	{name: "GetBlobProperties", method: http.MethodHead, level: levelBlob, letters: "r", needs: authorization.ReadObject, queries: onRead, do: (*Service).getProperties},
	{name: "GetBlobMetadata", method: http.MethodGet, level: levelBlob, comp: "metadata", letters: "r", needs: authorization.ReadObject, queries: onRead, do: (*Service).getMetadata},
	{name: "GetBlobMetadata", method: http.MethodHead, level: levelBlob, comp: "metadata", letters: "r", needs: authorization.ReadObject, queries: onRead, do: (*Service).getMetadata},
	{name: "GetBlockList", method: http.MethodGet, level: levelBlob, comp: "blocklist", letters: "r", needs: authorization.ReadObject, queries: []string{"snapshot", "blocklisttype"}, do: (*Service).getBlockList},
	{name: "GetBlobTags", method: http.MethodGet, level: levelBlob, comp: "tags", letters: "t", needs: authorization.ReadObject, queries: onRead, do: (*Service).getTags},
	{name: "PutBlobFromURL", method: http.MethodPut, level: levelBlob, selects: copySource + "+" + typeHeader, letters: "cw", needs: authorization.WriteData, do: (*Service).putFromURL},
	{name: "CopyBlobFromURL", method: http.MethodPut, level: levelBlob, selects: copySource + "+X-Ms-Requires-Sync", letters: "cw", needs: authorization.WriteData, do: (*Service).copyBlob},
	{name: "CopyBlob", method: http.MethodPut, level: levelBlob, selects: copySource, letters: "cw", needs: authorization.WriteData, do: (*Service).copyBlob},
	{name: "PutBlob", method: http.MethodPut, level: levelBlob, letters: "cw", needs: authorization.WriteData, body: content, do: (*Service).put},
	{name: "PutBlockFromURL", method: http.MethodPut, level: levelBlob, comp: "block", selects: copySource, letters: "w", needs: authorization.WriteData, queries: []string{"blockid"}, do: (*Service).putBlockFromURL},
	{name: "PutBlock", method: http.MethodPut, level: levelBlob, comp: "block", letters: "w", needs: authorization.WriteData, queries: []string{"blockid"}, body: content, do: (*Service).putBlock},
	{name: "PutBlockList", method: http.MethodPut, level: levelBlob, comp: "blocklist", letters: "w", needs: authorization.WriteData, body: document, do: (*Service).putBlockList},
	{name: "AppendBlockFromURL", method: http.MethodPut, level: levelBlob, comp: "appendblock", selects: copySource, letters: "aw", needs: authorization.WriteData, do: (*Service).appendFromURL},
	{name: "AppendBlock", method: http.MethodPut, level: levelBlob, comp: "appendblock", letters: "aw", needs: authorization.WriteData, body: content, do: (*Service).appendBlock},
	{name: "SetBlobMetadata", method: http.MethodPut, level: levelBlob, comp: "metadata", letters: "w", needs: authorization.WriteObjectMetadata, do: (*Service).setMetadata},
	{name: "SetBlobProperties", method: http.MethodPut, level: levelBlob, comp: "properties", letters: "w", needs: authorization.WriteObjectMetadata, do: (*Service).setProperties},
	{name: "SetBlobTags", method: http.MethodPut, level: levelBlob, comp: "tags", letters: "t", needs: authorization.WriteObjectMetadata, queries: onRead, body: document, do: (*Service).setTags},
	{name: "SnapshotBlob", method: http.MethodPut, level: levelBlob, comp: "snapshot", letters: "cw", needs: authorization.WriteData, do: (*Service).snapshot},
	{name: "LeaseBlob", method: http.MethodPut, level: levelBlob, comp: "lease", letters: "w", needs: authorization.WriteData, do: (*Service).lease},
	{name: "SetBlobTier", method: http.MethodPut, level: levelBlob, comp: "tier", letters: "w", needs: authorization.WriteData, queries: onRead, do: (*Service).setTier},
	{name: "AppendBlobSeal", method: http.MethodPut, level: levelBlob, comp: "seal", letters: "aw", needs: authorization.WriteData, do: (*Service).seal},
	{name: "PutPageFromURL", method: http.MethodPut, level: levelBlob, comp: "page", selects: copySource, letters: "w", needs: authorization.WriteData, do: (*Service).putPageFromURL},
	{name: "PutPage", method: http.MethodPut, level: levelBlob, comp: "page", letters: "w", needs: authorization.WriteData, body: content, do: (*Service).putPage},
	{name: "GetPageRanges", method: http.MethodGet, level: levelBlob, comp: "pagelist", letters: "r", needs: authorization.ReadData, queries: []string{"snapshot", "prevsnapshot", "marker", "maxresults"}, do: (*Service).pageRanges},
	{name: "FindBlobsByTagsInContainer", method: http.MethodGet, level: levelContainer, restype: "container", comp: "blobs", letters: "f", needs: authorization.ReadData, queries: []string{"where", "marker", "maxresults"}, do: (*Service).find},
	{name: "BlobBatch", method: http.MethodPost, level: levelContainer, restype: "container", comp: "batch", letters: sas.AllPermissions, needs: anyAccess, body: document, do: (*Service).batch},
	{name: "DeleteBlob", method: http.MethodDelete, level: levelBlob, letters: "d", needs: authorization.WriteData, queries: onRead, do: (*Service).remove},
	{name: "AbortCopyBlob", method: http.MethodPut, level: levelBlob, comp: "copy", letters: "w", needs: authorization.WriteData, queries: []string{"copyid"}, do: (*Service).abortCopy},
	// Only the driver may do these.
	{name: "BlobBatch", method: http.MethodPost, level: levelAccount, comp: "batch"},
	{name: "FindBlobsByTags", method: http.MethodGet, level: levelAccount, comp: "blobs"},
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
	{name: "IncrementalCopyBlob", method: http.MethodPut, level: levelBlob, comp: "incrementalcopy", needs: authorization.WriteData},
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
