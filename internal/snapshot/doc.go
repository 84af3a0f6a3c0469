// Package snapshot reads and writes files with the state of an emulator: its API objects, its
// store, and its accounts, as in a data directory.
//
// A file has two lines of text, and an archive:
//
//	cosi-emu.snapshot/v1 SHA-256 of the next line
//	the manifest in JSON, with the size and the SHA-256 of the archive
//	a tar archive, compressed with gzip, of the data directory
//
// Everything is verified before anything is unpacked.
package snapshot
