// Package sas has the shared access signatures of Azure Blob Storage that the fake driver issues
// and its Azure service verifies: service SAS of a container that name a stored access policy. The
// policy of an access has the name of its key, and ends with it.
//
// It is a package of its own because the driver, which signs, must not import the service.
package sas

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
	"net/url"
	"strings"
)

// Version is the version of Azure's API that defines the form of the signatures.
const Version = "2024-11-04"

const resourceContainer = "c"

// signed are the query parameters of a signature, in the order of signing, except the resource,
// which follows the third.
var signed = []string{"sp", "st", "se", "", "si", "sip", "spr", "sv", "sr", "snapshot", "ses", "rscc", "rscd", "rsce", "rscl", "rsct"}

// AllPermissions are the letters of all permissions that the service knows.
const AllPermissions = "racwdltf"

// Parameters are the query parameters of a signature, except ses for encryption scopes.
func Parameters() []string {
	return []string{"sp", "st", "se", "si", "sip", "spr", "sv", "sr", "rscc", "rscd", "rsce", "rscl", "rsct", "sig"}
}

// Account returns the storage account of a container. Names of accounts have 3 to 24
// letters and digits.
func Account(container string) string {
	const prefix, length = "cosi", 24
	digest := sha256.Sum256([]byte(container))
	return (prefix + strings.ToLower(base32.StdEncoding.EncodeToString(digest[:])))[:length]
}

// Container returns the URL of a container at an endpoint. The account is in the path, as for all
// storage services with an IP address.
func Container(endpoint *url.URL, container string) *url.URL {
	return endpoint.JoinPath(Account(container), container)
}

// Token returns the query of a signature: policy is a stored access policy, which decides its
// validity; protocols are https, or https,http.
func Token(container, policy, secret, permissions, protocols string) url.Values {
	query := url.Values{
		"sv": {Version}, "sr": {resourceContainer}, "spr": {protocols}, "si": {policy}, "sp": {permissions},
	}
	query.Set("sig", Sign(Account(container), container, query, secret))
	return query
}

// Sign returns the signature of the other parameters of a query.
func Sign(account, container string, query url.Values, secret string) string {
	fields := make([]string, len(signed))
	for i, name := range signed {
		switch name {
		case "":
			fields[i] = "/blob/" + account + "/" + container
		case "snapshot": // a container's signature has none; the parameter selects one
		default:
			fields[i] = query.Get(name)
		}
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(strings.Join(fields, "\n")))
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// Verify reports whether the signature of a query is valid. It takes the same time for wrong and
// correct signatures.
func Verify(account, container string, query url.Values, secret string) bool {
	want := Sign(account, container, query, secret)
	return account == Account(container) && query.Get("sr") == resourceContainer && hmac.Equal([]byte(want), []byte(query.Get("sig")))
}
