package azure

import (
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure/failure"
)

// level is the kind of what a request concerns.
type level string

// The levels, with the paths that address them.
const (
	levelAccount   level = "account"   // /ACCOUNT
	levelContainer level = "container" // /ACCOUNT/CONTAINER
	levelBlob      level = "blob"      // /ACCOUNT/CONTAINER/BLOB
)

// target is the target of a request. The account is in the path, as for all storage services with
// an IP address.
type target struct {
	level                    level
	account, container, blob string
}

const maxNameBytes = 1024

// locate parses a path: everything after the container is the blob's name.
func locate(u *url.URL) (target, error) {
	account, rest, _ := strings.Cut(strings.TrimPrefix(u.Path, "/"), "/")
	container, blob, _ := strings.Cut(rest, "/")
	// Azure's names of blobs have slashes in place of backslashes.
	t := target{account: account, container: container, blob: strings.ReplaceAll(blob, `\`, "/")}
	switch {
	case account == "" || len(account) > 24:
		return t, failure.ErrInvalidURI
	case container == "":
		t.level = levelAccount
		return t, nil
	case fakedriver.ValidateBucketName(container) != nil:
		return t, failure.ErrInvalidResourceName
	case blob == "":
		t.level = levelContainer
		return t, nil
	}
	t.level = levelBlob
	if len(blob) > 4*maxNameBytes || utf8.RuneCountInString(blob) > maxNameBytes || !utf8.ValidString(blob) || strings.Contains(blob, "\x00") {
		return t, failure.ErrInvalidResourceName
	}
	return t, nil
}
