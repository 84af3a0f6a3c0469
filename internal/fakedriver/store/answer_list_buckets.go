package store

import (
	"encoding/base64"
	"encoding/xml"
	"strings"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/fakedriver/store/internal/s3error"
)

const maxBucketPage = 10000

// listBuckets lists the buckets within reach of the account, by name. Its
// continuation token is the last name of the page before, in base64.
func (s *Store) listBuckets(x *exchange) error {
	type entry struct{ Name, CreationDate, BucketRegion string }
	document := struct {
		XMLName           xml.Name `xml:"ListAllMyBucketsResult"`
		Xmlns             string   `xml:"xmlns,attr"`
		Owner             owner
		Buckets           []entry `xml:"Buckets>Bucket"`
		Prefix            string  `xml:",omitempty"`
		ContinuationToken string  `xml:",omitempty"`
	}{Xmlns: namespace, Owner: x.owner(), Prefix: x.query.Get("prefix")}
	limit, err := x.number("max-buckets", maxBucketPage)
	if err != nil || limit < 1 {
		return s3error.ErrInvalidArgument.With("Argument max-buckets must be an integer between 1 and 10000")
	}
	after, err := base64.URLEncoding.DecodeString(x.query.Get("continuation-token"))
	if err != nil {
		return errContinuationToken
	}
	for _, b := range s.reachable(x) {
		if b.Name <= string(after) {
			continue
		}
		if len(document.Buckets) == min(limit, maxBucketPage) {
			last := document.Buckets[len(document.Buckets)-1].Name
			document.ContinuationToken = base64.URLEncoding.EncodeToString([]byte(last))
			break
		}
		document.Buckets = append(document.Buckets, entry{b.Name, b.CreatedAt.Format(timestamp), s.regionOf(b.Name)})
	}
	return sendXML(x, document)
}

var errContinuationToken = s3error.ErrInvalidArgument.With("The continuation token provided is incorrect")

// reachable returns the buckets that the request is about.
func (s *Store) reachable(x *exchange) (all []fakedriver.Bucket) {
	region := x.query.Get("bucket-region")
	for _, b := range s.registry.allBuckets() {
		_, granted, _ := s.registry.grant(x.principal, b.Name)
		if granted && strings.HasPrefix(b.Name, x.query.Get("prefix")) && (region == "" || region == s.regionOf(b.Name)) {
			all = append(all, b)
		}
	}
	return all
}
