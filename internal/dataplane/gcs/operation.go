package gcs

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs/failure"
	"github.com/cosi-emu/cosi-emu/internal/store/authorization"
)

type operation struct {
	// name is the permission in Google Cloud without "storage.", or a method of the JSON API.
	name   string
	method string
	level  level
	// selects are query parameters, with values, that identify the operation.
	selects map[string]string
	// needs are permissions, any one of which is enough. Without any, the operation is
	// forbidden.
	needs []authorization.Need
	// takes are the supported query parameters. Unsupported ones that could change the operation
	// are rejected, not ignored.
	takes []string
	do    func(*Service, *exchange) error
}

var (
	// always are parameters that do not change the operation.
	always = []string{"alt", "prettyPrint", "fields", "projection", "userProject", "quotaUser", "key", "uploadType"}
	// neverTrue are parameters that clients send with the value false or empty.
	neverTrue = []string{"softDeleted", "includeFoldersAsPrefixes", "returnPartialSuccess"}

	signing = []string{
		"X-Goog-Algorithm", "X-Goog-Credential", "X-Goog-Date", "X-Goog-Expires", "X-Goog-SignedHeaders", "X-Goog-Signature",
		"X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Date", "X-Amz-Expires", "X-Amz-SignedHeaders", "X-Amz-Signature",
	}
	onCondition  = []string{"ifGenerationMatch", "ifGenerationNotMatch", "ifMetagenerationMatch", "ifMetagenerationNotMatch"}
	onGeneration = append([]string{"generation"}, onCondition...)
	// Google's client for JavaScript deletes all objects below a prefix one by one, and sends the
	// prefix with each.
	onDelete = append([]string{"prefix"}, onGeneration...)
	onCopy   = append([]string{"sourceGeneration", "rewriteToken", "maxBytesRewrittenPerCall"}, onCondition...)
	onUpload = append([]string{"name", "contentEncoding", "upload_id"}, onCondition...)
	onList   = []string{
		"prefix", "delimiter", "pageToken", "maxResults", "startOffset", "endOffset", "includeTrailingDelimiter", "versions",
	}
)

// A request of a resumable upload is an insertResumable, except for the last one, which is an
// insert: it stores the object. A request that need not be the last, such as one without content,
// is an insertResumable that reports by httpserver.NoteStored whether it was the last.
const (
	insert          = "objects.insert"
	insertResumable = "objects.insert resumable"
)

// operations is the allow-list. The first match counts.
//
//nolint:lll // one operation a line
var operations = []operation{
	{name: "objects.get media", method: http.MethodGet, level: levelMedia, needs: authorization.ReadData, takes: onGeneration, do: (*Service).download},
	{name: "objects.get media", method: http.MethodHead, level: levelMedia, needs: authorization.ReadObject, takes: onGeneration, do: (*Service).download},
	{name: "objects.get media", method: http.MethodGet, level: levelObject, selects: map[string]string{"alt": "media"}, needs: authorization.ReadData, takes: onGeneration, do: (*Service).download},
	{name: "objects.get", method: http.MethodGet, level: levelObject, needs: authorization.ReadObject, takes: onGeneration, do: (*Service).describe},
	{name: "objects.list", method: http.MethodGet, level: levelObjects, needs: authorization.ReadData, takes: onList, do: (*Service).list},
	{name: insertResumable, method: http.MethodPost, level: levelUpload, selects: map[string]string{"uploadType": "resumable"}, needs: authorization.WriteData, takes: onUpload, do: (*Service).upload},
	{name: insert, method: http.MethodPost, level: levelUpload, needs: authorization.WriteData, takes: onUpload, do: (*Service).upload},
	{name: insertResumable, method: http.MethodPut, level: levelUpload, needs: authorization.WriteData, takes: onUpload, do: (*Service).upload},
	{name: "objects.insert cancel", method: http.MethodDelete, level: levelUpload, needs: authorization.WriteData, takes: onUpload, do: (*Service).cancelUpload},
	{name: "objects.delete", method: http.MethodDelete, level: levelObject, needs: authorization.WriteData, takes: onDelete, do: (*Service).remove},
	{name: "objects.patch", method: http.MethodPatch, level: levelObject, needs: authorization.WriteObjectMetadata, takes: onGeneration, do: (*Service).patch},
	{name: "objects.update", method: http.MethodPut, level: levelObject, needs: authorization.WriteObjectMetadata, takes: onGeneration, do: (*Service).patch},
	{name: "objects.rewrite", method: http.MethodPost, level: levelRewrite, needs: authorization.WriteData, takes: onCopy, do: (*Service).copyObject},
	{name: "objects.copy", method: http.MethodPost, level: levelCopy, needs: authorization.WriteData, takes: onCopy, do: (*Service).copyObject},
	{name: "objects.compose", method: http.MethodPost, level: levelCompose, needs: authorization.WriteData, takes: onCondition, do: (*Service).compose},
	{name: "buckets.get", method: http.MethodGet, level: levelBucket, needs: authorization.ReadBucket, do: (*Service).describeBucket},
	{name: insertResumable, method: http.MethodPost, level: levelResumable, needs: authorization.WriteData, takes: signing, do: (*Service).beginXML},
	{name: insertResumable, method: http.MethodPut, level: levelResumable, needs: authorization.WriteData, takes: []string{"upload_id"}, do: (*Service).continueUpload},
	{name: "objects.insert cancel", method: http.MethodDelete, level: levelResumable, needs: authorization.WriteData, takes: []string{"upload_id"}, do: (*Service).cancelUpload},
	{name: "batch", method: http.MethodPost, level: levelBatch, needs: []authorization.Need{}, do: (*Service).batch},
	// For the driver only.
	{name: "buckets.list", method: http.MethodGet, level: levelService},
	{name: "buckets.create", method: http.MethodPost, level: levelService},
	{name: "buckets.delete", method: http.MethodDelete, level: levelBucket},
	{name: "buckets.update", method: http.MethodPut, level: levelBucket},
	{name: "buckets.update", method: http.MethodPatch, level: levelBucket},
}

// classify finds the operation of a request, and rejects unsupported parameters.
func classify(method string, t target, query url.Values) (operation, error) {
	for _, op := range operations {
		if op.method == method && op.level == t.level && op.isSelected(query) {
			return op, op.check(query)
		}
	}
	return operation{}, failure.ErrNotImplemented
}

func (o operation) isSelected(query url.Values) bool {
	for name, value := range o.selects {
		if query.Get(name) != value {
			return false
		}
	}
	return true
}

// check rejects unknown parameters, and ambiguous ones.
func (o operation) check(query url.Values) error {
	if o.needs == nil {
		return nil // authorize rejects it, with a better reason
	}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		values := query[name]
		switch {
		case len(values) > 1:
			return failure.ErrInvalid.With("The parameter " + name + " is given more than once")
		case values[0] == "", slices.Contains(neverTrue, name) && values[0] == "false":
		case !slices.Contains(always, name) && !slices.Contains(o.takes, name):
			return failure.ErrNotImplemented.With("cosi-emu does not implement the parameter " + strings.ToValidUTF8(name, "?") + " here")
		}
	}
	return nil
}
