package gcs

import (
	"cmp"
	"strconv"
)

// condition compares a number of the current object: its generation, 0 if it does not
// exist, or its metageneration. Nil means no condition.
type condition struct{ match, notMatch *int64 }

// conditions are on the generation and on the metageneration.
type conditions struct{ generation, meta condition }

// conditionsOf reads the query, and the headers that the XML API has instead.
func conditionsOf(x *exchange) (c conditions, err error) {
	for name, into := range map[string]**int64{
		"Generation-Match": &c.generation.match, "Generation-Not-Match": &c.generation.notMatch,
		"Metageneration-Match": &c.meta.match, "Metageneration-Not-Match": &c.meta.notMatch,
	} {
		text := cmp.Or(x.query.Get(parameterOf[name]), x.r.Header.Get("X-Goog-If-"+name))
		if *into, err = number(text); err != nil {
			return c, err
		}
	}
	return c, nil
}

// parameterOf maps headers to the equivalent parameters.
var parameterOf = map[string]string{
	"Generation-Match": "ifGenerationMatch", "Generation-Not-Match": "ifGenerationNotMatch",
	"Metageneration-Match": "ifMetagenerationMatch", "Metageneration-Not-Match": "ifMetagenerationNotMatch",
}

func number(text string) (*int64, error) {
	if text == "" {
		return nil, nil //nolint:nilnil // no number, no error
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return nil, errInvalid.with("A generation must be a number")
	}
	return &n, nil
}

// check returns an error if a condition is not met. The object may be nil.
func (c conditions) check(o *object, changes bool) error {
	var generation, meta int64
	if o != nil {
		generation, meta = o.Generation, o.Metageneration
	}
	return cmp.Or(c.generation.check(generation, changes), c.meta.check(meta, changes))
}

func (c condition) check(have int64, changes bool) error {
	switch {
	case c.match != nil && *c.match != have, c.notMatch != nil && *c.notMatch == have && changes:
		return errCondition
	case c.notMatch != nil && *c.notMatch == have:
		return errNotModified
	default:
		return nil
	}
}

// current returns the object of a request, or nil if the requested generation does not
// exist. It checks the conditions.
func (s *Service) current(x *exchange) (*object, error) {
	c, err := conditionsOf(x)
	if err != nil {
		return nil, err
	}
	found := s.contents.get(x.target.bucket, x.target.object)
	if err := c.check(found, x.operation.changes); err != nil {
		return nil, err
	}
	wanted, err := number(x.query.Get("generation"))
	if err != nil || found == nil || wanted != nil && *wanted != found.Generation {
		return nil, err
	}
	return found, nil
}

// existing is like current, but returns an error if there is no object.
func (s *Service) existing(x *exchange) (*object, error) {
	found, err := s.current(x)
	if err == nil && found == nil {
		err = errNoObject(x.target.bucket, x.target.object)
	}
	return found, err
}

func errNoObject(bucket, name string) error {
	return errNotFound.with("No such object: " + bucket + "/" + name)
}
