package pipeline

import (
	"io"

	"github.com/cosi-emu/cosi-emu/internal/store/blobstore"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

// Receive stores what a function writes, unless it returns an error. The caller releases the content.
func Receive(blobs blobstore.Store, write func(io.Writer) error) (objects.Body, error) {
	writer := blobs.Create()
	defer writer.Abort()
	if err := write(writer); err != nil {
		return objects.Body{}, err
	}
	blob, err := writer.Seal()
	if err != nil {
		return objects.Body{}, err
	}
	content := objects.NewBody(blob)
	if content.Size() == 0 {
		blob.Release() // the content does not refer to it
	}
	return content, nil
}
