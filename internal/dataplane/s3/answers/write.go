package answers

import (
	"net/http"
	"strings"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3error"
	"github.com/cosi-emu/cosi-emu/internal/store/checksum"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

// putObject answers PutObject, the most frequent operation, without gofakes3, which would read the
// body again and compute digests of it.
func (a *Answers) putObject(x *exchange) error {
	if err := x.store(); err != nil {
		return err
	}
	x.W.WriteHeader(http.StatusOK)
	return nil
}

// store stores the object, and prepares the header of the response.
func (x *exchange) store() error {
	draft, err := x.draft()
	if err != nil {
		return err
	}
	if err := x.checkDigest(draft.Attributes.Lock, "Put Object"); err != nil {
		return err
	}
	if err := x.finish(&draft); err != nil {
		return err
	}
	if x.version, err = x.contents.Put(x.Key, draft, x.conditions); err != nil {
		return err
	}
	x.describeOutcome()
	return nil
}

// draft is the object that PutObject and PostObject store.
func (x *exchange) draft() (objects.Draft, error) {
	attributes, err := x.attributes()
	return objects.Draft{Body: x.Content.Body, ETag: x.Content.ETag, Checksum: x.Content.Checksum, Attributes: attributes}, err
}

// upload is the upload that CreateMultipartUpload begins.
func (x *exchange) upload() (objects.Upload, error) {
	attributes, err := x.attributes()
	if err != nil {
		return objects.Upload{}, err
	}
	u := objects.Upload{Key: x.Key, Attributes: attributes}
	if u.Algorithm, err = algorithmOf(x.R.Header.Get("X-Amz-Checksum-Algorithm")); err != nil {
		return u, err
	}
	kind, err := checksumType(x.R.Header)
	if err != nil {
		return u, err
	}
	u.FullObject, err = isFullObject(u.Algorithm, kind)
	return u, err
}

func algorithmOf(name string) (checksum.Algorithm, error) {
	if name == "" {
		return checksum.None, nil
	}
	algorithm, ok := checksum.ByName(name)
	if !ok {
		return checksum.None, s3error.ErrInvalidRequest.With("Checksum algorithm provided is unsupported. " +
			"Please try again with any of the valid types: [" + checksum.Names() + "]")
	}
	return algorithm, nil
}

// isFullObject reads the type of checksum for an upload.
func isFullObject(algorithm checksum.Algorithm, kind string) (bool, error) {
	switch {
	case kind != "" && algorithm == checksum.None:
		return false, s3error.ErrInvalidRequest.With("The x-amz-checksum-type header can only be used with the x-amz-checksum-algorithm header.")
	case kind == "" && (algorithm == checksum.None || algorithm.CanBeComposite()), kind == checksum.Composite && algorithm.CanBeComposite():
		return false, nil
	case kind == "", kind == checksum.FullObject && algorithm.CanBeFullObject():
		return true, nil
	}
	return false, s3error.ErrInvalidRequest.With("The " + kind + " checksum type cannot be used with the " +
		strings.ToLower(algorithm.String()) + " checksum algorithm.")
}

// readConditions reads the conditional headers, of which the table has accepted only those that the
// operation supports.
func readConditions(header http.Header, prefix string) objects.Conditions {
	list := func(name string) string { return strings.Join(header.Values(prefix+name), ",") }
	c := objects.Conditions{IfMatch: list("If-Match"), IfNoneMatch: list("If-None-Match")}
	c.IfModifiedSince = readTime(header, prefix+"If-Modified-Since")
	c.IfUnmodifiedSince = readTime(header, prefix+"If-Unmodified-Since")
	return c
}

// readTime ignores a malformed time, as RFC 9110, section 13.1.3, requires.
func readTime(header http.Header, name string) time.Time {
	text := header.Get(name)
	if text == "" {
		return time.Time{} // most requests have none, and failing takes time
	}
	at, _ := http.ParseTime(text) // zero if malformed
	return at
}
