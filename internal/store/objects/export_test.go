package objects

import "github.com/cosi-emu/cosi-emu/internal/store/blobstore"

// Pieces returns the blobs that the body refers to.
func (b Body) Pieces() []blobstore.Blob { return b.blobs() }
