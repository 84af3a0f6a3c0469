package azure

import (
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/cosi-emu/cosi-emu/fakedriver"
)

type level string

const (
	accountLevel   level = "account"   // /ACCOUNT
	containerLevel level = "container" // /ACCOUNT/CONTAINER
	blobLevel      level = "blob"      // /ACCOUNT/CONTAINER/BLOB
)

// target is the target of a request. The account is in the path, as for all storage services with
// an IP address.
type target struct {
	level                    level
	account, container, blob string
}

const maxNameBytes = 1024

// parseTarget parses a path: everything after the container is the blob's name.
func parseTarget(u *url.URL) (target, error) {
	account, rest, _ := strings.Cut(strings.TrimPrefix(u.Path, "/"), "/")
	container, blob, _ := strings.Cut(rest, "/")
	t := target{account: account, container: container, blob: blob}
	switch {
	case account == "" || len(account) > 24:
		return t, errInvalidURI
	case container == "":
		t.level = accountLevel
		return t, nil
	case fakedriver.ValidateBucketName(container) != nil:
		return t, errInvalidResourceName
	case blob == "":
		t.level = containerLevel
		return t, nil
	}
	t.level = blobLevel
	if len(blob) > 4*maxNameBytes || utf8.RuneCountInString(blob) > maxNameBytes || !utf8.ValidString(blob) || strings.Contains(blob, "\x00") {
		return t, errInvalidResourceName
	}
	return t, nil
}
