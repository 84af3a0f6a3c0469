package gcs

import (
	"net/http"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs/failure"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

// put stores an object as a new generation, if the conditions of the request hold.
func (s *Service) put(x *exchange, a attributes, content objects.Body, computed sums) (*object, error) {
	c, err := conditionsOf(x)
	if err != nil {
		return nil, err
	}
	d, err := a.draft(content, computed)
	if err != nil {
		return nil, err
	}
	v, err := x.bucket.Put(a.Name, d, c)
	if err != nil {
		return nil, err
	}
	return objectOf(a.Bucket, v)
}

// draft returns the object in the form of the store.
func (a *attributes) draft(content objects.Body, computed sums) (objects.Draft, error) {
	stored, err := a.stored(a.Updated)
	return objects.Draft{Body: content, ETag: computed.etag, Checksum: computed.crc32c, Attributes: stored}, err
}

func (s *Service) remove(x *exchange) error {
	c, err := conditionsOf(x)
	if err != nil {
		return err
	}
	id, err := x.versionID("generation")
	if err != nil {
		return err
	}
	if _, err := x.bucket.Delete(x.target.object, id, c, objects.BypassNothing); err != nil {
		return gone(err, x.target.bucket, x.target.object)
	}
	x.W.WriteHeader(http.StatusNoContent)
	return nil
}

// edited returns the attributes of an object after a change. The custom time can neither be removed
// nor move back; "Custom-Time" in Google's documentation of metadata has that.
func (s *Service) edited(o *object, d document, replaces bool) (objects.Attributes, error) {
	before, now := o.CustomTime, s.options.Now().UTC()
	if replaces {
		for _, text := range o.texts() {
			*text = ""
		}
		o.Metadata, o.Contexts, o.TemporaryHold, o.EventBasedHold = nil, nil, false, false
	}
	if err := d.apply(&o.attributes, now); err != nil {
		return objects.Attributes{}, err
	}
	if before != nil && (o.CustomTime == nil || o.CustomTime.Before(*before)) {
		return objects.Attributes{}, failure.ErrInvalid.With("The custom time of an object can be neither removed nor set to an earlier " +
			"time than " + before.Format(time.RFC3339Nano) + ": rewrite the object instead")
	}
	return o.stored(now)
}

// patch changes the metadata of an object, and PUT replaces it. Generation and content stay the
// same.
func (s *Service) patch(x *exchange) error {
	d, err := parseDocument(x.body.document.Bytes())
	if err != nil {
		return err
	}
	c, err := conditionsOf(x)
	if err != nil {
		return err
	}
	id, err := x.versionID("generation")
	if err != nil {
		return err
	}
	v, err := x.bucket.Edit(x.target.object, id, c, func(v *objects.Version) (objects.Attributes, error) {
		found, err := objectOf(x.target.bucket, v)
		if err != nil {
			return objects.Attributes{}, err
		}
		return s.edited(found, d, x.R.Method == http.MethodPut)
	})
	if err != nil {
		return gone(err, x.target.bucket, x.target.object)
	}
	changed, err := objectOf(x.target.bucket, v)
	if err != nil {
		return err
	}
	return x.sendObject(changed)
}
