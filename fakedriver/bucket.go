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
	// Owner is the name of the driver, for example, that created the bucket. Only
	// calls for the same owner find it again or delete it.
	Owner string `json:"owner"`
	// Protocol is how its objects are reached, and so where they are kept.
	Protocol Protocol `json:"protocol,omitempty"`
	// Purge makes DeleteBucket delete the objects, too. Without it, a bucket that
	// is not empty cannot be deleted.
	Purge bool `json:"purge,omitempty"`
	// Region is the one that requests concerning the bucket must be signed for.
	// Empty: the store's.
	Region string `json:"region,omitempty"`
	// Versioning is whether the bucket begins with versioning enabled.
	Versioning bool `json:"versioning,omitempty"`
	// ObjectLock is whether the bucket has object lock, with which versioning is enabled and
	// cannot be suspended.
	ObjectLock bool `json:"objectLock,omitempty"`
	// DefaultRetention is what the bucket begins with for new objects. It requires
	// ObjectLock.
	DefaultRetention Retention `json:"defaultRetention,omitzero"`
	// Tags are what the bucket begins with; see [ValidateTags].
	Tags map[string]string `json:"tags,omitempty"`
	// CORSOrigins are the origins whose pages browsers let do all that a key or a signature
	// allows. They make the first CORS configuration of the bucket. See [ValidateCORSOrigins].
	CORSOrigins []string `json:"corsOrigins,omitempty"`
	// Quota is how much the bucket may hold.
	Quota Quota `json:"quota,omitzero"`
	// Latency is added to every S3 request concerning the bucket.
	Latency time.Duration `json:"latency,omitempty"`
	// MaxAccounts is how many accounts may have access to the bucket at a time.
	// Zero: any number.
	MaxAccounts int `json:"maxAccounts,omitempty"`
	// Parameters are kept for their owner; the store does not read them.
	Parameters map[string]string `json:"parameters,omitempty"`
}

// Quota is how much a bucket may hold; zero is no limit.
type Quota struct {
	Bytes   int64 `json:"bytes,omitempty"`
	Objects int64 `json:"objects,omitempty"`
}

// Bucket is a bucket that exists.
type Bucket struct {
	BucketSpec

	// UID tells apart buckets that had the same name one after the other, so
	// that access to one is not access to the next.
	UID string `json:"uid"`
	// CreatedAt is when the bucket was created, in UTC and whole seconds.
	CreatedAt time.Time `json:"createdAt"`
}

// settings are the fields that compare by themselves.
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

// Matches reports whether two specifications ask for the same.
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

// DefaultRegion is a region that every SDK knows. It is not us-east-1, for which
// some clients still presign with Signature Version 2.
const DefaultRegion = "eu-central-1"
