package answers

import (
	"encoding/xml"

	"github.com/cosi-emu/cosi-emu/internal/fakedriver/authorization"
)

type owner struct {
	ID          string
	DisplayName string
}

// owner is the account in documents. It does not depend on the account's key, which
// changes, and which accounts for ServiceAccounts do not have.
func (x *exchange) owner() owner {
	id := x.Caller.Account().ID
	return owner{ID: authorization.AccessKeyID(id, 0), DisplayName: id}
}

// bucketLocation answers with the region.
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
