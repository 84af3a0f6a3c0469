package store

import (
	"context"
	"fmt"
)

// Lost is what a store has lost: names of buckets and IDs of accounts, sorted.
type Lost struct {
	Buckets  []string `json:"buckets,omitempty"`
	Accounts []string `json:"accounts,omitempty"`
}

// Forget loses what belongs to the owners that are chosen: their accounts, and
// their buckets with all objects, purged or not, as if they had never been. It is
// what happens to a backend whose disk is replaced by an empty one. What it returns
// is lost also if there is an error.
func (s *Store) Forget(ctx context.Context, chosen func(owner string) bool) (Lost, error) {
	var lost Lost
	err := s.administer(ctx, func() error { return s.forget(&lost, chosen) })
	return lost, err
}

func (s *Store) forget(lost *Lost, chosen func(owner string) bool) error {
	for _, a := range s.registry.allAccounts() {
		if !chosen(a.Owner) {
			continue
		}
		if err := s.deleteAccount(a.Owner, a.ID); err != nil {
			return err
		}
		lost.Accounts = append(lost.Accounts, a.ID)
	}
	for _, b := range s.registry.allBuckets() {
		if !chosen(b.Owner) {
			continue
		}
		if err := s.contents.DeleteBucket(b.UID, true, s.ledger.bucketDeletion(b.Name)); err != nil {
			return fmt.Errorf("cannot lose bucket %q: %w", b.Name, err)
		}
		s.registry.removeBucket(b.Name)
		lost.Buckets = append(lost.Buckets, b.Name)
	}
	return nil
}
