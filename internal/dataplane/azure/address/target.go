// Package address reads the paths of requests for the Blob service.
package address

import (
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure/failure"
)

// Level is the kind of what a request concerns.
type Level string

// The levels, with the paths that address them.
const (
	Account   Level = "account"   // /ACCOUNT
	Container Level = "container" // /ACCOUNT/CONTAINER
	Blob      Level = "blob"      // /ACCOUNT/CONTAINER/BLOB
)

// Target is the target of a request. The account is in the path, as for all storage services with
// an IP address.
type Target struct {
	Level                    Level
	Account, Container, Blob string
}

const maxNameBytes = 1024

// Parse parses a path: everything after the container is the blob's name.
func Parse(u *url.URL) (Target, error) {
	account, rest, _ := strings.Cut(strings.TrimPrefix(u.Path, "/"), "/")
	container, blob, _ := strings.Cut(rest, "/")
	t := Target{Account: account, Container: container, Blob: blob}
	switch {
	case account == "" || len(account) > 24:
		return t, failure.ErrInvalidURI
	case container == "":
		t.Level = Account
		return t, nil
	case fakedriver.ValidateBucketName(container) != nil:
		return t, failure.ErrInvalidResourceName
	case blob == "":
		t.Level = Container
		return t, nil
	}
	t.Level = Blob
	if len(blob) > 4*maxNameBytes || utf8.RuneCountInString(blob) > maxNameBytes || !utf8.ValidString(blob) || strings.Contains(blob, "\x00") {
		return t, failure.ErrInvalidResourceName
	}
	return t, nil
}
