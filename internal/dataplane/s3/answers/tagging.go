package answers

import (
	"encoding/xml"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3error"
)

// maxObjectTags is from the S3 User Guide, "Categorizing your objects using tags".
const maxObjectTags = 10

type tag struct {
	Key   string `xml:"Key"`
	Value string `xml:"Value"`
}

type tagging struct {
	XMLName xml.Name `xml:"Tagging"`
	Xmlns   string   `xml:"xmlns,attr,omitempty"`
	TagSet  []tag    `xml:"TagSet>Tag"`
}

// checkTags returns the tags as a map, or InvalidTag.
func checkTags(tags []tag, limit int) (map[string]string, error) {
	if len(tags) > limit {
		return nil, s3error.ErrInvalidTag.With("There cannot be more tags than " + strconv.Itoa(limit))
	}
	checked := make(map[string]string, len(tags))
	for _, t := range tags {
		_, twice := checked[t.Key]
		switch {
		case !fakedriver.IsTagKey(t.Key):
			return nil, s3error.ErrInvalidTag.With("The TagKey you have provided is invalid")
		case !fakedriver.IsTagValue(t.Value):
			return nil, s3error.ErrInvalidTag.With("The TagValue you have provided is invalid")
		case fakedriver.IsReservedTagKey(t.Key):
			return nil, s3error.ErrInvalidTag.With("System tags cannot be added/updated by requester")
		case twice:
			return nil, s3error.ErrInvalidTag.With("Cannot provide multiple Tags with the same key")
		}
		checked[t.Key] = t.Value
	}
	return checked, nil
}

// tagsOfBody reads the document of PutObjectTagging and PutBucketTagging.
func (x *exchange) tagsOfBody(limit int) (map[string]string, error) {
	var document tagging
	if err := xml.Unmarshal(x.Body, &document); err != nil {
		return nil, s3error.ErrMalformedXML
	}
	return checkTags(document.TagSet, limit)
}

// TagsOfDocument returns the tags of a document in the form of the header X-Amz-Tagging.
func TagsOfDocument(text []byte) (url.Values, error) {
	var document tagging
	if err := xml.Unmarshal(text, &document); err != nil {
		return nil, s3error.ErrMalformedXML
	}
	tags := url.Values{}
	for _, t := range document.TagSet {
		tags.Add(t.Key, t.Value)
	}
	return tags, nil
}

func sendTags(x *exchange, tags map[string]string) error {
	document := tagging{Xmlns: namespace}
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		document.TagSet = append(document.TagSet, tag{key, tags[key]})
	}
	return sendXML(x, document)
}

func (a *Answers) getObjectTagging(x *exchange) error {
	if err := x.find(); err != nil {
		return err
	}
	x.tellVersionID()
	return sendTags(x, x.version.Attributes.Tags)
}

func (a *Answers) putObjectTagging(x *exchange) error {
	tags, err := x.tagsOfBody(maxObjectTags)
	if err != nil {
		return err
	}
	return x.retag(tags, http.StatusOK)
}

func (a *Answers) deleteObjectTagging(x *exchange) error { return x.retag(nil, http.StatusNoContent) }

func (x *exchange) retag(tags map[string]string, status int) error {
	v, err := x.contents.Retag(x.Key, x.Query.Get("versionId"), tags)
	if err != nil {
		return err
	}
	x.version = v
	x.tellVersionID()
	x.W.WriteHeader(status)
	return nil
}

func (a *Answers) getBucketTagging(x *exchange) error {
	tags := x.contents.Config().Tags
	if len(tags) == 0 {
		return s3error.ErrNoSuchTagSet
	}
	return sendTags(x, tags)
}

func (a *Answers) putBucketTagging(x *exchange) error {
	tags, err := x.tagsOfBody(fakedriver.MaxBucketTags)
	if err != nil {
		return err
	}
	return x.retagBucket(tags)
}

func (a *Answers) deleteBucketTagging(x *exchange) error { return x.retagBucket(nil) }

func (x *exchange) retagBucket(tags map[string]string) error {
	if err := x.contents.SetTags(tags); err != nil {
		return err
	}
	x.W.WriteHeader(http.StatusNoContent)
	return nil
}
