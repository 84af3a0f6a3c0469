package backend

import (
	"context"

	"github.com/cosi-emu/cosi-emu/fakedriver"
)

// RootAccount is the ID of the root account in the S3 store. Buckets that are created
// with its key belong to it.
const RootAccount = "admin"

// Store is the object store behind the fake drivers. Its calls bypass the seams, so the journal
// does not show them.
type Store interface {
	fakedriver.Backend

	// Buckets returns all buckets, sorted by name.
	Buckets(ctx context.Context) ([]fakedriver.Bucket, error)
	// Accounts returns all accounts, without keys, sorted by ID.
	Accounts(ctx context.Context) ([]fakedriver.Account, error)
	// SetGrant adds a grant to an account, or changes the one for its bucket.
	SetGrant(ctx context.Context, account string, grant fakedriver.Grant) error
	// EmptyBucket deletes the contents of a bucket, locked objects included, past the seams.
	EmptyBucket(ctx context.Context, bucket string) error
	// AdminEmptyBucket is EmptyBucket through the seams: the journal records it, so that the
	// oracles do not report the objects as lost. The store must run.
	AdminEmptyBucket(ctx context.Context, bucket string) error
	// Contents lists a part of a bucket. The list is empty if the bucket does not exist.
	Contents(ctx context.Context, bucket string) Contents
	// ContentFiles returns the files below the data directory that hold contents of buckets. Small
	// contents are in the store's database, as store/store.db#ID. Contents in memory have no file.
	ContentFiles() ([]string, error)
}
