package administration

import (
	"context"
	"fmt"

	"github.com/cosi-emu/cosi-emu/fakedriver"
)

// DataLoss lists the losses of a store: names of buckets and IDs of accounts, sorted.
type DataLoss struct {
	Buckets  []string `json:"buckets,omitempty"`
	Accounts []string `json:"accounts,omitempty"`
}

// Forget deletes the accounts and buckets of the chosen owners, with all objects, and
// ignores Purge. It simulates a backend whose disk was replaced by an empty one. After
// an error, it returns the losses up to then.
func (a *Administrator) Forget(ctx context.Context, chosen func(owner string) bool) (DataLoss, error) {
	var lost DataLoss
	err := a.exclusively(ctx, func() error { return a.forget(&lost, chosen) })
	return lost, err
}

func (a *Administrator) forget(lost *DataLoss, chosen func(owner string) bool) error {
	for _, account := range a.options.Registry.Accounts() {
		if !chosen(account.Owner) {
			continue
		}
		if err := a.deleteAccount(account.Owner, account.ID); err != nil {
			return err
		}
		lost.Accounts = append(lost.Accounts, account.ID)
	}
	for _, b := range a.options.Registry.Buckets() {
		if !chosen(b.Owner) {
			continue
		}
		if err := a.loseBucket(b); err != nil {
			return err
		}
		lost.Buckets = append(lost.Buckets, b.Name)
	}
	return nil
}

// LoseBucket deletes a bucket of any owner, with all objects. It simulates a user who deletes the
// bucket without the driver. The error is of kind ErrNotExist for an unknown bucket.
func (a *Administrator) LoseBucket(ctx context.Context, name string) error {
	return a.exclusively(ctx, func() error {
		b, ok := a.options.Registry.Bucket(name)
		if !ok {
			return notExist("bucket", name)
		}
		return a.loseBucket(b)
	})
}

func (a *Administrator) loseBucket(b fakedriver.Bucket) error {
	if err := a.options.Contents.DeleteBucket(b.UID, true, a.options.Records.BucketDeletion(b.Name)); err != nil {
		return fmt.Errorf("cannot delete bucket %q: %w", b.Name, err)
	}
	a.options.Registry.RemoveBucket(b.Name)
	return nil
}
