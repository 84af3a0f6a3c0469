package fakedriver

import (
	"maps"
	"slices"
	"time"
)

// BucketSpec describes a bucket. Creating the same bucket twice returns the same
// bucket.
type BucketSpec struct {
	// Name is the bucket's name in S3; see [ValidateBucketName].
	Name string `json:"name"`
	// Owner is the creator of the bucket, for example the name of the driver. Only calls for the
	// same owner find it again or delete it.
	Owner string `json:"owner"`
	// Protocol is the protocol of its objects, which decides where they are stored.
	Protocol Protocol `json:"protocol,omitempty"`
	// Purge makes DeleteBucket delete the objects, too. Otherwise, only an empty bucket can be
	// deleted.
	Purge bool `json:"purge,omitempty"`
	// Region is the region for which requests to the bucket must be signed. Empty: the store's.
	Region string `json:"region,omitempty"`
	// Versioning enables versioning initially.
	Versioning bool `json:"versioning,omitempty"`
	// ObjectLock enables object lock, with which versioning is enabled and cannot be suspended.
	ObjectLock bool `json:"objectLock,omitempty"`
	// DefaultRetention is the initial retention of new objects. It requires ObjectLock.
	DefaultRetention Retention `json:"defaultRetention,omitzero"`
	// Tags are the initial tags; see [ValidateTags].
	Tags map[string]string `json:"tags,omitempty"`
	// CORSOrigins are the origins whose pages browsers allow to use a key or a signature. They are
	// the first CORS configuration of the bucket. See [ValidateCORSOrigins].
	CORSOrigins []string `json:"corsOrigins,omitempty"`
	// Quota limits the contents of the bucket.
	Quota Quota `json:"quota,omitzero"`
	// Latency is added to every S3 request to the bucket.
	Latency time.Duration `json:"latency,omitempty"`
	// MaxAccounts is the maximum number of accounts with access to the bucket at a time. Zero means
	// no limit.
	MaxAccounts int `json:"maxAccounts,omitempty"`
	// Parameters are stored for the owner; the store does not read them.
	Parameters map[string]string `json:"parameters,omitempty"`
}

// Quota limits the contents of a bucket; zero is no limit.
type Quota struct {
	Bytes   int64 `json:"bytes,omitempty"`
	Objects int64 `json:"objects,omitempty"`
}

// Bucket is an existing bucket.
type Bucket struct {
	BucketSpec

	// UID distinguishes buckets that have the same name one after the other, so that access to one
	// is not access to the next.
	UID string `json:"uid"`
	// CreatedAt is in UTC and whole seconds.
	CreatedAt time.Time `json:"createdAt"`
}

type settings struct {
	protocol            Protocol
	name, owner, region string
	purge, versioning   bool
	objectLock          bool
	retention           Retention
	quota               Quota
	latency             time.Duration
	maxAccounts         int
}

func (s BucketSpec) settings() settings {
	return settings{
		protocol: s.Protocol,
		name:     s.Name, owner: s.Owner, region: s.Region, purge: s.Purge, versioning: s.Versioning,
		objectLock: s.ObjectLock, retention: s.DefaultRetention,
		quota: s.Quota, latency: s.Latency, maxAccounts: s.MaxAccounts,
	}
}

// Matches reports whether two specifications are equivalent.
func (s BucketSpec) Matches(other BucketSpec) bool {
	return s.settings() == other.settings() && slices.Equal(s.CORSOrigins, other.CORSOrigins) &&
		maps.Equal(s.Tags, other.Tags) && maps.Equal(s.Parameters, other.Parameters)
}

// Clone returns a deep copy.
func (s BucketSpec) Clone() BucketSpec {
	s.Tags = maps.Clone(s.Tags)
	s.CORSOrigins = slices.Clone(s.CORSOrigins)
	s.Parameters = maps.Clone(s.Parameters)
	return s
}

// Clone returns a deep copy.
func (b Bucket) Clone() Bucket {
	b.BucketSpec = b.BucketSpec.Clone()
	return b
}

// DefaultRegion is a region that every SDK knows. It is not us-east-1, for which some clients still
// presign with Signature Version 2.
const DefaultRegion = "eu-central-1"
