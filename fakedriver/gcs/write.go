package gcs

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strconv"
	"time"
)

// put stores an object that begins anew.
func (s *Service) put(a attributes, content []byte) (*object, error) {
	now := time.Now().UTC()
	s.generation = max(s.generation+1, now.UnixMicro()) // two in a microsecond must not be one
	a.Generation, a.Metageneration, a.TimeCreated, a.Updated = s.generation, 1, now, now
	a.Size, a.CRC32C, a.MD5Hash = int64(len(content)), crc32cOf(content), md5Of(content)
	a.ContentType = cmp.Or(a.ContentType, "application/octet-stream")
	a.StorageClass = cmp.Or(a.StorageClass, defaultClass)
	return s.keep(&object{attributes: a, content: content})
}

// keep stores an object, durably where that is wanted.
func (s *Service) keep(o *object) (*object, error) {
	if err := s.keeper.put(o); err != nil {
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
	if err := s.keeper.remove(found.Bucket, found.Name); err != nil {
		return err
	}
	s.contents.remove(found.Bucket, found.Name)
	x.begin(http.StatusNoContent)
	return nil
}

// patch changes the metadata of an object; with PUT, to what is given and no
// more. The generation and the content stay.
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
	changed.Updated = time.Now().UTC()
	kept, err := s.keep(&changed)
	if err != nil {
		return err
	}
	return s.sendObject(x, kept)
}

// copyObject copies an object, all at once: it never answers with a token to go
// on.
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
	if d.isSet("metadata") { // what is given replaces what is copied
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
		"kind": "storage#rewriteResponse", "done": true, "totalBytesRewritten": size, "objectSize": size, "resource": s.resource(x, made.attributes),
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

// maxComponents is how many objects can be composed at a time.
const maxComponents = 32

// composition is the body of a request to compose.
type composition struct {
	SourceObjects []struct {
		Name          string `json:"name"`
		Generation    string `json:"generation"`
		Preconditions struct {
			IfGenerationMatch string `json:"ifGenerationMatch"`
		} `json:"objectPreconditions"`
	} `json:"sourceObjects"`
	Destination json.RawMessage `json:"destination"`
}

// compose makes one object of several.
func (s *Service) compose(x *exchange) error {
	var asked composition
	if err := json.Unmarshal(x.body.Bytes(), &asked); err != nil {
		return errInvalid.with("The body is not a request to compose")
	}
	if len(asked.SourceObjects) == 0 || len(asked.SourceObjects) > maxComponents {
		return errInvalid.with("An object is composed of 1 to 32 others")
	}
	if _, err := s.current(x); err != nil {
		return err
	}
	d, err := parseDocument(asked.Destination)
	if err != nil {
		return err
	}
	a := attributes{Bucket: x.target.bucket, Name: x.target.object}
	if err := d.apply(&a); err != nil {
		return err
	}
	content, err := s.components(x, asked)
	if err != nil {
		return err
	}
	made, err := s.put(a, content)
	if err != nil {
		return err
	}
	return s.sendObject(x, made)
}

func (s *Service) components(x *exchange, asked composition) (content []byte, err error) {
	for _, source := range asked.SourceObjects {
		generation, err := number(source.Generation)
		if err != nil {
			return nil, err
		}
		match, err := number(source.Preconditions.IfGenerationMatch)
		if err != nil {
			return nil, err
		}
		found := s.contents.get(x.target.bucket, source.Name)
		switch {
		case found == nil, generation != nil && *generation != found.Generation:
			return nil, errNoObject(x.target.bucket, source.Name)
		case match != nil && *match != found.Generation:
			return nil, errCondition
		case int64(len(content))+found.Size > s.options.MaxBodyBytes:
			return nil, errTooLarge
		}
		content = append(content, found.content...)
	}
	return content, nil
}
