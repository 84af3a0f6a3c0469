package gcs

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// documented are the parameters of Google's reference by operation, except those of all operations.
var documented = map[string][]string{
	"objects.get": {
		"generation", "ifGenerationMatch", "ifGenerationNotMatch", "ifMetagenerationMatch", "ifMetagenerationNotMatch",
		"restoreToken", "softDeleted",
	},
	"objects.get media": {
		"generation", "ifGenerationMatch", "ifGenerationNotMatch", "ifMetagenerationMatch", "ifMetagenerationNotMatch",
		"restoreToken", "softDeleted",
	},
	"objects.list": {
		"delimiter", "endOffset", "filter", "includeFoldersAsPrefixes", "includeTrailingDelimiter", "matchGlob", "maxResults",
		"pageToken", "prefix", "softDeleted", "startOffset", "versions",
	},
	"objects.insert": {
		"contentEncoding", "ifGenerationMatch", "ifGenerationNotMatch", "ifMetagenerationMatch", "ifMetagenerationNotMatch",
		"kmsKeyName", "name", "predefinedAcl",
	},
	"objects.delete": {
		"generation", "ifGenerationMatch", "ifGenerationNotMatch", "ifMetagenerationMatch", "ifMetagenerationNotMatch",
	},
	"objects.patch": {
		"generation", "ifGenerationMatch", "ifGenerationNotMatch", "ifMetagenerationMatch", "ifMetagenerationNotMatch",
		"overrideUnlockedRetention", "predefinedAcl",
	},
	"objects.update": {
		"generation", "ifGenerationMatch", "ifGenerationNotMatch", "ifMetagenerationMatch", "ifMetagenerationNotMatch",
		"overrideUnlockedRetention", "predefinedAcl",
	},
	"objects.rewrite": {
		"destinationKmsKeyName", "destinationPredefinedAcl", "dropContextGroups", "ifGenerationMatch", "ifGenerationNotMatch",
		"ifMetagenerationMatch", "ifMetagenerationNotMatch", "ifSourceGenerationMatch", "ifSourceGenerationNotMatch",
		"ifSourceMetagenerationMatch", "ifSourceMetagenerationNotMatch", "maxBytesRewrittenPerCall", "rewriteToken",
		"sourceGeneration",
	},
	"objects.copy": {
		"destinationKmsKeyName", "destinationPredefinedAcl", "ifGenerationMatch", "ifGenerationNotMatch",
		"ifMetagenerationMatch", "ifMetagenerationNotMatch", "ifSourceGenerationMatch", "ifSourceGenerationNotMatch",
		"ifSourceMetagenerationMatch", "ifSourceMetagenerationNotMatch", "sourceGeneration",
	},
	"objects.compose": {
		"destinationPredefinedAcl", "dropContextGroups", "ifGenerationMatch", "ifMetagenerationMatch", "kmsKeyName",
	},
	"objects.move": {
		"ifGenerationMatch", "ifGenerationNotMatch", "ifMetagenerationMatch", "ifMetagenerationNotMatch",
		"ifSourceGenerationMatch", "ifSourceGenerationNotMatch", "ifSourceMetagenerationMatch",
		"ifSourceMetagenerationNotMatch",
	},
	"buckets.get": {"generation", "ifMetagenerationMatch", "ifMetagenerationNotMatch", "softDeleted"},
}

// TestDocumentedParameters expects that every documented parameter is served or rejected by name. All
// others are ignored.
func TestDocumentedParameters(t *testing.T) {
	for name, parameters := range documented {
		rows := slices.DeleteFunc(slices.Clone(operations), func(o operation) bool { return o.name != name })
		if len(rows) == 0 {
			t.Errorf("%s is not served", name)
		}
		for _, row := range rows {
			for _, parameter := range parameters {
				if !slices.Contains(slices.Concat(always, row.takes, row.lacks), parameter) {
					t.Errorf("%s %s ignores the parameter %s", row.method, name, parameter)
				}
			}
			for _, parameter := range slices.Concat(row.takes, row.lacks) {
				if !slices.Contains(append(parameters, "upload_id"), parameter) {
					t.Errorf("%s %s has the parameter %s, which Google does not document", row.method, name, parameter)
				}
			}
		}
	}
}

// TestDocumentedMembers compares the members of object resources with Google's reference.
func TestDocumentedMembers(t *testing.T) {
	want := []string{
		"acl", "bucket", "cacheControl", "componentCount", "contentDisposition", "contentEncoding", "contentLanguage",
		"contentType", "contexts", "crc32c", "customTime", "customerEncryption", "etag", "eventBasedHold", "generation",
		"hardDeleteTime", "id", "kind", "kmsKeyName", "md5Hash", "mediaLink", "metadata", "metageneration", "name", "owner",
		"restoreToken", "retention", "retentionExpirationTime", "selfLink", "size", "softDeleteTime", "storageClass",
		"temporaryHold", "timeCreated", "timeDeleted", "timeFinalized", "timeStorageClassUpdated", "updated",
	}
	var got []string
	for name := range members {
		got = append(got, name)
	}
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("members: -want, +got:\n%s", diff)
	}
}
