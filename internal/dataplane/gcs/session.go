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

	id    string
	ended *ending // nil for an unfinished upload
}

// begin stores a session, unless the key has too many in the bucket.
func (s *Service) begin(bucket *objects.Bucket, started session) (id string, err error) {
	if err := started.Document.apply(&attributes{}, s.options.Now()); err != nil {
		return "", err // at once, and not only with the last request
	}
	count := 0
	for _, u := range bucket.ListUploads(objects.Query{Max: math.MaxInt, Appended: true}).Uploads {
		other, err := sessionOf(u)
		switch {
		case err != nil || !u.Appended:
		case s.isExpired(bucket, other):
			if err := bucket.AbortUpload(other.Name, other.id); err != nil && !objects.IsGone(err) {
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

func sessionOf(u objects.Upload) (found session, err error) {
	if err := json.Unmarshal([]byte(u.Attributes.Extra), &found); err != nil {
		return found, fmt.Errorf("upload of object %q %w: %w", u.Key, blobstore.ErrDamaged, err)
	}
	found.id = u.ID
	return found, nil
}

// isExpired reports whether the service has forgotten a session. An ended one that it has completed
// is kept for the same time, for clients that have lost the last response.
func (s *Service) isExpired(bucket *objects.Bucket, of session) bool {
	modified := of.ended.time()
	if of.ended == nil {
		p, err := bucket.Progress(of.Name, of.id)
		if err != nil {
			return true
		}
		modified = p.Modified
	}
	return s.options.Now().Sub(modified) > s.options.UploadTimeout
}

func findSession(bucket *objects.Bucket, id string) (session, error) {
	if u, err := bucket.FindAppended(id); err == nil {
		return sessionOf(u)
	}
	e, ok := bucket.Ended(id)
	if !ok {
		return session{}, failure.ErrNoSession
	}
	found, err := sessionOf(e.Upload)
	if err != nil {
		return found, err
	}
	found.ended, err = endingOf(e)
	return found, err
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
