package gcs

import "context"

// Empty deletes all objects of a bucket and its unfinished uploads, without a check of
// permissions. It does nothing if there is no such bucket.
func (s *Service) Empty(ctx context.Context, bucket string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	if err := s.files.clear(bucket); err != nil {
		return err
	}
	delete(s.contents, bucket)
	s.uploads.drop(bucket)
	return nil
}
