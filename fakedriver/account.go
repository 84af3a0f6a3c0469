package fakedriver

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// AccessMode is what an account may do in one category. The zero value is no access.
type AccessMode string

// The modes.
const (
	NoAccess  AccessMode = ""
	ReadOnly  AccessMode = "ReadOnly"
	WriteOnly AccessMode = "WriteOnly"
	ReadWrite AccessMode = "ReadWrite"
)

// Grant is the access of an account to one bucket, in the three categories of
// KEP-1979, section "BucketAccess Read/Write AccessMode".
type Grant struct {
	Bucket         string     `json:"bucket"`
	ObjectData     AccessMode `json:"objectData,omitempty"`
	ObjectMetadata AccessMode `json:"objectMetadata,omitempty"`
	BucketMetadata AccessMode `json:"bucketMetadata,omitempty"`
}

// AccountSpec describes an account. Creating the same account twice returns the same
// credentials.
type AccountSpec struct {
	// ID identifies the account to its owner.
	ID string `json:"id"`
	// Owner is the name of the driver, for example, that created the account. Only
	// calls for the same owner change or delete it.
	Owner string `json:"owner"`
	// Grants are the buckets that the account reaches, each at most once and in
	// any order.
	Grants []Grant `json:"grants"`
	// Admin creates a key of the store's administrator, without grants: it may do
	// everything in every bucket, create buckets by S3, and delete those it created.
	Admin bool `json:"admin,omitempty"`
	// ServiceAccount is the name of the Kubernetes ServiceAccount that the
	// account is for, or AnyServiceAccount. Such an account has no key: applications
	// exchange the ServiceAccount's token for a temporary one.
	ServiceAccount string `json:"serviceAccount,omitempty"`
	// Parameters are kept for their owner; the store does not read them.
	Parameters map[string]string `json:"parameters,omitempty"`
}

// AnyServiceAccount says that an account is for a ServiceAccount whose name the driver was
// not told. Only the Kubernetes API has the name, which the store reads there before it
// exchanges a token.
const AnyServiceAccount = "*"

// Account is an account that exists, without its secret.
type Account struct {
	AccountSpec

	// AccessKeyID is half of the account's credentials, and not secret. It
	// changes when the account is rotated.
	AccessKeyID string `json:"accessKeyID"`
	// Rotations is how many keys the account had before this one.
	Rotations int `json:"rotations,omitempty"`
	// CreatedAt is when the account was created, in UTC and whole seconds.
	CreatedAt time.Time `json:"createdAt"`
}

// Clone returns a deep copy.
func (a Account) Clone() Account {
	a.Grants = slices.Clone(a.Grants)
	a.Parameters = maps.Clone(a.Parameters)
	return a
}

// Normalized returns a copy with its grants sorted, because their order means
// nothing; or an error of kind ErrInvalid.
func (s AccountSpec) Normalized() (AccountSpec, error) {
	if s.ID == "" || strings.ContainsRune(s.ID, 0) {
		return s, fmt.Errorf("account ID %q %w: it is empty or has a NUL", s.ID, ErrInvalid)
	}
	if s.Admin && (len(s.Grants) > 0 || s.ServiceAccount != "") {
		return s, fmt.Errorf("account %q %w: that of an administrator has neither grants nor a ServiceAccount", s.ID, ErrInvalid)
	}
	s.Parameters = maps.Clone(s.Parameters)
	s.Grants = slices.Clone(s.Grants)
	slices.SortFunc(s.Grants, func(a, b Grant) int { return cmp.Compare(a.Bucket, b.Bucket) })
	for i, grant := range s.Grants {
		if i > 0 && grant.Bucket == s.Grants[i-1].Bucket {
			return s, fmt.Errorf("account %q %w: bucket %q is listed twice", s.ID, ErrInvalid, grant.Bucket)
		}
	}
	return s, nil
}

// Matches reports whether two specifications ask for the same.
func (s AccountSpec) Matches(other AccountSpec) bool {
	return s.ID == other.ID && s.Owner == other.Owner && s.Admin == other.Admin && s.ServiceAccount == other.ServiceAccount &&
		slices.Equal(s.Grants, other.Grants) && maps.Equal(s.Parameters, other.Parameters)
}
