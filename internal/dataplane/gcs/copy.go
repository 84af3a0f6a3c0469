package gcs

import (
	"strconv"
)

// copyObject copies an object in one request, without rewrite tokens. Both objects share the
// content.
func (s *Service) copyObject(x *exchange) error {
	t := x.target
	d, err := parseDocument(x.body.document.Bytes())
	if err != nil {
		return err
	}
	from, err := s.sourceOf(x)
	if err != nil {
		return err
	}
	a := from.settable(t.bucket, t.object)
	if d.isSet("metadata") { // given metadata replaces copied metadata
		a.Metadata = nil
	}
	if err := d.apply(&a); err != nil {
		return err
	}
	made, err := s.put(x, a, from.version.Body, sums{from.version.ETag, from.version.Checksum})
	if err != nil {
		return err
	}
	if t.level == levelCopy {
		return x.sendObject(made)
	}
	size := strconv.FormatInt(made.Size, 10)
	return x.send(map[string]any{
		"kind": "storage#rewriteResponse", "done": true, "totalBytesRewritten": size, "objectSize": size,
		"resource": x.resource(&made.attributes),
	})
}

// sourceOf returns the source of a copy, with content until the request ends.
func (s *Service) sourceOf(x *exchange) (*object, error) {
	id, err := x.versionID("sourceGeneration")
	if err != nil {
		return nil, err
	}
	v, err := x.source.Get(x.target.sourceObject, id)
	x.Hold(v.Release)
	if err != nil {
		return nil, gone(err, x.target.sourceBucket, x.target.sourceObject)
	}
	return objectOf(x.target.sourceBucket, v)
}
