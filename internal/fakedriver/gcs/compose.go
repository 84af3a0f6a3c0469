package gcs

import (
	"encoding/json"
	"strconv"

	"github.com/cosi-emu/cosi-emu/internal/fakedriver/objects"
)

// maxComponents is the maximum number of source objects of one compose request.
const maxComponents = 32

// composition is the body of a compose request.
type composition struct {
	SourceObjects []component     `json:"sourceObjects"`
	Destination   json.RawMessage `json:"destination"`
}

type component struct {
	Name          string `json:"name"`
	Generation    string `json:"generation"`
	Preconditions struct {
		IfGenerationMatch string `json:"ifGenerationMatch"`
	} `json:"objectPreconditions"`
}

// compose concatenates several objects into one, without copying.
func (s *Service) compose(x *exchange) error {
	var asked composition
	if err := json.Unmarshal(x.body.document.Bytes(), &asked); err != nil {
		return errInvalid.with("The body is not a request to compose")
	}
	if len(asked.SourceObjects) == 0 || len(asked.SourceObjects) > maxComponents {
		return errInvalid.with("An object is composed of 1 to 32 others")
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
	computed, err := sumsOf(content)
	if err != nil {
		return err
	}
	made, err := s.put(x, a, content, computed)
	if err != nil {
		return err
	}
	return s.sendObject(x, made)
}

func (s *Service) components(x *exchange, asked composition) (objects.Body, error) {
	var all []objects.Body
	var size int64
	for _, c := range asked.SourceObjects {
		v, err := x.component(c)
		if err != nil {
			return objects.Body{}, err
		}
		if size += v.Size(); size > s.options.MaxBodyBytes {
			return objects.Body{}, errTooLarge
		}
		all = append(all, v.Body)
	}
	return objects.Join(all...), nil
}

func (x *exchange) component(c component) (*objects.Version, error) {
	generation, err := number(c.Generation)
	if err != nil {
		return nil, err
	}
	match, err := number(c.Preconditions.IfGenerationMatch)
	if err != nil {
		return nil, err
	}
	id := ""
	if generation != nil {
		id = strconv.FormatInt(*generation, 10)
	}
	v, err := x.bucket.Get(c.Name, id)
	x.hold(v.Release)
	if err != nil {
		return nil, gone(err, x.target.bucket, c.Name)
	}
	return v, objects.Conditions{Generation: objects.NumberCondition{Match: match}}.ReadNumbers(v)
}
