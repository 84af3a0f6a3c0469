package fakedriver

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// AccessMode is the permission of an account in one category. The zero value is no access.
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
	// ID is unique among the owner's accounts.
	ID string `json:"id"`
	// Owner is the creator of the account, for example the name of the driver. Only calls for the
	// same owner change or delete it.
	Owner string `json:"owner"`
	// Grants are the buckets that the account can access, each at most once and in any order.
	Grants []Grant `json:"grants"`
	// Admin creates a key of the store's administrator, without grants: it may do everything in
	// every bucket, create buckets by S3, and delete buckets that it has created.
	Admin bool `json:"admin,omitempty"`
	// ServiceAccount is the name of the Kubernetes ServiceAccount of the account, or
	// AnyServiceAccount. Such an account has no key: applications exchange the ServiceAccount's
	// token for a temporary one.
	ServiceAccount string `json:"serviceAccount,omitempty"`
	// Parameters are stored for the owner; the store does not read them.
	Parameters map[string]string `json:"parameters,omitempty"`
}

// AnyServiceAccount marks an account for a ServiceAccount whose name the driver does not know. The
// store reads the name from the Kubernetes API before it exchanges a token.
const AnyServiceAccount = "*"

// Account is an existing account, without its secret.
type Account struct {
	AccountSpec

	// AccessKeyID is the public half of the account's credentials. It changes when the account is
	// rotated.
	AccessKeyID string `json:"accessKeyID"`
	// Rotations is the number of earlier keys of the account.
	Rotations int `json:"rotations,omitempty"`
	// CreatedAt is in UTC and whole seconds.
	CreatedAt time.Time `json:"createdAt"`
}

// Clone returns a deep copy.
func (a Account) Clone() Account {
	a.Grants = slices.Clone(a.Grants)
	a.Parameters = maps.Clone(a.Parameters)
	return a
}

// Normalized returns a copy with sorted grants, because their order means nothing; or an error of
// kind ErrInvalid.
func (s AccountSpec) Normalized() (AccountSpec, error) {
	if s.ID == "" || strings.ContainsRune(s.ID, 0) {
		return s, fmt.Errorf("account ID %q %w: it is empty or has a NUL", s.ID, ErrInvalid)
	}
	if s.Admin && (len(s.Grants) > 0 || s.ServiceAccount != "") {
		return s, fmt.Errorf("account %q %w: an administrator's account has neither grants nor a ServiceAccount", s.ID, ErrInvalid)
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

// Matches reports whether two specifications are equivalent.
func (s AccountSpec) Matches(other AccountSpec) bool {
	return s.ID == other.ID && s.Owner == other.Owner && s.Admin == other.Admin && s.ServiceAccount == other.ServiceAccount &&
		slices.Equal(s.Grants, other.Grants) && maps.Equal(s.Parameters, other.Parameters)
}
