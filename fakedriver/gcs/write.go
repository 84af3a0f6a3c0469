package gcs

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/fsouza/fake-gcs-server/fakestorage"
)

// put stores an object, on the conditions of a request, and makes the request be
// about it.
func (s *Service) put(x *exchange, c conditions, attrs fakestorage.ObjectAttrs, content []byte) error {
	if err := c.check(generationOf(s.lookup(attrs.BucketName, attrs.Name)), true); err != nil {
		return err
	}
	x.target.bucket, x.target.object = attrs.BucketName, attrs.Name
	now := time.Now()
	attrs.Updated = now
	if attrs.Generation == 0 {
		s.generation = max(s.generation+1, now.UnixMicro())
		attrs.Created, attrs.Generation = now, s.generation
	}
	if err := s.keeper.put(attrs, content); err != nil {
		return err
	}
	return s.library.CreateObjectStreaming(fakestorage.StreamingObject{ObjectAttrs: attrs, Content: seekless{bytes.NewReader(content)}})
}

// fresh are attributes of an object that begins anew.
func fresh(bucket, name string, d document) (fakestorage.ObjectAttrs, error) {
	attrs := fakestorage.ObjectAttrs{BucketName: bucket, Name: name}
	return attrs, d.apply(&attrs)
}

// remove deletes an object.
func (s *Service) remove(x *exchange) error {
	if _, err := s.existing(x); err != nil {
		return err
	}
	if err := s.keeper.remove(x.target.bucket, x.target.object); err != nil {
		return err
	}
	if err := s.library.Backend().DeleteObject(x.target.bucket, x.target.object); err != nil {
		return err
	}
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
	attrs := found.ObjectAttrs
	if x.r.Method == http.MethodPut {
		for _, text := range texts(&attrs) {
			*text = ""
		}
		attrs.Metadata, attrs.CustomTime = nil, time.Time{}
	}
	if err := d.apply(&attrs); err != nil {
		return err
	}
	whole, err := s.library.GetObject(x.target.bucket, x.target.object)
	if err != nil {
		return err
	}
	if err := s.put(x, conditions{}, attrs, whole.Content); err != nil {
		return err
	}
	return x.send(http.StatusOK, s.resource(x))
}

// copyObject copies an object, all at once: it never answers with a token to go
// on.
func (s *Service) copyObject(x *exchange) error {
	t := x.target
	d, err := parseDocument(x.body.Bytes())
	if err != nil {
		return err
	}
	c, err := conditionsOf(x)
	if err != nil {
		return err
	}
	wanted, err := generation(x.query.Get("sourceGeneration"))
	if err != nil {
		return err
	}
	source, err := s.library.GetObject(t.sourceBucket, t.sourceObject)
	if err != nil || wanted != nil && *wanted != source.Generation {
		return errNotFound.with("No such object: " + t.sourceBucket + "/" + t.sourceObject)
	}
	attrs := fakestorage.ObjectAttrs{BucketName: t.bucket, Name: t.object, Metadata: source.Metadata, CustomTime: source.CustomTime}
	from := texts(&source.ObjectAttrs)
	for name, into := range texts(&attrs) {
		*into = *from[name]
	}
	if d.isSet("metadata") { // what is given replaces what is copied
		attrs.Metadata = nil
	}
	if err := d.apply(&attrs); err != nil {
		return err
	}
	if err := s.put(x, c, attrs, source.Content); err != nil {
		return err
	}
	return s.sendCopy(x, source.Size)
}

func (s *Service) sendCopy(x *exchange, size int64) error {
	resource := s.resource(x)
	if x.target.shape == shapeCopy {
		return x.send(http.StatusOK, resource)
	}
	body, err := json.Marshal(map[string]any{
		"kind": "storage#rewriteResponse", "done": true, "resource": json.RawMessage(resource),
		"totalBytesRewritten": strconv.FormatInt(size, 10), "objectSize": strconv.FormatInt(size, 10),
	})
	if err != nil {
		return err
	}
	return x.send(http.StatusOK, body)
}

// maxComponents is how many objects can be composed at a time.
const maxComponents = 32

// composition is the body of a request to compose.
type composition struct {
	SourceObjects []struct {
		Name                string          `json:"name"`
		Generation          json.RawMessage `json:"generation"`
		ObjectPreconditions json.RawMessage `json:"objectPreconditions"`
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
	c, err := conditionsOf(x)
	if err != nil {
		return err
	}
	d, err := parseDocument(asked.Destination)
	if err != nil {
		return err
	}
	attrs, err := fresh(x.target.bucket, x.target.object, d)
	if err != nil {
		return err
	}
	content, err := s.components(x, asked)
	if err != nil {
		return err
	}
	if err := s.put(x, c, attrs, content); err != nil {
		return err
	}
	return x.send(http.StatusOK, s.resource(x))
}

func (s *Service) components(x *exchange, asked composition) ([]byte, error) {
	var content bytes.Buffer
	for _, source := range asked.SourceObjects {
		if source.Generation != nil || source.ObjectPreconditions != nil {
			return nil, errNotImplemented.with("cosi-emu does not implement conditions on what is composed")
		}
		found, err := s.library.GetObjectStreaming(x.target.bucket, source.Name)
		if err != nil {
			return nil, errNotFound.with("No such object: " + x.target.bucket + "/" + source.Name)
		}
		if int64(content.Len())+found.Size > s.options.MaxBodyBytes {
			return nil, errTooLarge
		}
		if _, err := io.Copy(&content, found.Content); err != nil {
			return nil, err
		}
	}
	return content.Bytes(), nil
}
