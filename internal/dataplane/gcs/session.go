package gcs

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs/failure"
	"github.com/cosi-emu/cosi-emu/internal/store/blobstore"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

// session is a resumable upload. It belongs to its first key, and to a bucket. The store has it as
// an upload whose parts are the received chunks, so that it survives a restart.
type session struct {
	incoming

	// Key is the ID of the access key.
	Key string `json:"key"`
	// XML means that a signed request of the XML API has begun it. A client needs only its URL to
	// continue.
	XML bool `json:"xml,omitempty"`

	id string
}

// begin stores a session, unless the key has too many in the bucket.
func (s *Service) begin(bucket *objects.Bucket, started session) (id string, err error) {
	count := 0
	for _, u := range bucket.ListUploads(objects.Query{Max: math.MaxInt, Appended: true}).Uploads {
		other, err := sessionOf(u)
		switch {
		case err != nil || !u.Appended:
		case s.isExpired(bucket, other):
			if err := s.abort(bucket, other); err != nil {
				return "", err
			}
		case other.Key == started.Key:
			count++
		}
	}
	if count >= maxUploads {
		return "", failure.ErrTooMany
	}
	extra, err := json.Marshal(started)
	if err != nil {
		return "", fmt.Errorf("encode an upload: %w", err)
	}
	u, err := bucket.BeginUpload(objects.Upload{
		ID: rand.Text(), Key: strings.Clone(started.Name), Appended: true, Attributes: objects.Attributes{Extra: string(extra)},
	})
	return u.ID, err
}

// abort ends a session without an object. A session that has already ended is no error.
func (s *Service) abort(bucket *objects.Bucket, ended session) error {
	if err := bucket.AbortUpload(ended.Name, ended.id); err != nil && !objects.IsGone(err) {
		return err
	}
	return nil
}

func sessionOf(u objects.Upload) (found session, err error) {
	if err := json.Unmarshal([]byte(u.Attributes.Extra), &found); err != nil {
		return found, fmt.Errorf("upload of object %q %w: %w", u.Key, blobstore.ErrDamaged, err)
	}
	found.id = u.ID
	return found, nil
}

func (s *Service) isExpired(bucket *objects.Bucket, of session) bool {
	p, err := bucket.Progress(of.Name, of.id)
	return err != nil || s.options.Now().Sub(p.Modified) > s.options.UploadTimeout
}

func findSession(bucket *objects.Bucket, id string) (session, error) {
	u, err := bucket.FindAppended(id)
	if err != nil {
		return session{}, failure.ErrNoSession
	}
	return sessionOf(u)
}

// session returns the session of a request. Sessions of other keys and buckets are not found.
func (s *Service) session(x *exchange) (session, error) {
	found, err := findSession(x.bucket, x.Query.Get("upload_id"))
	if err != nil {
		return found, err
	}
	if found.Key != x.Caller.Account().AccessKeyID || found.XML != (x.target.level == levelResumable) || s.isExpired(x.bucket, found) {
		return found, failure.ErrNoSession
	}
	if name := x.Query.Get("name"); name != "" && name != found.Name {
		return found, failure.ErrInvalid.With("The name does not match the upload")
	}
	return found, nil
}
