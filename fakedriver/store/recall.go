package store

import "fmt"

// recall reads what a previous store has left in the directory, and finishes
// what it was in the middle of. A bucket is created first among the objects and
// then in the ledger, and deleted in the same order; so objects without a record
// are of a bucket whose creation nobody was told of, and a record without
// objects is of one that was being deleted.
func (s *Store) recall() error {
	buckets, accounts, err := s.ledger.load()
	if err != nil {
		return err
	}
	for _, b := range buckets {
		exists, err := s.objects.BucketExists(b.Name)
		if err != nil {
			return fmt.Errorf("cannot look for bucket %q: %w", b.Name, err)
		}
		if exists {
			s.registry.setBucket(b)
		} else if err := s.ledger.deleteBucket(b.Name); err != nil {
			return fmt.Errorf("cannot finish deleting bucket %q: %w", b.Name, err)
		}
	}
	for _, a := range accounts {
		s.registry.setAccount(a.principal())
	}
	return s.dropUnrecorded()
}

func (s *Store) dropUnrecorded() error {
	stored, err := s.objects.ListBuckets()
	if err != nil {
		return fmt.Errorf("cannot list the stored buckets: %w", err)
	}
	for _, info := range stored {
		if _, recorded := s.registry.bucket(info.Name); recorded {
			continue
		}
		if err := s.objects.DeleteBucket(info.Name); err != nil {
			return fmt.Errorf("cannot undo the unfinished creation of bucket %q: %w", info.Name, err)
		}
	}
	return nil
}
