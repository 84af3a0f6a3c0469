package answers

import (
	"encoding/base64"
	"encoding/xml"
	"net/url"
	"strings"

	"github.com/johannesboyne/gofakes3"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3exchange"
	"github.com/cosi-emu/cosi-emu/internal/s3error"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

// listing is the common part of the documents of all listings of objects.
type listing struct {
	Xmlns          string `xml:"xmlns,attr"`
	Name           string
	Prefix         string
	Delimiter      string `xml:",omitempty"`
	MaxKeys        int
	EncodingType   string `xml:",omitempty"`
	IsTruncated    bool
	CommonPrefixes []gofakes3.CommonPrefix
}

// lister is the common part of the requests of all listings.
type lister struct {
	x       *s3exchange.Exchange
	query   objects.Query
	encodes bool // keys are to be URL-encoded
}

func newLister(x *s3exchange.Exchange, sizeParameter string) (*lister, error) {
	l := &lister{x: x, query: objects.Query{Prefix: x.Query.Get("prefix"), Delimiter: x.Query.Get("delimiter")}}
	switch x.Query.Get("encoding-type") {
	case "":
	case "url":
		l.encodes = true
	default:
		return nil, s3error.ErrInvalidArgument.With("Invalid Encoding Method specified in Request")
	}
	var err error
	l.query.Max, err = pageSizeOf(x, sizeParameter)
	return l, err
}

var encodedKey = strings.NewReplacer("%2F", "/", "+", "%20")

// encode returns a key for documents. Without URL-encoding, XML cannot contain most control
// characters.
func (l *lister) encode(key string) string {
	if !l.encodes {
		return key
	}
	return encodedKey.Replace(url.QueryEscape(key))
}

func (l *lister) prefixes(prefixes []string) []gofakes3.CommonPrefix {
	all := make([]gofakes3.CommonPrefix, 0, len(prefixes))
	for _, prefix := range prefixes {
		all = append(all, gofakes3.CommonPrefix{Prefix: l.encode(prefix)})
	}
	return all
}

func (l *lister) listing(page objects.Page) listing {
	document := listing{
		Xmlns: namespace, Name: l.x.Bucket, Prefix: l.encode(l.query.Prefix), Delimiter: l.encode(l.query.Delimiter),
		MaxKeys: l.query.Max, IsTruncated: page.IsTruncated, CommonPrefixes: l.prefixes(page.Prefixes),
	}
	if l.encodes {
		document.EncodingType = "url"
	}
	return document
}

func (a *Answers) listObjects(x *s3exchange.Exchange) error {
	l, err := newLister(x, "max-keys")
	if err != nil {
		return err
	}
	l.query.After = x.Query.Get("marker")
	page := x.Contents.List(l.query)
	contents := newDocument()
	defer documents.Put(contents)
	l.writeContents(contents, page, true)
	document := struct {
		XMLName xml.Name `xml:"ListBucketResult"`
		listing
		Marker     string
		NextMarker string `xml:",omitempty"`
		Contents   []byte `xml:",innerxml"`
	}{listing: l.listing(page), Marker: l.encode(l.query.After), Contents: contents.Bytes()}
	if page.IsTruncated && l.query.Delimiter != "" {
		document.NextMarker = l.encode(page.Next)
	}
	return sendXML(x, document)
}

// listObjectsV2 answers ListObjectsV2. Its continuation token is the last entry of the previous
// page, in base64.
func (a *Answers) listObjectsV2(x *s3exchange.Exchange) error {
	l, err := newLister(x, "max-keys")
	if err != nil {
		return err
	}
	l.query.After = x.Query.Get("start-after")
	token := x.Query.Get("continuation-token")
	if token != "" {
		after, err := base64.URLEncoding.DecodeString(token)
		if err != nil || len(after) == 0 {
			return errContinuationToken
		}
		l.query.After = string(after)
	}
	page := x.Contents.List(l.query)
	contents := newDocument()
	defer documents.Put(contents)
	l.writeContents(contents, page, x.Query.Get("fetch-owner") == "true")
	document := struct {
		XMLName xml.Name `xml:"ListBucketResult"`
		listing
		KeyCount              int
		StartAfter            string `xml:",omitempty"`
		ContinuationToken     *string
		NextContinuationToken string `xml:",omitempty"`
		Contents              []byte `xml:",innerxml"`
	}{
		listing: l.listing(page), KeyCount: len(page.Versions) + len(page.Prefixes), StartAfter: l.encode(x.Query.Get("start-after")),
		Contents: contents.Bytes(),
	}
	if x.Query.Has("continuation-token") {
		document.ContinuationToken = &token
	}
	if page.IsTruncated {
		document.NextContinuationToken = base64.URLEncoding.EncodeToString([]byte(page.Next))
	}
	return sendXML(x, document)
}
