package s3exchange

import (
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/s3error"
	"github.com/cosi-emu/cosi-emu/internal/store/checksum"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

// Draft returns the object that PutObject and PostObject store.
func (x *Exchange) Draft() (objects.Draft, error) {
	attributes, err := x.Attributes()
	return objects.Draft{Body: x.Content.Body, ETag: x.Content.ETag, Checksum: x.Content.Checksum, Attributes: attributes}, err
}

// Upload returns the upload that CreateMultipartUpload begins.
func (x *Exchange) Upload() (objects.Upload, error) {
	attributes, err := x.Attributes()
	if err != nil {
		return objects.Upload{}, err
	}
	u := objects.Upload{Key: x.Key, Attributes: attributes}
	if u.Algorithm, err = AlgorithmOf(x.R.Header.Get("X-Amz-Checksum-Algorithm")); err != nil {
		return u, err
	}
	kind, err := ChecksumType(x.R.Header)
	if err != nil {
		return u, err
	}
	u.FullObject, err = isFullObject(u.Algorithm, kind)
	return u, err
}

// AlgorithmOf returns the algorithm with a name, or none for an empty name.
func AlgorithmOf(name string) (checksum.Algorithm, error) {
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
