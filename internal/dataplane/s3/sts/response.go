package sts

import (
	"encoding/xml"
	"net/http"
	"strconv"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/store/authorization"
)

// result is the result of AssumeRoleWithWebIdentity.
type result struct {
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

func newResult(asked assumption, session *authorization.Session) *result {
	var a result
	a.Subject = session.Account // the store has no other name for it
	a.User.Arn, a.User.AssumedRoleID = asked.user(), session.Account+":"+asked.name
	a.Credentials.AccessKeyID, a.Credentials.SecretAccessKey = session.AccessKeyID, session.Secret
	a.Credentials.SessionToken, a.Credentials.Expiration = session.Token, session.Expires.Format(time.RFC3339)
	return &a
}

func (x *exchange) sendResult(found *result) {
	type metadata struct {
		RequestID string `xml:"RequestId"`
	}
	x.send(http.StatusOK, struct {
		XMLName  xml.Name `xml:"https://sts.amazonaws.com/doc/2011-06-15/ AssumeRoleWithWebIdentityResponse"`
		Result   *result  `xml:"AssumeRoleWithWebIdentityResult"`
		Metadata metadata `xml:"ResponseMetadata"`
	}{Result: found, Metadata: metadata{x.id}})
}

func (x *exchange) send(status int, document any) {
	body, err := xml.Marshal(document)
	if err != nil {
		status, body = http.StatusInternalServerError, nil // impossible with strings only
	}
	header := x.W.Header()
	header.Set("Content-Type", "text/xml")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Amzn-Requestid", x.id)
	header.Set("Content-Length", strconv.Itoa(len(body)))
	x.W.WriteHeader(status)
	_, _ = x.W.Write(body) // the client may have disconnected
}
