package backend

import (
	"context"

	"github.com/cosi-emu/cosi-emu/fakedriver"
)

// Administrator is the ID of the administrator's account in the S3 store, and the
// owner of the buckets that are created with its key.
const Administrator = "admin"

// Store is the object store behind the fake drivers. Its calls bypass the seams, so
// the journal does not show them. Use it to check the contents of the store, and to
// change them without COSI.
type Store interface {
	fakedriver.Backend

	// Buckets returns all buckets, sorted by name.
	Buckets(ctx context.Context) ([]fakedriver.Bucket, error)
	// Accounts returns all accounts, without keys, sorted by ID.
	Accounts(ctx context.Context) ([]fakedriver.Account, error)
	// SetGrant adds a grant to an account, or changes the one for its bucket.
	SetGrant(ctx context.Context, account string, grant fakedriver.Grant) error
	// EmptyBucket deletes the contents of a bucket, past the seams.
	EmptyBucket(ctx context.Context, bucket string) error
}
