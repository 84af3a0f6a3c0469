package answers

import (
	"encoding/xml"

	"github.com/johannesboyne/gofakes3"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3exchange"
	"github.com/cosi-emu/cosi-emu/internal/s3error"
)

func (a *Answers) objectACL(x *s3exchange.Exchange) error {
	if err := x.Find(); err != nil {
		return err
	}
	return a.acl(x)
}

// headBucket answers HeadBucket: an earlier phase has found the bucket. Clients learn the region
// from it.
func (a *Answers) headBucket(x *s3exchange.Exchange) error {
	x.W.Header().Set("X-Amz-Bucket-Region", a.RegionOf(x.Bucket))
	return nil
}

// acl answers as for a bucket with disabled ACLs: full control for the owner, and no other entry.
// Only grants give permissions.
func (a *Answers) acl(x *s3exchange.Exchange) error {
	type grantee struct {
		gofakes3.UserInfo

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
		Owner   gofakes3.UserInfo
		Grants  []grant `xml:"AccessControlList>Grant"`
	}{Xmlns: namespace, Owner: ownerOf(x), Grants: []grant{{
		Grantee:    grantee{UserInfo: ownerOf(x), Xsi: "http://www.w3.org/2001/XMLSchema-instance", Type: "CanonicalUser"},
		Permission: "FULL_CONTROL",
	}}})
}

// putBucketACL answers PutBucketAcl, which changes nothing.
func (a *Answers) putBucketACL(x *s3exchange.Exchange) error { return checkACL(x) }

// putObjectACL answers PutObjectAcl for an existing object. It changes nothing.
func (a *Answers) putObjectACL(x *s3exchange.Exchange) error {
	if err := x.Find(); err != nil {
		return err
	}
	x.TellVersionID()
	return checkACL(x)
}

// checkACL accepts an ACL that gives full control to the owner only. The table of operations has
// checked the header.
func checkACL(x *s3exchange.Exchange) error {
	canned := x.R.Header.Get("X-Amz-Acl") != ""
	switch {
	case canned && len(x.Body) > 0:
		return s3error.ErrInvalidRequest.With("Specify an ACL in the header x-amz-acl or in the body, not in both")
	case canned:
		return nil
	case len(x.Body) == 0:
		return s3error.ErrMissingSecurityHeader.With("The request has no ACL, neither in the header x-amz-acl nor in the body")
	}
	var document struct {
		XMLName xml.Name `xml:"AccessControlPolicy"`
		Grants  []struct {
			Grantee struct {
				ID string `xml:"ID"`
			} `xml:"Grantee"`
			Permission string `xml:"Permission"`
		} `xml:"AccessControlList>Grant"`
	}
	if err := xml.Unmarshal(x.Body, &document); err != nil {
		return s3error.ErrMalformedACL
	}
	for _, grant := range document.Grants {
		if grant.Grantee.ID != ownerOf(x).ID || grant.Permission != "FULL_CONTROL" {
			return s3error.ErrAccessControlListNotSupported
		}
	}
	if len(document.Grants) == 0 {
		return s3error.ErrAccessControlListNotSupported
	}
	return nil
}
