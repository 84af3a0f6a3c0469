package gcs

import (
	"maps"
	"net/http"
	"net/url"
	"slices"

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
	// takes are the supported query parameters, and lacks the other ones that Google documents for
	// the operation, which are rejected. All others are ignored, as by Google.
	takes, lacks []string
	do           func(*Service, *exchange) error
}

var (
	// always are parameters that do not change the operation.
	always = []string{"alt", "prettyPrint", "fields", "projection", "userProject", "quotaUser", "userIp", "key", "uploadType"}
	// neverTrue are parameters that clients send with the value false or empty.
	neverTrue = []string{"softDeleted", "overrideUnlockedRetention", "copySourceAcl"}

	signing = []string{
		"X-Goog-Algorithm", "X-Goog-Credential", "X-Goog-Date", "X-Goog-Expires", "X-Goog-SignedHeaders", "X-Goog-Signature",
		"X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Date", "X-Amz-Expires", "X-Amz-SignedHeaders", "X-Amz-Signature",
	}
	onCondition  = []string{"ifGenerationMatch", "ifGenerationNotMatch", "ifMetagenerationMatch", "ifMetagenerationNotMatch"}
	onGeneration = append([]string{"generation"}, onCondition...)
	onMove       = append([]string{
		"ifSourceGenerationMatch", "ifSourceGenerationNotMatch", "ifSourceMetagenerationMatch", "ifSourceMetagenerationNotMatch",
	}, onCondition...)
	onCopy    = append([]string{"sourceGeneration"}, onMove...)
	onRewrite = append([]string{"rewriteToken", "maxBytesRewrittenPerCall"}, onCopy...)
	onCompose = []string{"ifGenerationMatch", "ifMetagenerationMatch"}
	onUpload  = append([]string{"name", "contentEncoding", "upload_id"}, onCondition...)
	// A bucket here has no folders, so includeFoldersAsPrefixes has no effect.
	onList = []string{
		"prefix", "delimiter", "pageToken", "maxResults", "startOffset", "endOffset", "includeTrailingDelimiter", "versions",
		"matchGlob", "filter", "includeFoldersAsPrefixes",
	}

	notOnGet     = []string{"softDeleted", "restoreToken"}
	notOnUpload  = []string{"kmsKeyName", "predefinedAcl"}
	notOnPatch   = []string{"overrideUnlockedRetention", "predefinedAcl"}
	notOnCopy    = []string{"destinationKmsKeyName", "destinationPredefinedAcl"}
	notOnRewrite = append([]string{"dropContextGroups"}, notOnCopy...)
	notOnCompose = []string{"destinationPredefinedAcl", "dropContextGroups", "kmsKeyName"}
	notOnBucket  = []string{"generation", "ifMetagenerationMatch", "ifMetagenerationNotMatch", "softDeleted"}
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
	{name: "objects.get media", method: http.MethodGet, level: levelMedia, needs: authorization.ReadData, takes: onGeneration, lacks: notOnGet, do: (*Service).download},
	{name: "objects.get media", method: http.MethodHead, level: levelMedia, needs: authorization.ReadObject, takes: onGeneration, lacks: notOnGet, do: (*Service).download},
	{name: "objects.get media", method: http.MethodGet, level: levelObject, selects: map[string]string{"alt": "media"}, needs: authorization.ReadData, takes: onGeneration, lacks: notOnGet, do: (*Service).download},
	{name: "objects.get", method: http.MethodGet, level: levelObject, needs: authorization.ReadObject, takes: onGeneration, lacks: notOnGet, do: (*Service).describe},
	{name: "objects.list", method: http.MethodGet, level: levelObjects, needs: authorization.ReadData, takes: onList, lacks: []string{"softDeleted"}, do: (*Service).list},
	{name: insertResumable, method: http.MethodPost, level: levelUpload, selects: map[string]string{"uploadType": "resumable"}, needs: authorization.WriteData, takes: onUpload, lacks: notOnUpload, do: (*Service).upload},
	{name: insert, method: http.MethodPost, level: levelUpload, needs: authorization.WriteData, takes: onUpload, lacks: notOnUpload, do: (*Service).upload},
	{name: insertResumable, method: http.MethodPut, level: levelUpload, needs: authorization.WriteData, takes: onUpload, lacks: notOnUpload, do: (*Service).upload},
	{name: "objects.insert cancel", method: http.MethodDelete, level: levelUpload, needs: authorization.WriteData, takes: onUpload, do: (*Service).cancelUpload},
	{name: "objects.delete", method: http.MethodDelete, level: levelObject, needs: authorization.WriteData, takes: onGeneration, do: (*Service).remove},
	{name: "objects.patch", method: http.MethodPatch, level: levelObject, needs: authorization.WriteObjectMetadata, takes: onGeneration, lacks: notOnPatch, do: (*Service).patch},
	{name: "objects.update", method: http.MethodPut, level: levelObject, needs: authorization.WriteObjectMetadata, takes: onGeneration, lacks: notOnPatch, do: (*Service).patch},
	{name: "objects.rewrite", method: http.MethodPost, level: levelRewrite, needs: authorization.WriteData, takes: onRewrite, lacks: notOnRewrite, do: (*Service).copyObject},
	{name: "objects.copy", method: http.MethodPost, level: levelCopy, needs: authorization.WriteData, takes: onCopy, lacks: notOnCopy, do: (*Service).copyObject},
	{name: "objects.move", method: http.MethodPost, level: levelMove, needs: authorization.WriteData, takes: onMove, do: (*Service).moveObject},
	{name: "objects.compose", method: http.MethodPost, level: levelCompose, needs: authorization.WriteData, takes: onCompose, lacks: notOnCompose, do: (*Service).compose},
	{name: "buckets.get", method: http.MethodGet, level: levelBucket, needs: authorization.ReadBucket, lacks: notOnBucket, do: (*Service).describeBucket},
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
	if t.feature != "" {
		return operation{}, failure.ErrNotImplemented.With("cosi-emu does not implement " + t.feature)
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

// check rejects unsupported parameters, and ambiguous ones.
func (o operation) check(query url.Values) error {
	if o.needs == nil {
		return nil // authorize rejects it, with a better reason
	}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		values := query[name]
		isServed := slices.Contains(o.takes, name) || slices.Contains(always, name)
		switch {
		case !isServed && !slices.Contains(o.lacks, name):
		case len(values) > 1:
			return failure.ErrInvalid.With("The parameter " + name + " is given more than once")
		case isServed, values[0] == "", slices.Contains(neverTrue, name) && values[0] == "false":
		default:
			return failure.ErrNotImplemented.With("cosi-emu does not implement the parameter " + name + " here")
		}
	}
	return nil
}
