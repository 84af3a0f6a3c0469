package gcs

import "encoding/json"

// maxComponents is the maximum number of source objects of one compose request.
const maxComponents = 32

// composition is the body of a compose request.
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

// compose concatenates several objects into one.
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
