package store

import (
	"encoding/xml"
	"net/http"
	"strconv"
	"time"
)

// assumed is the result of AssumeRoleWithWebIdentity.
type assumed struct {
	Subject string `xml:"SubjectFromWebIdentityToken"`
	User    struct {
		Arn           string
		AssumedRoleID string `xml:"AssumedRoleId"`
	} `xml:"AssumedRoleUser"`
	Credentials struct {
		AccessKeyID     string `xml:"AccessKeyId"`
		SecretAccessKey string
		SessionToken    string
		Expiration      string
	}
}

func newAssumed(asked assumption, begun *session) *assumed {
	var a assumed
	a.Subject = begun.account // the store knows no other name of it
	a.User.Arn, a.User.AssumedRoleID = asked.user(), begun.account+":"+asked.name
	a.Credentials.AccessKeyID, a.Credentials.SecretAccessKey = begun.accessKeyID, begun.secret
	a.Credentials.SessionToken, a.Credentials.Expiration = begun.token, begun.expires.Format(time.RFC3339)
	return &a
}

func sendSTS(x *exchange, result *assumed) {
	type metadata struct {
		RequestID string `xml:"RequestId"`
	}
	writeSTS(x, http.StatusOK, struct {
		XMLName  xml.Name `xml:"https://sts.amazonaws.com/doc/2011-06-15/ AssumeRoleWithWebIdentityResponse"`
		Result   *assumed `xml:"AssumeRoleWithWebIdentityResult"`
		Metadata metadata `xml:"ResponseMetadata"`
	}{Result: result, Metadata: metadata{x.id}})
}

func writeSTS(x *exchange, status int, document any) {
	body, err := xml.Marshal(document)
	if err != nil {
		status, body = http.StatusInternalServerError, nil // strings only, so this cannot be
	}
	header := x.w.Header()
	header.Set("Content-Type", "text/xml")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Amzn-Requestid", x.id)
	header.Set("Content-Length", strconv.Itoa(len(body)))
	x.w.WriteHeader(status)
	_, _ = x.w.Write(body) // a client that has gone is not our error
}
