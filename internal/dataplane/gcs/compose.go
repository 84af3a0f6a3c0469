package gcs

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"maps"
	"math"
	"strconv"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs/failure"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3exchange"
	"github.com/cosi-emu/cosi-emu/internal/s3error"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

// maxComponents is the maximum number of source objects of one compose request.
const maxComponents = 32

// composition is the body of a compose request.
type composition struct {
	Kind          string          `json:"kind"`
	SourceObjects []component     `json:"sourceObjects"`
	Destination   json.RawMessage `json:"destination"`
	DeletesSource bool            `json:"deleteSourceObjects"`
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
	asked, err := parseComposition(x.body.document.Bytes())
	if err != nil {
		return err
	}
	from, err := openAll(x.bucket, x.target.bucket, asked.SourceObjects, x.Hold)
	if err != nil {
		return err
	}
	a, err := s.composed(x, asked, from)
	if err != nil {
		return err
	}
	content, computed, err := s.concatenate(from)
	if err != nil {
		return err
	}
	made, err := s.put(x, a, content, computed)
	if err != nil {
		return err
	}
	if asked.DeletesSource {
		if err := deleteSources(x.bucket, from, made.Name); err != nil {
			return err
		}
	}
	return x.sendObject(made)
}

// composed returns the attributes of the composed object.
func (s *Service) composed(x *exchange, asked composition, from []*objects.Version) (attributes, error) {
	a := attributes{Bucket: x.target.bucket, Name: x.target.object}
	d, err := parseDocument(asked.Destination)
	if err != nil {
		return a, err
	}
	if asked.DeletesSource {
		if err := anyHeld(from); err != nil {
			return a, err
		}
	}
	if !d.isSet("contexts") {
		if a.Contexts, err = contextsOfAll(from); err != nil {
			return a, err
		}
	}
	err = d.apply(&a, s.options.Now().UTC())
	return a, err
}

func parseComposition(body []byte) (asked composition, err error) {
	in := json.NewDecoder(bytes.NewReader(body))
	in.DisallowUnknownFields()
	if err := in.Decode(&asked); err != nil {
		if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
			return asked, failure.ErrNotImplemented.With("cosi-emu does not implement the member " + name + " of a request to compose")
		}
		return asked, failure.ErrInvalid.With("The body is not a request to compose")
	}
	return asked, nil
}

// contextsOfAll returns the object contexts of all sources. The last one wins.
func contextsOfAll(from []*objects.Version) (*contexts, error) {
	all := map[string]contextValue{}
	for _, v := range from {
		o, err := objectOf("", v)
		if err != nil {
			return nil, err
		}
		maps.Copy(all, o.Contexts.custom())
	}
	return contextsOf(all), nil
}

func anyHeld(sources []*objects.Version) error {
	for _, v := range sources {
		if err := v.Held(); err != nil {
			return err
		}
	}
	return nil
}

// deleteSources deletes the sources that have not changed meanwhile, except the composed object.
func deleteSources(b *objects.Bucket, from []*objects.Version, composed string) error {
	for _, v := range from {
		if v.Key == composed {
			continue
		}
		generation := v.Generation()
		same := objects.Conditions{Generation: objects.NumberCondition{Match: &generation}}
		_, err := b.Delete(v.Key, "", same, objects.BypassNothing)
		if err != nil && !objects.IsGone(err) && failure.Of(err) != failure.ErrCondition {
			return err
		}
	}
	return nil
}

func (s *Service) composeXML(x *s3exchange.Exchange, bucket *objects.Bucket) (s3exchange.Content, error) {
	components, err := parseComposeXML(x.Body)
	if err != nil {
		return s3exchange.Content{}, err
	}
	from, err := openAll(bucket, x.Bucket, components, x.Hold)
	if err != nil {
		return s3exchange.Content{}, xmlError(err, s3error.ErrNoSuchKey)
	}
	content, computed, err := s.concatenate(from)
	if err != nil {
		return s3exchange.Content{}, xmlError(err, s3error.ErrNoSuchKey)
	}
	return s3exchange.Content{Body: content, ETag: computed.etag, Checksum: computed.crc32c}, nil
}

// element is an element of a document, for those that no field has.
type element struct {
	XMLName xml.Name `xml:""`
}

func parseComposeXML(body []byte) ([]component, error) {
	var asked struct {
		XMLName    xml.Name `xml:"ComposeRequest"`
		Components []struct {
			component

			Unknown []element `xml:",any"`
		} `xml:"Component"`
		Unknown []element `xml:",any"`
	}
	if err := xml.Unmarshal(body, &asked); err != nil {
		return nil, s3error.ErrMalformedXML
	}
	components, unknown := make([]component, 0, len(asked.Components)), asked.Unknown
	for _, c := range asked.Components {
		components, unknown = append(components, c.component), append(unknown, c.Unknown...)
	}
	if len(unknown) > 0 {
		return nil, s3error.ErrNotImplemented.With("The element " + unknown[0].XMLName.Local + " of a ComposeRequest is not implemented")
	}
	return components, nil
}

// openAll returns the components. Functions that hold receives release them.
func openAll(b *objects.Bucket, bucket string, all []component, hold func(func())) ([]*objects.Version, error) {
	if len(all) == 0 || len(all) > maxComponents {
		return nil, failure.ErrInvalid.With("An object is composed of 1 to 32 others")
	}
	opened := make([]*objects.Version, 0, len(all))
	for _, c := range all {
		v, err := c.open(b, hold)
		if err != nil {
			return nil, gone(err, bucket, c.Name)
		}
		opened = append(opened, v)
	}
	return opened, nil
}

// concatenate returns the contents of objects as one.
func (s *Service) concatenate(from []*objects.Version) (objects.Body, sums, error) {
	all := make([]objects.Body, 0, len(from))
	var size, count int64
	for _, v := range from {
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
