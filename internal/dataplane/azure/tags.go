package azure

import (
	"encoding/xml"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"unicode/utf8"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure/failure"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure/tagcondition"
)

func parseTags(text string) (map[string]string, error) {
	if text == "" {
		return nil, nil
	}
	values, err := url.ParseQuery(text)
	if err != nil {
		return nil, failure.ErrTags
	}
	tags := map[string]string{}
	for name, given := range values {
		if len(given) != 1 {
			return nil, failure.ErrTags
		}
		tags[name] = given[0]
	}
	return tags, checkTags(tags)
}

func checkTags(tags map[string]string) error {
	if len(tags) > tagcondition.MaxTags {
		return failure.ErrTags
	}
	for name, value := range tags {
		if name == "" || utf8.RuneCountInString(name) > tagcondition.MaxKey || utf8.RuneCountInString(value) > tagcondition.MaxValue ||
			!tagcondition.IsText(name) || !tagcondition.IsText(value) {
			return failure.ErrTags
		}
	}
	return nil
}

type tagXML struct {
	Key   string `xml:"Key"`
	Value string `xml:"Value"`
}

type tagsXML struct {
	XMLName xml.Name `xml:"Tags"`
	Tags    []tagXML `xml:"TagSet>Tag"`
}

func documentOf(tags map[string]string) tagsXML {
	var list tagsXML
	for _, name := range slices.Sorted(maps.Keys(tags)) {
		list.Tags = append(list.Tags, tagXML{name, tags[name]})
	}
	return list
}

func (s *Service) getTags(x *exchange) error {
	b, err := s.read(x)
	if err != nil {
		return err
	}
	return x.sendXML(documentOf(b.Attributes.Tags))
}

// setTags replaces the tags. It changes neither ETag nor time of the blob.
func (s *Service) setTags(x *exchange) error {
	var given tagsXML
	if err := xml.Unmarshal(x.body.document.Bytes(), &given); err != nil {
		return failure.ErrInvalidXML
	}
	tags := map[string]string{}
	for _, tag := range given.Tags {
		if _, twice := tags[tag.Key]; twice {
			return failure.ErrTags
		}
		tags[tag.Key] = tag.Value
	}
	if err := checkTags(tags); err != nil {
		return err
	}
	_, err := s.amend(x, func(current *blob, d *draft) error {
		d.Attributes.Tags, d.modified = tags, current.Modified()
		return nil
	})
	if err != nil {
		return err
	}
	x.W.WriteHeader(http.StatusNoContent)
	return nil
}
