package gcs

import (
	"cmp"
	"strconv"

	"github.com/fsouza/fake-gcs-server/fakestorage"
)

// conditions are on the generation that an object has before; 0 is that it does
// not exist. Nil is no condition.
type conditions struct{ match, notMatch *int64 }

// conditionsOf reads the query, and the headers that the XML API has instead.
func conditionsOf(x *exchange) (c conditions, err error) {
	header := x.r.Header
	if c.match, err = generation(cmp.Or(x.query.Get("ifGenerationMatch"), header.Get("X-Goog-If-Generation-Match"))); err != nil {
		return c, err
	}
	c.notMatch, err = generation(cmp.Or(x.query.Get("ifGenerationNotMatch"), header.Get("X-Goog-If-Generation-Not-Match")))
	return c, err
}

func generation(text string) (*int64, error) {
	if text == "" {
		return nil, nil //nolint:nilnil // no condition, no error
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return nil, errInvalid.with("A generation must be a number")
	}
	return &n, nil
}

// check returns why a request about an object of a generation must not be done.
func (c conditions) check(current int64, changes bool) error {
	if c.match != nil && *c.match != current {
		return errCondition
	}
	if c.notMatch == nil || *c.notMatch != current {
		return nil
	}
	if changes {
		return errCondition
	}
	return errNotModified
}

// current returns the object that a request is about, and nil if there is none of
// the generation that is asked for. Conditions have been checked then.
func (s *Service) current(x *exchange) (*fakestorage.Object, error) {
	c, err := conditionsOf(x)
	if err != nil {
		return nil, err
	}
	found := s.lookup(x.target.bucket, x.target.object)
	if err := c.check(generationOf(found), x.operation.changes); err != nil {
		return nil, err
	}
	wanted, err := generation(x.query.Get("generation"))
	if err != nil || found == nil || wanted != nil && *wanted != found.Generation {
		return nil, err
	}
	return found, nil
}

// existing is current, where there must be an object.
func (s *Service) existing(x *exchange) (*fakestorage.Object, error) {
	found, err := s.current(x)
	if err == nil && found == nil {
		err = errNotFound.with("No such object: " + x.target.bucket + "/" + x.target.object)
	}
	return found, err
}

// lookup returns an object, or nil. Its content is not copied.
func (s *Service) lookup(bucket, name string) *fakestorage.Object {
	found, err := s.library.GetObjectStreaming(bucket, name)
	if err != nil {
		return nil
	}
	return &fakestorage.Object{ObjectAttrs: found.ObjectAttrs}
}

func generationOf(object *fakestorage.Object) int64 {
	if object == nil {
		return 0
	}
	return object.Generation
}
