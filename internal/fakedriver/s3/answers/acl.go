package answers

import "encoding/xml"

// objectACL answers GetObjectAcl, of an object that exists.
func (a *Answers) objectACL(x *exchange) error {
	if err := x.find(); err != nil {
		return err
	}
	return a.acl(x)
}

// headBucket answers HeadBucket: an earlier phase has found the bucket. Clients learn
// the region from it.
func (a *Answers) headBucket(x *exchange) error {
	x.W.Header().Set("X-Amz-Bucket-Region", a.RegionOf(x.Bucket))
	return nil
}

// acl answers as a bucket does whose ACLs are disabled: full control for the owner,
// and no other entry. Permissions come from grants alone.
func (a *Answers) acl(x *exchange) error {
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
