package store

import (
	"github.com/cosi-emu/cosi-emu/fakedriver/store/internal/checksum"
	"github.com/cosi-emu/cosi-emu/fakedriver/store/internal/objects"
)

// content is what a client has uploaded: received whole, found right, and not yet
// part of anything.
type content struct {
	body objects.Body
	etag objects.ETag
	sum  checksum.Sum
}

func (s *Store) receiveContent(x *exchange) error {
	blob := objects.NewMemory(x.r.ContentLength)
	p, err := s.receive(x, blob, s.options.MaxBodyBytes)
	if err != nil {
		return err
	}
	x.content = content{body: objects.BodyOf(blob.Blob()), sum: p.sums.Sum(checksum.None)}
	p.md5.Sum(x.content.etag.Sum[:0])
	return nil
}
