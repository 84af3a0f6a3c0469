package bridge

import (
	"fmt"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// existingPrefix begins the IDs that EncodeExisting has encoded.
const existingPrefix = "bridge-id/"

// hexDigits are for escaped bytes.
const hexDigits = "0123456789ABCDEF"

// EncodeExisting returns the ID in v1alpha2 of a bucket that exists already: the
// existingBucketID of its Bucket. The driver knows the bucket by id, and applications use
// it by name.
//
// If the two are equal, and v1alpha2 allows the ID, the result is that ID. Otherwise it is
//
//	bridge-id/<id>              if they are equal
//	bridge-id/<id>/<name>       if not
//
// in which every byte but letters, digits, '.' and '-' is written as '_' and two hexadecimal
// digits. So each pair has one result, no two pairs have the same, and [DecodeExisting]
// returns the pair.
func EncodeExisting(id, name string) string {
	switch {
	case id != name:
		return existingPrefix + escape(id) + "/" + escape(name)
	case isPlain(id):
		return id
	default:
		return existingPrefix + escape(id)
	}
}

// DecodeExisting returns the driver's ID of a bucket and the name for applications. An ID
// that does not start with "bridge-id/" is both. The error is for what EncodeExisting does
// not return.
func DecodeExisting(encoded string) (id, name string, err error) {
	rest, isEncoded := strings.CutPrefix(encoded, existingPrefix)
	if !isEncoded {
		return encoded, encoded, nil
	}
	first, second, pair := strings.Cut(rest, "/")
	id, err = unescape(first)
	name = id
	if err == nil && pair {
		name, err = unescape(second)
	}
	switch {
	case err != nil:
	case id == "" || name == "":
		err = fmt.Errorf("the ID or the name is empty")
	case EncodeExisting(id, name) != encoded:
		err = fmt.Errorf("it encodes ID %q and name %q, whose encoding is %s", id, name, EncodeExisting(id, name))
	}
	if err != nil {
		return "", "", fmt.Errorf("%q is no bucket ID that the bridge encodes: %w", encoded, err)
	}
	return id, name, nil
}

// existing is DecodeExisting for the answer to a call.
func existing(bucket string) (id, name string, err error) {
	if id, name, err = DecodeExisting(bucket); err != nil {
		return "", "", status.Error(codes.InvalidArgument, err.Error())
	}
	return id, name, nil
}

// isPlain reports whether v1alpha2 allows an ID, and it cannot be confused with an encoded
// one.
func isPlain(id string) bool {
	for i := range len(id) {
		if !isKept(id[i]) && id[i] != '/' && id[i] != '_' {
			return false
		}
	}
	return !strings.HasPrefix(id, existingPrefix)
}

func isKept(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '.' || b == '-'
}

func escape(text string) string {
	var escaped strings.Builder
	for i := range len(text) {
		if b := text[i]; isKept(b) {
			escaped.WriteByte(b)
		} else {
			escaped.Write([]byte{'_', hexDigits[b>>4], hexDigits[b&0xf]})
		}
	}
	return escaped.String()
}

func unescape(text string) (string, error) {
	var plain strings.Builder
	for i := 0; i < len(text); i++ {
		switch b := text[i]; {
		case isKept(b):
			plain.WriteByte(b)
		case b == '_' && i+2 < len(text):
			high, low := strings.IndexByte(hexDigits, text[i+1]), strings.IndexByte(hexDigits, text[i+2])
			if high < 0 || low < 0 {
				return "", fmt.Errorf("%q is not '_' and two hexadecimal digits in upper case", text[i:i+3])
			}
			plain.WriteByte(byte(high<<4 | low)) //nolint:gosec // both are below 16
			i += 2
		default:
			return "", fmt.Errorf("%q is neither a letter, digit, '.' or '-', nor '_' and two hexadecimal digits", text[i:])
		}
	}
	return plain.String(), nil
}
