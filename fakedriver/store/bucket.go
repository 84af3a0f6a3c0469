package store

import (
	"fmt"
	"maps"
	"net/netip"
	"regexp"
	"strings"
	"time"
)

// BucketSpec is what a bucket is asked to be. Asking twice for the same gives
// the same bucket.
type BucketSpec struct {
	// Name is the bucket's name in S3; see [ValidateBucketName].
	Name string `json:"name"`
	// Owner is whoever decides over the bucket's life, for example the name of
	// a driver. Nobody else can create it again or delete it.
	Owner string `json:"owner"`
	// Purge makes DeleteBucket delete the objects, too, instead of refusing while
	// there are some.
	Purge bool `json:"purge,omitempty"`
	// Region is the region that requests concerning the bucket must be signed
	// for. Empty: that of the store.
	Region string `json:"region,omitempty"`
	// Parameters are kept for their owner; the store does not read them.
	Parameters map[string]string `json:"parameters,omitempty"`
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

func (s BucketSpec) same(other BucketSpec) bool {
	return s.Name == other.Name && s.Owner == other.Owner && s.Purge == other.Purge && s.Region == other.Region && maps.Equal(s.Parameters, other.Parameters)
}

func (b Bucket) clone() Bucket {
	b.Parameters = maps.Clone(b.Parameters)
	return b
}

var bucketName = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)

// ValidateBucketName returns an error of kind [ErrInvalid] if a name is not one
// of a general purpose bucket, by the naming rules of the S3 User Guide.
func ValidateBucketName(name string) error {
	switch {
	case !bucketName.MatchString(name):
		return fmt.Errorf("bucket name %.100q %w: it must have 3 to 63 characters of a-z, 0-9, '.' and '-', "+
			"and begin and end with a letter or digit", name, ErrInvalid)
	case strings.Contains(name, "..") || strings.Contains(name, ".-") || strings.Contains(name, "-."):
		return fmt.Errorf("bucket name %q %w: no '.' may stand beside another or beside '-'", name, ErrInvalid)
	case isAddress(name):
		return fmt.Errorf("bucket name %q %w: it looks like an IP address", name, ErrInvalid)
	case isReserved(name):
		return fmt.Errorf("bucket name %q %w: S3 reserves its prefix or suffix", name, ErrInvalid)
	}
	return nil
}

func isAddress(name string) bool {
	_, err := netip.ParseAddr(name)
	return err == nil
}

func isReserved(name string) bool {
	for _, prefix := range []string{"xn--", "sthree-", "amzn-s3-demo-"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	for _, suffix := range []string{"-s3alias", "--ol-s3", "--x-s3", "--table-s3", ".mrap"} {
		if strings.HasSuffix(name, suffix) {
			return true
		}
	}
	return false
}
