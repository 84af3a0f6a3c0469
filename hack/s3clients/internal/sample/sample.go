// Package sample makes the contents and keys that all clients are tried with. It
// exists so that the same content can be made again for comparing.
package sample

import (
	"encoding/binary"
	"math/rand/v2"
)

// Sizes of contents, in bytes.
const (
	Small     = 1 << 10
	Multipart = 64 << 20
	// Parts is more than one part in every client, and little enough to be
	// copied quickly.
	Parts = 18 << 20
)

// Content returns size bytes that look random and depend on seed only.
func Content(seed uint64, size int) []byte {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], seed)
	content := make([]byte, size)
	_, _ = rand.NewChaCha8(key).Read(content) // never fails, as documented
	return content
}

// OddKeys returns keys that programs get wrong: in URLs, paths, XML or HTML.
func OddKeys() []string {
	return append(OddNames(),
		"a//b", "../up", "a/./b", "/leading", "trailing/", "control\x01\x1f", "tab\tand\nnewline")
}

// OddNames returns those keys that can be paths of files, and so are for programs
// that copy files.
func OddNames() []string {
	return []string{
		"with space", "100%", "%41", "a+b", "ünï/cödé €", "what?", "hash#mark", `quo"te's`, `back\slash`, "a&b<c>=d;e:f@g,h",
	}
}
