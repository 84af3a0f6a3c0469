package answers

import (
	"encoding/xml"

	"github.com/cosi-emu/cosi-emu/internal/fakedriver/authorization"
)

type owner struct {
	ID          string
	DisplayName string
}

// owner is what documents call the account. It is the same whatever key the
// account has, and for those that have sessions only.
func (x *exchange) owner() owner {
	id := x.Caller.Account().ID
	return owner{ID: authorization.AccessKeyID(id, 0), DisplayName: id}
}

// bucketLocation answers with the region; gofakes3 would say us-east-1.
func (a *Answers) bucketLocation(x *exchange) error {
	location := a.RegionOf(x.Bucket)
	if location == "us-east-1" {
		location = "" // S3 has it so
	}
	return sendXML(x, struct {
		XMLName  xml.Name `xml:"LocationConstraint"`
		Xmlns    string   `xml:"xmlns,attr"`
		Location string   `xml:",chardata"`
	}{Xmlns: namespace, Location: location})
}

func (a *Answers) requestPayment(x *exchange) error {
	return sendXML(x, struct {
		XMLName xml.Name `xml:"RequestPaymentConfiguration"`
		Xmlns   string   `xml:"xmlns,attr"`
		Payer   string
	}{Xmlns: namespace, Payer: "BucketOwner"})
}
