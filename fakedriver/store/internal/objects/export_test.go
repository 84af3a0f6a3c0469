package objects

import "github.com/cosi-emu/cosi-emu/fakedriver/store/internal/vault"

// Pieces returns the blobs that the body has references to.
func (b Body) Pieces() []vault.Blob { return b.blobs() }
