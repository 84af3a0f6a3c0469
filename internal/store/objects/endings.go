package objects

import (
	"slices"
	"time"
)

// maxEndings is the number of ended uploads that a bucket remembers.
const maxEndings = 256

// Ending is an upload with Upload.Appended that has ended. A client that has lost the last response
// asks for it again.
type Ending struct {
	Upload

	// Outcome is the last response, in the form of the service.
	Outcome string
	At      time.Time
}

// Ended returns the ending of an upload by its ID alone, if the bucket remembers it.
func (b *Bucket) Ended(id string) (Ending, bool) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	at := slices.IndexFunc(b.endings, func(e *Ending) bool { return e.ID == id })
	if at < 0 {
		return Ending{}, false
	}
	return *b.endings[at], true
}

// EndAppended ends an upload with Upload.Appended without an object. The error is NoSuchUpload.
func (b *Bucket) EndAppended(key, id, outcome string) error {
	return b.change(key, func() error {
		u, err := b.upload(key, id)
		if err != nil {
			return err
		}
		u.end(outcome, b.store.now())
		return b.discardUpload(u)
	})
}

// CompleteAppended creates an object from an upload with Upload.Appended, and ends the upload.
// draft receives the content, and outcome the object. Errors are NoSuchUpload, and the errors of
// draft, Put and outcome; then the upload continues.
func (b *Bucket) CompleteAppended(
	key, id string, c Conditions, draft func(Body) (Draft, error), outcome func(*Version) (string, error),
) (*Version, error) {
	var stored *Version
	err := b.change(key, func() error {
		u, err := b.upload(key, id)
		if err != nil {
			return err
		}
		var bodies []Body
		for _, part := range u.sorted() {
			bodies = append(bodies, part.Body)
		}
		d, err := draft(join(bodies))
		if err != nil {
			return err
		}
		u.outcome = outcome
		if stored, err = b.put(key, d, c, u); err != nil {
			u.ending = nil
		}
		return err
	})
	return stored, err
}

// end makes the next commit record the ending. The caller holds the lock of the key.
func (u *upload) end(outcome string, now int64) {
	u.ending = &Ending{Upload: u.Upload, Outcome: outcome, At: time.Unix(0, now).UTC()}
}

// endingSteps records an ending in place of its upload, and deletes the oldest one.
func (b *Bucket) endingSteps(e *Ending) []step {
	steps := []step{b.recordEnding(e)}
	b.mu.RLock()
	defer b.mu.RUnlock()
	if len(b.endings) >= maxEndings {
		steps = append(steps, step{table: uploadTable, key: b.id + "/" + b.endings[0].ID})
	}
	return steps
}

func (b *Bucket) recordEnding(e *Ending) step {
	record := (&upload{Upload: e.Upload}).record()
	record.Ended, record.Outcome = e.At, e.Outcome
	return step{table: uploadTable, key: b.id + "/" + e.ID, value: record}
}

// remember adds an ending to the index, whose lock the caller holds.
func (b *Bucket) remember(e *Ending) {
	if len(b.endings) >= maxEndings {
		b.endings = slices.Delete(b.endings, 0, 1)
	}
	b.endings = append(b.endings, e)
}

// discardUpload deletes an upload and its parts.
func (b *Bucket) discardUpload(u *upload) error {
	if err := b.store.commit(b.deletionOfUpload(u)...); err != nil {
		u.ending = nil
		return err
	}
	b.release(u.weight())
	b.drop(u)
	return nil
}

// sortEndings restores the order of loaded endings.
func (s *Store) sortEndings() {
	for _, b := range s.buckets {
		slices.SortStableFunc(b.endings, func(x, y *Ending) int { return x.At.Compare(y.At) })
	}
}
