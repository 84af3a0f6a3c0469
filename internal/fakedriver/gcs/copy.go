package gcs

import "strconv"

// copyObject copies an object in one request; it never returns a rewrite token.
func (s *Service) copyObject(x *exchange) error {
	t := x.target
	d, err := parseDocument(x.body.Bytes())
	if err != nil {
		return err
	}
	source, err := s.source(x)
	if err != nil {
		return err
	}
	if _, err := s.current(x); err != nil {
		return err
	}
	a := source.settable(t.bucket, t.object)
	if d.isSet("metadata") { // the given metadata replaces the copied metadata
		a.Metadata = nil
	}
	if err := d.apply(&a); err != nil {
		return err
	}
	made, err := s.put(a, source.content)
	if err != nil {
		return err
	}
	if t.shape == shapeCopy {
		return s.sendObject(x, made)
	}
	size := strconv.FormatInt(made.Size, 10)
	return x.send(map[string]any{
		"kind": "storage#rewriteResponse", "done": true, "totalBytesRewritten": size, "objectSize": size,
		"resource": s.resource(x, &made.attributes),
	})
}

// source returns the object that is copied.
func (s *Service) source(x *exchange) (*object, error) {
	wanted, err := number(x.query.Get("sourceGeneration"))
	if err != nil {
		return nil, err
	}
	found := s.contents.get(x.target.sourceBucket, x.target.sourceObject)
	if found == nil || wanted != nil && *wanted != found.Generation {
		return nil, errNoObject(x.target.sourceBucket, x.target.sourceObject)
	}
	return found, nil
}
