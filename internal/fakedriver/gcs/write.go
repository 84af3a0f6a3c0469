package gcs

import (
	"cmp"
	"net/http"
)

// put stores an object as a new generation.
func (s *Service) put(a attributes, content []byte) (*object, error) {
	now := s.options.Now().UTC()
	s.generation = max(s.generation+1, now.UnixMicro()) // two changes in a microsecond need different generations
	a.Generation, a.Metageneration, a.TimeCreated, a.Updated = s.generation, 1, now, now
	a.Size, a.CRC32C, a.MD5Hash = int64(len(content)), crc32cOf(content), md5Of(content)
	a.ContentType = cmp.Or(a.ContentType, "application/octet-stream")
	a.StorageClass = cmp.Or(a.StorageClass, defaultClass)
	return s.keep(&object{attributes: a, content: content})
}

// keep stores an object, in a file if there is a directory.
func (s *Service) keep(o *object) (*object, error) {
	if err := s.files.put(o); err != nil {
		return nil, err
	}
	s.contents.put(o)
	return o, nil
}

// remove deletes an object.
func (s *Service) remove(x *exchange) error {
	found, err := s.existing(x)
	if err != nil {
		return err
	}
	if err := s.files.remove(found.Bucket, found.Name); err != nil {
		return err
	}
	s.contents.remove(found.Bucket, found.Name)
	x.begin(http.StatusNoContent)
	return nil
}

// patch changes the metadata of an object, and PUT replaces it. The generation and the
// content stay.
func (s *Service) patch(x *exchange) error {
	d, err := parseDocument(x.body.Bytes())
	if err != nil {
		return err
	}
	found, err := s.existing(x)
	if err != nil {
		return err
	}
	changed := *found
	if x.r.Method == http.MethodPut {
		for _, text := range changed.texts() {
			*text = ""
		}
		changed.Metadata, changed.CustomTime = nil, nil
	}
	if err := d.apply(&changed.attributes); err != nil {
		return err
	}
	changed.StorageClass = cmp.Or(changed.StorageClass, defaultClass)
	changed.Metageneration++
	changed.Updated = s.options.Now().UTC()
	kept, err := s.keep(&changed)
	if err != nil {
		return err
	}
	return s.sendObject(x, kept)
}
