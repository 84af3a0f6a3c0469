package store

import (
	"github.com/cosi-emu/cosi-emu/internal/fakedriver/store/internal/checksum"
	"github.com/cosi-emu/cosi-emu/internal/fakedriver/store/internal/objects"
)

// content is what a client has uploaded: received whole, found right, and not yet
// part of anything.
type content struct {
	body   objects.Body
	etag   objects.ETag
	sum    checksum.Sum
	copied bool // from another object, so that no client has seen it
}

func (s *Store) receiveContent(x *exchange) error {
	writer := s.vault.Create()
	defer writer.Abort()
	p, err := s.receive(x, writer, s.options.MaxBodyBytes)
	if err != nil {
		return err
	}
	blob, err := writer.Seal()
	if err != nil {
		return err
	}
	x.hold(blob.Release)
	x.content = content{body: objects.BodyOf(blob), sum: p.sums.Sum()}
	p.md5.Sum(x.content.etag.Sum[:0])
	return nil
}
