package store

import "encoding/xml"

type owner struct {
	ID          string
	DisplayName string
}

// owner is what documents call the account. It is the same whatever key the
// account has, and for those that have sessions only.
func (x *exchange) owner() owner {
	id := x.principal.account.ID
	return owner{ID: accessKeyID(id, 0), DisplayName: id}
}

// bucketLocation answers with the region; gofakes3 would say us-east-1.
func (s *Store) bucketLocation(x *exchange) error {
	location := s.regionOf(x.bucket)
	if location == "us-east-1" {
		location = "" // S3 has it so
	}
	return sendXML(x, struct {
		XMLName  xml.Name `xml:"LocationConstraint"`
		Xmlns    string   `xml:"xmlns,attr"`
		Location string   `xml:",chardata"`
	}{Xmlns: namespace, Location: location})
}

func (s *Store) requestPayment(x *exchange) error {
	return sendXML(x, struct {
		XMLName xml.Name `xml:"RequestPaymentConfiguration"`
		Xmlns   string   `xml:"xmlns,attr"`
		Payer   string
	}{Xmlns: namespace, Payer: "BucketOwner"})
}
