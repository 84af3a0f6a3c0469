package recording

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
)

// A line is {...,"sum":"xxxxxxxx"}: the entry, and before its last brace the checksum of the entry
// without it.
const (
	sumPrefix = `,"sum":"`
	sumSuffix = `"}`
	sumDigits = 8
	sumLength = len(sumPrefix) + sumDigits + len(sumSuffix)
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// seal returns the line of an entry, with its end.
func seal(e *Entry) ([]byte, error) {
	body, err := json.Marshal(e)
	if err != nil {
		return nil, err
	}
	sum := crc32.Checksum(body, castagnoli)
	return fmt.Appendf(body[:len(body)-1], "%s%08x%s\n", sumPrefix, sum, sumSuffix), nil
}

var (
	errSum   = errors.New("the line was changed: its checksum differs")
	errNoSum = errors.New("the line has no checksum")
)

// unseal returns the entry of a line without its end.
func unseal(line []byte) (*Entry, error) {
	rest, found := bytes.CutSuffix(line, []byte(sumSuffix))
	at := len(line) - sumLength
	if !found || at < 0 || !bytes.HasPrefix(line[at:], []byte(sumPrefix)) {
		return nil, errNoSum
	}
	body := append(bytes.Clone(line[:at]), '}')
	if string(rest[len(rest)-sumDigits:]) != fmt.Sprintf("%08x", crc32.Checksum(body, castagnoli)) {
		return nil, errSum
	}
	e := &Entry{}
	if err := json.Unmarshal(body, e); err != nil {
		return nil, err
	}
	if e.kind() == "" {
		return nil, errors.New("the line must have one of header, event, fault, state and end")
	}
	return e, nil
}
