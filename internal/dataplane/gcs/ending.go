package gcs

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs/failure"
	"github.com/cosi-emu/cosi-emu/internal/store/blobstore"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

// statusCancelled is Google's status for a cancelled upload.
const statusCancelled = 499

// ending is the last response of a resumable upload, which repeated requests get again.
type ending struct {
	// Object is the stored object.
	Object *attributes `json:"object,omitempty"`
	// Failure is set if the object was rejected. Without both, the client has cancelled the upload.
	Failure *failure.Error `json:"failure,omitempty"`

	at time.Time
}

func endingOf(e objects.Ending) (*ending, error) {
	found := &ending{at: e.At}
	if err := json.Unmarshal([]byte(e.Outcome), found); err != nil {
		return nil, fmt.Errorf("ended upload of object %q %w: %w", e.Key, blobstore.ErrDamaged, err)
	}
	return found, nil
}

// time returns when the upload ended; zero for nil.
func (e *ending) time() time.Time {
	if e == nil {
		return time.Time{}
	}
	return e.at
}

func (e *ending) text() (string, error) {
	text, err := json.Marshal(e)
	if err != nil {
		return "", fmt.Errorf("encode the end of an upload: %w", err)
	}
	return string(text), nil
}

// end ends a session without an object. A session that has already ended is no error.
func end(bucket *objects.Bucket, ended session, with *ending) error {
	outcome, err := with.text()
	if err != nil {
		return err
	}
	if err := bucket.EndAppended(ended.Name, ended.id, outcome); err != nil && !objects.IsGone(err) {
		return err
	}
	return nil
}

// respondAgain responds to a request for an upload that has ended.
func (x *exchange) respondAgain(ended session) error {
	switch e := ended.ended; {
	case e.Failure != nil:
		return e.Failure
	case e.Object == nil:
		return x.sendCancelled(statusCancelled)
	case ended.XML:
		return x.sendCreated(e.Object)
	default:
		return x.send(x.resource(e.Object))
	}
}

func (x *exchange) sendCancelled(status int) error {
	x.W.Header().Set("Content-Length", "0")
	x.W.WriteHeader(status)
	return nil
}

// cancelUpload ends an upload without an object. In the XML API, that is a success.
func (s *Service) cancelUpload(x *exchange) error {
	found, err := s.session(x)
	switch {
	case err != nil:
		return err
	case found.ended != nil && found.ended.Object != nil:
		return failure.ErrNoSession.With("The upload has already stored its object, and cannot be cancelled")
	}
	if err := end(x.bucket, found, &ending{}); err != nil {
		return err
	}
	if found.XML {
		return x.sendCancelled(http.StatusNoContent)
	}
	return x.sendCancelled(statusCancelled)
}

// endRejected ends an upload whose object is rejected, and returns the cause.
func endRejected(bucket *objects.Bucket, found session, cause error) error {
	rejected := failure.Of(cause)
	if rejected.Code >= http.StatusInternalServerError {
		return cause
	}
	return errors.Join(cause, end(bucket, found, &ending{Failure: rejected}))
}
