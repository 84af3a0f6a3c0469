package gcs

import "context"

// Empty deletes all objects of a bucket, and the uploads that have begun, as nobody
// can who has to ask. It is no error if there is no such bucket.
func (s *Service) Empty(ctx context.Context, bucket string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	if err := s.keeper.clear(bucket); err != nil {
		return err
	}
	delete(s.contents, bucket)
	s.uploads.forget(bucket)
	return nil
}
