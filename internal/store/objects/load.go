package objects

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/store/blobstore"
)

func (s *Store) load() error {
	v := s.options.Blobs
	for _, table := range []struct {
		name string
		take func(bucket string, key string, value []byte) error
	}{
		{bucketTable, s.loadBucket}, {versionTable, s.loadVersion}, {uploadTable, s.loadUpload}, {partTable, s.loadPart},
	} {
		err := v.Load(table.name, func(key, value []byte) error {
			bucket, rest, _ := strings.Cut(string(key), "/")
			if err := table.take(bucket, rest, value); err != nil {
				return fmt.Errorf("record %q of table %s: %w", key, table.name, err)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	s.sortEndings()
	return nil
}

func decode(value []byte, into any) error {
	if err := json.Unmarshal(value, into); err != nil {
		return fmt.Errorf("it %w: %w", blobstore.ErrDamaged, err)
	}
	return nil
}

func (s *Store) owner(bucket string) (*Bucket, error) {
	b, ok := s.buckets[bucket]
	if !ok {
		return nil, fmt.Errorf("it %w: its bucket %q is missing", blobstore.ErrDamaged, bucket)
	}
	return b, nil
}

func (s *Store) loadBucket(id, _ string, value []byte) error {
	var config Config
	if err := decode(value, &config); err != nil {
		return err
	}
	s.buckets[id] = newBucket(s, id, config)
	return nil
}

// loadVersion is called in the order of sequences, so the latest version comes last.
func (s *Store) loadVersion(bucket, _ string, value []byte) error {
	var record versionRecord
	if err := decode(value, &record); err != nil {
		return err
	}
	b, err := s.owner(bucket)
	if err != nil {
		return err
	}
	v, err := record.version(s.options.Blobs)
	if err != nil {
		return err
	}
	s.sequence.Store(max(s.sequence.Load(), v.Sequence))
	s.noteDamage(Damage{Bucket: bucket, Key: v.Key, Version: v.ID}, v.Body)
	b.insert(v, nil)
	b.used = b.used.plus(weight(v))
	return nil
}

func (s *Store) loadUpload(bucket, _ string, value []byte) error {
	var record uploadRecord
	if err := decode(value, &record); err != nil {
		return err
	}
	b, err := s.owner(bucket)
	if err != nil {
		return err
	}
	if !record.Ended.IsZero() {
		b.endings = append(b.endings, &Ending{Upload: record.upload().Upload, Outcome: record.Outcome, At: record.Ended})
		return nil
	}
	b.uploads[record.ID] = record.upload()
	return nil
}

func (s *Store) loadPart(bucket, key string, value []byte) error {
	var record partRecord
	if err := decode(value, &record); err != nil {
		return err
	}
	b, err := s.owner(bucket)
	if err != nil {
		return err
	}
	id, _, _ := strings.Cut(key, "/")
	u, ok := b.uploads[id]
	if !ok {
		return fmt.Errorf("it %w: its upload %q is missing", blobstore.ErrDamaged, id)
	}
	part, err := record.part(s.options.Blobs)
	if err != nil {
		return err
	}
	s.noteDamage(Damage{Bucket: bucket, Key: u.Key, Upload: u.ID}, part.Body)
	u.add(part)
	b.used = b.used.plus(Quota{Bytes: part.Body.Size()})
	return nil
}
