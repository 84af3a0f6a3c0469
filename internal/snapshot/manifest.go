package snapshot

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// manifest is the second line of a file.
type manifest struct {
	// Description is the caller's description of the snapshot. It contains no secrets.
	Description json.RawMessage `json:"description"`
	// Archive describes the archive after the manifest.
	Archive archive `json:"archive"`
}

type archive struct {
	// Size and SHA256 describe the archive, and Unpacked is the size of its files.
	Size     int64  `json:"size"`
	SHA256   string `json:"sha256"`
	Unpacked int64  `json:"unpacked"`
}

const (
	// family is the prefix of the first line of every file, and Format has this version.
	family = "cosi-emu.snapshot/"
	// Format is the format of the files.
	Format = family + "v1"

	// maxHead is far more than the first two lines need.
	maxHead = 64 << 20
)

// verify reads the manifest, and compares all checksums.
func (s *Snapshot) verify(file io.Reader, size int64) error {
	in := bufio.NewReader(file)
	head := bufio.NewReader(io.LimitReader(in, maxHead))
	title, line, err := readHead(head)
	if err != nil {
		return err
	}
	format, sum, _ := strings.Cut(title, " ")
	if format != Format {
		return fmt.Errorf("%w, %s, and this program reads %s: use the version of cosi-emu that saved it", ErrFormat, format, Format)
	}
	if computed := sha256.Sum256(line); hex.EncodeToString(computed[:]) != sum {
		return fmt.Errorf("%w (the checksum of its manifest differs)", ErrDamaged)
	}
	if err := json.Unmarshal(line, &s.content); err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	s.offset = int64(len(title) + 1 + len(line) + 1)
	if want := s.offset + s.content.Archive.Size; size != want {
		return fmt.Errorf("%w (it has %d bytes, and should have %d)", ErrDamaged, size, want)
	}
	computed := sha256.New()
	if _, err := io.Copy(computed, io.MultiReader(head, in)); err != nil {
		return err
	}
	if hex.EncodeToString(computed.Sum(nil)) != s.content.Archive.SHA256 {
		return fmt.Errorf("%w (the checksum of its archive differs)", ErrDamaged)
	}
	return nil
}

// readHead returns the first two lines, without line breaks.
func readHead(in *bufio.Reader) (title string, manifest []byte, err error) {
	first, err := in.ReadBytes('\n')
	if err == nil {
		manifest, err = in.ReadBytes('\n')
	}
	if errors.Is(err, io.EOF) {
		return "", nil, fmt.Errorf("%w (it ends early)", ErrDamaged)
	}
	return string(bytes.TrimSuffix(first, []byte("\n"))), bytes.TrimSuffix(manifest, []byte("\n")), err
}
