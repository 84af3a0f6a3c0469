package answers

import (
	"encoding/base64"
	"encoding/xml"
	"slices"
	"strings"

	"github.com/johannesboyne/gofakes3"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3exchange"
	"github.com/cosi-emu/cosi-emu/internal/s3error"
)

const maxBucketPage = 10000

// listBuckets lists the buckets that the account can access, by name. Its continuation token is the
// last name of the previous page, in base64.
func (a *Answers) listBuckets(x *s3exchange.Exchange) error {
	type entry struct{ Name, CreationDate, BucketRegion string }
	document := struct {
		XMLName           xml.Name `xml:"ListAllMyBucketsResult"`
		Xmlns             string   `xml:"xmlns,attr"`
		Owner             gofakes3.UserInfo
		Buckets           []entry `xml:"Buckets>Bucket"`
		Prefix            string  `xml:",omitempty"`
		ContinuationToken string  `xml:",omitempty"`
	}{Xmlns: namespace, Owner: ownerOf(x), Prefix: x.Query.Get("prefix")}
	limit, err := queryNumber(x, "max-buckets", maxBucketPage)
	if err != nil || limit < 1 {
		return s3error.ErrInvalidArgument.With("Argument max-buckets must be an integer between 1 and 10000")
	}
	after, err := base64.URLEncoding.DecodeString(x.Query.Get("continuation-token"))
	if err != nil {
		return errContinuationToken
	}
	for _, b := range a.reachable(x) {
		if b.Name <= string(after) {
			continue
		}
		if len(document.Buckets) == min(limit, maxBucketPage) {
			last := document.Buckets[len(document.Buckets)-1].Name
			document.ContinuationToken = base64.URLEncoding.EncodeToString([]byte(last))
			break
		}
		document.Buckets = append(document.Buckets, entry{b.Name, formatTime(b.CreatedAt), a.RegionOf(b.Name)})
	}
	return sendXML(x, document)
}

var errContinuationToken = s3error.ErrInvalidArgument.With("The continuation token provided is incorrect")

// reachable returns the buckets that the request selects.
func (a *Answers) reachable(x *s3exchange.Exchange) []fakedriver.Bucket {
	prefix, region := x.Query.Get("prefix"), x.Query.Get("bucket-region")
	return slices.DeleteFunc(x.Caller.Buckets(x.Dialect.Protocol), func(b fakedriver.Bucket) bool {
		return !strings.HasPrefix(b.Name, prefix) || (region != "" && region != a.RegionOf(b.Name))
	})
}
