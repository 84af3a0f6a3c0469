package objects

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/cosi-emu/cosi-emu/internal/store/blobstore"
)

// Tables of the blob store. Keys start with the ID of a bucket, so the records of a bucket are
// adjacent.
const (
	bucketTable  = "contents"
	versionTable = "versions"
	uploadTable  = "uploads"
	partTable    = "parts"
)

// step is one change of a record. A nil value deletes the record; a step without a table does
// nothing.
type step struct {
	table, key string
	value      any
	body       Body
}

// commit makes all steps durable, or none, together with the blobs that they refer to.
func (s *Store) commit(steps ...step) error { return s.commitWith(nil, steps...) }

// commitWith is like commit, with changes of other packages' records.
func (s *Store) commitWith(others []blobstore.Change, steps ...step) error {
	if !s.keepsRecords() {
		return nil
	}
	batch := blobstore.Batch{Changes: slices.Clone(others)}
	for _, step := range steps {
		if step.table == "" {
			continue
		}
		change := blobstore.Change{Table: step.table, Key: []byte(step.key)}
		if step.value != nil {
			value, err := json.Marshal(step.value)
			if err != nil {
				return fmt.Errorf("cannot encode record %q of table %s: %w", step.key, step.table, err)
			}
			change.Value = value
			batch.Blobs = append(batch.Blobs, step.body.Blobs()...)
		}
		batch.Changes = append(batch.Changes, change)
	}
	return s.options.Blobs.Commit(batch)
}

func (s *Store) keepsRecords() bool { return s.options.Blobs.Durable() }

func (b *Bucket) recordConfig(c Config) step { return step{table: bucketTable, key: b.id, value: c} }

func (b *Bucket) forgetConfig() step { return step{table: bucketTable, key: b.id} }

func (b *Bucket) recordVersion(v *Version) step {
	if !b.store.keepsRecords() {
		return step{}
	}
	return step{table: versionTable, key: b.versionKey(v), value: v.record(), body: v.Body}
}

// deletionOfVersion deletes the record of v, which may be nil.
func (b *Bucket) deletionOfVersion(v *Version) step {
	if v == nil || !b.store.keepsRecords() {
		return step{}
	}
	return step{table: versionTable, key: b.versionKey(v)}
}

func (b *Bucket) versionKey(v *Version) string { return fmt.Sprintf("%s/%016x", b.id, v.Sequence) }

func (b *Bucket) recordUpload(u *upload) step {
	return step{table: uploadTable, key: b.id + "/" + u.ID, value: u.record()}
}

func (b *Bucket) recordPart(u *upload, p Part) step {
	return step{table: partTable, key: b.partKey(u, p.Number), value: p.record(), body: p.Body}
}

func (b *Bucket) partKey(u *upload, number int) string {
	return fmt.Sprintf("%s/%s/%05d", b.id, u.ID, number)
}

// deletionOfUpload deletes the records of u, which may be nil, and its parts. If the bucket remembers
// the ending of u, that replaces its record.
func (b *Bucket) deletionOfUpload(u *upload) []step {
	if u == nil {
		return nil
	}
	steps := []step{{table: uploadTable, key: b.id + "/" + u.ID}}
	if u.ending != nil {
		steps = b.endingSteps(u.ending)
	}
	for _, part := range u.sorted() {
		steps = append(steps, step{table: partTable, key: b.partKey(u, part.Number)})
	}
	return steps
}
