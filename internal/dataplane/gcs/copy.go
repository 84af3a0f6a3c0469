package gcs

import (
	"net/url"
	"strconv"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs/failure"
)

// copyObject copies an object in one request, without rewrite tokens. Both objects share the
// content.
func (s *Service) copyObject(x *exchange) error {
	t := x.target
	if err := checkRewrite(x.Query); err != nil {
		return err
	}
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
	if d.isSet("contexts") {
		a.Contexts = nil
	}
	if err := d.apply(&a, s.options.Now().UTC()); err != nil {
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

// rewriteUnit is the size of which maxBytesRewrittenPerCall must be a multiple.
const rewriteUnit = 1 << 20

// checkRewrite checks the parameters of a copy in several requests. Every copy ends with its first
// request, so no token is valid.
func checkRewrite(query url.Values) error {
	if query.Get("rewriteToken") != "" {
		return failure.ErrInvalid.With("Invalid value for rewriteToken: the copy ended with its first request")
	}
	most, err := number(query.Get("maxBytesRewrittenPerCall"))
	if err != nil || most != nil && (*most == 0 || *most%rewriteUnit != 0) {
		return failure.ErrInvalid.With("Invalid value for maxBytesRewrittenPerCall: it must be a multiple of 1048576")
	}
	return nil
}

// sourceOf returns the source of a copy, with content until the request ends.
func (s *Service) sourceOf(x *exchange) (*object, error) {
	id, err := x.versionID("sourceGeneration")
	if err != nil {
		return nil, err
	}
	c, err := sourceConditionsOf(x)
	if err != nil {
		return nil, err
	}
	v, missing := x.source.Get(x.target.sourceObject, id)
	x.Hold(v.Release)
	if c.ReadNumbers(v) != nil {
		return nil, failure.ErrCondition
	}
	if missing != nil {
		return nil, gone(missing, x.target.sourceBucket, x.target.sourceObject)
	}
	return objectOf(x.target.sourceBucket, v)
}
