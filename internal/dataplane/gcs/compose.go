package gcs

import (
	"encoding/json"
	"encoding/xml"
	"math"
	"strconv"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs/failure"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3exchange"
	"github.com/cosi-emu/cosi-emu/internal/s3error"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

// maxComponents is the maximum number of source objects of one compose request.
const maxComponents = 32

// composition is the body of a compose request.
type composition struct {
	SourceObjects []component     `json:"sourceObjects"`
	Destination   json.RawMessage `json:"destination"`
}

// component is one of the source objects, in the document of either API.
type component struct {
	Name          string `json:"name" xml:"Name"`
	Generation    string `json:"generation" xml:"Generation"`
	Preconditions `json:"objectPreconditions"`
}

// Preconditions apply to the component.
type Preconditions struct {
	IfGenerationMatch string `json:"ifGenerationMatch" xml:"IfGenerationMatch"`
}

func (s *Service) compose(x *exchange) error {
	var asked composition
	if err := json.Unmarshal(x.body.document.Bytes(), &asked); err != nil {
		return failure.ErrInvalid.With("The body is not a request to compose")
	}
	d, err := parseDocument(asked.Destination)
	if err != nil {
		return err
	}
	a := attributes{Bucket: x.target.bucket, Name: x.target.object}
	if err := d.apply(&a); err != nil {
		return err
	}
	content, computed, err := s.concatenate(x.bucket, x.target.bucket, asked.SourceObjects, x.Hold)
	if err != nil {
		return err
	}
	made, err := s.put(x, a, content, computed)
	if err != nil {
		return err
	}
	return x.sendObject(made)
}

func (s *Service) composeXML(x *s3exchange.Exchange, bucket *objects.Bucket) (s3exchange.Content, error) {
	var asked struct {
		XMLName    xml.Name    `xml:"ComposeRequest"`
		Components []component `xml:"Component"`
	}
	if err := xml.Unmarshal(x.Body, &asked); err != nil {
		return s3exchange.Content{}, s3error.ErrMalformedXML
	}
	content, computed, err := s.concatenate(bucket, x.Bucket, asked.Components, x.Hold)
	if err != nil {
		return s3exchange.Content{}, xmlError(err, s3error.ErrNoSuchKey)
	}
	return s3exchange.Content{Body: content, ETag: computed.etag, Checksum: computed.crc32c}, nil
}

// concatenate returns the contents of objects as one. Functions that hold receives release them.
func (s *Service) concatenate(b *objects.Bucket, bucket string, from []component, hold func(func())) (objects.Body, sums, error) {
	if len(from) == 0 || len(from) > maxComponents {
		return objects.Body{}, sums{}, failure.ErrInvalid.With("An object is composed of 1 to 32 others")
	}
	var all []objects.Body
	var size, count int64
	for _, c := range from {
		v, err := c.open(b, hold)
		if err != nil {
			return objects.Body{}, sums{}, gone(err, bucket, c.Name)
		}
		if size += v.Size(); size > s.options.MaxBodyBytes {
			return objects.Body{}, sums{}, failure.ErrTooLarge
		}
		all, count = append(all, v.Body), count+max(1, int64(v.ETag.Parts))
	}
	content := objects.Join(all...)
	computed, err := sumsOf(content)
	computed.etag.Parts = int32(min(count, math.MaxInt32)) // compositions of empty objects can grow without limit
	return content, computed, err
}

// open returns the component, if its condition holds.
func (c component) open(b *objects.Bucket, hold func(func())) (*objects.Version, error) {
	if err := checkName(c.Name); err != nil {
		return nil, err
	}
	generation, err := number(c.Generation)
	if err != nil {
		return nil, err
	}
	match, err := number(c.IfGenerationMatch)
	if err != nil {
		return nil, err
	}
	id := ""
	if generation != nil {
		id = strconv.FormatInt(*generation, 10)
	}
	v, err := b.Get(c.Name, id)
	hold(v.Release)
	if err != nil {
		return nil, err
	}
	return v, objects.Conditions{Generation: objects.NumberCondition{Match: match}}.ReadNumbers(v)
}
