package store

import (
	"encoding/xml"

	"github.com/cosi-emu/cosi-emu/fakedriver/store/internal/s3error"
)

// objectProperty answers questions about an object that have one answer for all
// that exist.
func (s *Store) objectProperty(x *exchange) error {
	object, err := s.objects.HeadObject(x.bucket, x.key)
	if err != nil {
		return s3error.ErrNoSuchKey
	}
	if err := object.Contents.Close(); err != nil {
		return err
	}
	if x.operation.Name == "GetObjectAcl" {
		return s.acl(x)
	}
	return sendXML(x, struct {
		XMLName xml.Name `xml:"Tagging"`
		Xmlns   string   `xml:"xmlns,attr"`
		TagSet  struct{}
	}{Xmlns: namespace})
}

// acl answers as a bucket does whose ACLs are off: all to the owner, and nothing
// to anybody else. Permissions come from grants alone.
func (s *Store) acl(x *exchange) error {
	type grantee struct {
		owner

		Xsi  string `xml:"xmlns:xsi,attr"`
		Type string `xml:"xsi:type,attr"`
	}
	type grant struct {
		Grantee    grantee
		Permission string
	}
	return sendXML(x, struct {
		XMLName xml.Name `xml:"AccessControlPolicy"`
		Xmlns   string   `xml:"xmlns,attr"`
		Owner   owner
		Grants  []grant `xml:"AccessControlList>Grant"`
	}{Xmlns: namespace, Owner: x.owner(), Grants: []grant{{
		Grantee:    grantee{owner: x.owner(), Xsi: "http://www.w3.org/2001/XMLSchema-instance", Type: "CanonicalUser"},
		Permission: "FULL_CONTROL",
	}}})
}
