package objects

import (
	"time"

	"github.com/cosi-emu/cosi-emu/internal/s3error"
)

// Progress is the progress of an upload with Upload.Appended.
type Progress struct {
	// Size is the number of stored bytes.
	Size int64
	// Modified is the time of the last change of the upload.
	Modified time.Time
}

// Append stores the bytes of a body that an upload with Upload.Appended does not have yet; the body
// begins at an offset. The store adds its own references to the body. Errors are NoSuchUpload,
// QuotaExceeded, InvalidPartOrder if bytes before the offset are missing, and EntityTooLarge if the
// upload would have more than limit bytes.
func (b *Bucket) Append(key, id string, offset, limit int64, body Body) (p Progress, err error) {
	err = b.change(key, func() error {
		u, err := b.upload(key, id)
		if err != nil {
			return err
		}
		p = u.progress()
		end := offset + body.Size()
		switch {
		case body.Size() == 0 || offset <= p.Size && end <= p.Size:
			return nil
		case offset > p.Size:
			return s3error.ErrInvalidPartOrder
		case end > limit:
			return s3error.ErrEntityTooLarge
		}
		more := body.Slice(p.Size-offset, end-p.Size)
		part := Part{Number: u.last + 1, Body: more, Modified: time.Unix(0, b.store.now()).UTC()}
		if err := b.storePart(u, part, Part{}); err != nil {
			return err
		}
		p = u.progress()
		return nil
	})
	return p, err
}

// Progress returns the progress of an upload. The error is NoSuchUpload.
func (b *Bucket) Progress(key, id string) (Progress, error) {
	u, err := b.upload(key, id)
	if err != nil {
		return Progress{}, err
	}
	return u.progress(), nil
}

func (u *upload) progress() Progress {
	p := Progress{Modified: u.Initiated}
	for _, part := range u.sorted() {
		p.Size += part.Body.Size()
		p.Modified = part.Modified
	}
	return p
}

// FindAppended returns an upload with Upload.Appended by its ID alone. The error is
// NoSuchUpload.
func (b *Bucket) FindAppended(id string) (Upload, error) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	u, ok := b.uploads[id]
	if !ok || !u.Appended {
		return Upload{}, s3error.ErrNoSuchUpload
	}
	return u.Upload, nil
}
