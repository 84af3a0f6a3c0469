package node

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/atomicvolume"
	"github.com/cosi-emu/cosi-emu/internal/node/volume"
)

// releaseTimeout limits the release of a mark: a Pod must be able to end while the API server is down. Sweep repeats it.
const releaseTimeout = 5 * time.Second

// unpublish removes a volume. It needs no Pod, access or Secret.
func (s *service) unpublish(ctx context.Context, key, target string) error {
	record, err := s.records.Load(key)
	if err != nil {
		return err
	}
	if record == nil || record.Target != target {
		return s.removeUnknown(target)
	}
	if err := s.removeFiles(record); err != nil {
		return err
	}
	if err := s.release(ctx, record); err != nil {
		s.log.Error(err, "the mark is removed later", "volume", record.VolumeID)
	}
	return nil
}

// remove removes all that exists of a volume.
func (s *service) remove(ctx context.Context, record *volume.Record) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout) // also if the kubelet waits no longer
	defer cancel()
	if err := s.removeFiles(record); err != nil {
		return err
	}
	return s.release(ctx, record)
}

// removeFiles removes the directory, and notes that in the record.
func (s *service) removeFiles(record *volume.Record) error {
	if err := s.medium.Remove(record.Target); err != nil {
		return err
	}
	if record.State == volume.Unpublished {
		return nil
	}
	record.State = volume.Unpublished
	return s.records.Save(record)
}

// release removes the mark, then the record.
func (s *service) release(ctx context.Context, record *volume.Record) error {
	ctx, cancel := context.WithTimeout(ctx, releaseTimeout)
	defer cancel()
	if err := s.marks.Remove(ctx, s.mark(record)); err != nil {
		return err
	}
	return s.records.Delete(volume.Key(record.VolumeID))
}

// removeUnknown removes a directory without a record: an empty one, or a volume whose record is lost. It removes no
// files of others.
func (s *service) removeUnknown(target string) error {
	entries, err := os.ReadDir(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case len(entries) > 0 && !atomicvolume.Is(target):
		return fmt.Errorf("%s has files and is no volume of this driver: remove the files", target)
	}
	return s.medium.Remove(target)
}
