package answers

import (
	"encoding/xml"

	"github.com/johannesboyne/gofakes3"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3exchange"
)

// ownerOf is the account in documents. It does not depend on the account's key, which changes, and
// which accounts for ServiceAccounts do not have.
func ownerOf(x *s3exchange.Exchange) gofakes3.UserInfo {
	id := x.Caller.Account().ID
	return gofakes3.UserInfo{ID: id, DisplayName: id}
}

// firstRegion is the region that S3 treats unlike all others.
const firstRegion = "us-east-1"

func (a *Answers) bucketLocation(x *s3exchange.Exchange) error {
	location := a.RegionOf(x.Bucket)
	if location == firstRegion {
		location = "" // as in S3
	}
	return sendXML(x, gofakes3.GetBucketLocation{Xmlns: namespace, LocationConstraint: location})
}

// nothingConfigured answers with an empty document, as for a bucket without the feature.
func nothingConfigured(name string) func(*Answers, *s3exchange.Exchange) error {
	return func(_ *Answers, x *s3exchange.Exchange) error {
		return sendXML(x, struct {
			XMLName xml.Name
			Xmlns   string `xml:"xmlns,attr"`
		}{XMLName: xml.Name{Local: name}, Xmlns: namespace})
	}
}

func (a *Answers) requestPayment(x *s3exchange.Exchange) error {
	return sendXML(x, struct {
		XMLName xml.Name `xml:"RequestPaymentConfiguration"`
		Xmlns   string   `xml:"xmlns,attr"`
		Payer   string
	}{Xmlns: namespace, Payer: "BucketOwner"})
}
