package store

import "encoding/xml"

const timestamp = "2006-01-02T15:04:05.000Z"

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

// listBuckets lists the buckets within reach of the account.
func (s *Store) listBuckets(x *exchange) error {
	type entry struct{ Name, CreationDate string }
	document := struct {
		XMLName xml.Name `xml:"ListAllMyBucketsResult"`
		Xmlns   string   `xml:"xmlns,attr"`
		Owner   owner
		Buckets []entry `xml:"Buckets>Bucket"`
	}{Xmlns: namespace, Owner: x.owner()}
	for _, b := range s.registry.allBuckets() {
		if _, granted, _ := s.registry.grant(x.principal, b.Name); granted {
			document.Buckets = append(document.Buckets, entry{b.Name, b.CreatedAt.Format(timestamp)})
		}
	}
	return sendXML(x, document)
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
