package s3exchange

import (
	"strconv"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/s3error"
)

// MaxObjectTags limits the tags of an object. It is from the S3 User Guide, "Categorizing your objects using tags".
const MaxObjectTags = 10

// Tag is a tag in a document.
type Tag struct {
	Key   string `xml:"Key"`
	Value string `xml:"Value"`
}

// CheckTags returns the tags as a map, InvalidTag, or BadRequest if there are more than the limit.
func CheckTags(tags []Tag, limit int) (map[string]string, error) {
	if len(tags) > limit {
		return nil, s3error.ErrBadRequest.With("Tags cannot be greater than " + strconv.Itoa(limit))
	}
	checked := make(map[string]string, len(tags))
	for _, t := range tags {
		_, twice := checked[t.Key]
		switch {
		case !fakedriver.IsTagKey(t.Key):
			return nil, s3error.ErrInvalidTag.With("The TagKey you have provided is invalid")
		case !fakedriver.IsTagValue(t.Value):
			return nil, s3error.ErrInvalidTag.With("The TagValue you have provided is invalid")
		case fakedriver.IsReservedTagKey(t.Key):
			return nil, s3error.ErrInvalidTag.With("System tags cannot be added/updated by requester")
		case twice:
			return nil, s3error.ErrInvalidTag.With("Cannot provide multiple Tags with the same key")
		}
		checked[t.Key] = t.Value
	}
	return checked, nil
}
