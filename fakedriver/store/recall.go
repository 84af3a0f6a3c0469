package store

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
		if err := s.contents.CreateBucket(b.UID, b.contents()); err != nil {
			return err
		}
		s.registry.setBucket(b)
	}
	for _, a := range accounts {
		s.registry.setAccount(a.principal())
	}
	return nil
}
