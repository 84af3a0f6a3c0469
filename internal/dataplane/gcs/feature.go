package gcs

// features are the parts of the JSON API that are not served, by the words in their paths.
var features = map[string]string{
	"acl": "access control lists: the driver gives access, for a BucketAccess", "defaultObjectAcl": "default object ACLs",
	"iam": "IAM policies, and testIamPermissions: the driver gives access, for a BucketAccess", "storageLayout": "storageLayout of buckets",
	"notificationConfigs": "notifications", "lockRetentionPolicy": "retention policies of buckets", "folders": "folders",
	"managedFolders": "managed folders", "anywhereCaches": "caches", "rapidCaches": "caches", "operations": "long-running operations",
	"restore": "soft deletion and restoring", "bulkRestore": "soft deletion and restoring", "relocate": "relocating buckets",
	"viewFullContext": "extended data of object contexts", "watch": "watching for changes", "serviceAccount": "service accounts of projects",
	"hmacKeys": "HMAC keys of projects: a BucketAccess has one",
}

// The places of the words, such as b/BUCKET/acl, b/BUCKET/o/OBJECT/acl and projects/P/hmacKeys.
const (
	featurePlace       = 2
	objectFeaturePlace = 4
)

// featureOf returns the part of the API to which a path belongs; empty if it is unknown.
func featureOf(segments []string) string {
	place := featurePlace
	if len(segments) > objectFeaturePlace && segments[featurePlace] == "o" {
		place = objectFeaturePlace
	}
	if len(segments) <= place {
		return ""
	}
	return features[segments[place]]
}
