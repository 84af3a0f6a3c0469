package answers

import (
	"encoding/xml"
	"maps"
	"net/http"
	"net/url"
	"slices"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3exchange"
	"github.com/cosi-emu/cosi-emu/internal/s3error"
)

type tagging struct {
	XMLName xml.Name         `xml:"Tagging"`
	Xmlns   string           `xml:"xmlns,attr,omitempty"`
	TagSet  []s3exchange.Tag `xml:"TagSet>Tag"`
}

// tagsOfBody reads the document of PutObjectTagging and PutBucketTagging.
func tagsOfBody(x *s3exchange.Exchange, limit int) (map[string]string, error) {
	var document tagging
	if err := xml.Unmarshal(x.Body, &document); err != nil {
		return nil, s3error.ErrMalformedXML
	}
	return s3exchange.CheckTags(document.TagSet, limit)
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

func sendTags(x *s3exchange.Exchange, tags map[string]string) error {
	document := tagging{Xmlns: namespace}
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		document.TagSet = append(document.TagSet, s3exchange.Tag{Key: key, Value: tags[key]})
	}
	return sendXML(x, document)
}

func (a *Answers) getObjectTagging(x *s3exchange.Exchange) error {
	if err := x.Find(); err != nil {
		return err
	}
	x.TellVersionID()
	return sendTags(x, x.Version.Attributes.Tags)
}

func (a *Answers) putObjectTagging(x *s3exchange.Exchange) error {
	tags, err := tagsOfBody(x, s3exchange.MaxObjectTags)
	if err != nil {
		return err
	}
	return retag(x, tags, http.StatusOK)
}

func (a *Answers) deleteObjectTagging(x *s3exchange.Exchange) error {
	return retag(x, nil, http.StatusNoContent)
}

func retag(x *s3exchange.Exchange, tags map[string]string, status int) error {
	v, err := x.Contents.Retag(x.Key, x.Query.Get("versionId"), tags)
	if err != nil {
		return err
	}
	x.Version = v
	x.TellVersionID()
	x.W.WriteHeader(status)
	return nil
}

func (a *Answers) getBucketTagging(x *s3exchange.Exchange) error {
	tags := x.Contents.Config().Tags
	if len(tags) == 0 {
		return s3error.ErrNoSuchTagSet
	}
	return sendTags(x, tags)
}

func (a *Answers) putBucketTagging(x *s3exchange.Exchange) error {
	tags, err := tagsOfBody(x, fakedriver.MaxBucketTags)
	if err != nil {
		return err
	}
	return retagBucket(x, tags)
}

func (a *Answers) deleteBucketTagging(x *s3exchange.Exchange) error { return retagBucket(x, nil) }

func retagBucket(x *s3exchange.Exchange, tags map[string]string) error {
	if err := x.Contents.SetTags(tags); err != nil {
		return err
	}
	x.W.WriteHeader(http.StatusNoContent)
	return nil
}
