package answers

import (
	"bytes"
	"encoding/xml"
	"strconv"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3exchange"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

// writeContents writes the elements Contents of a listing. A page has a thousand of them, for which
// encoding/xml takes several times as long.
func (l *lister) writeContents(to *bytes.Buffer, page objects.Page, withOwner bool) {
	for _, v := range page.Versions {
		to.WriteString("<Contents>")
		writeElement(to, "Key", l.encode(v.Key))
		to.Write(l.x.Dialect.AppendListed(to.AvailableBuffer(), v.Version))
		to.WriteString("<LastModified>")
		to.Write(inDocument(v.Modified()).AppendFormat(to.AvailableBuffer(), s3exchange.Timestamp))
		to.WriteString("</LastModified><ETag>&#34;")
		to.WriteString(v.ETag.String())
		to.WriteString("&#34;</ETag>")
		if !v.Checksum.IsZero() {
			writeElement(to, "ChecksumAlgorithm", v.Checksum.Algorithm.String())
			writeElement(to, "ChecksumType", v.Checksum.Type())
		}
		to.WriteString("<Size>")
		to.Write(strconv.AppendInt(to.AvailableBuffer(), v.Size(), 10))
		to.WriteString("</Size>")
		if withOwner {
			owner := ownerOf(l.x)
			to.WriteString("<Owner>")
			writeElement(to, "ID", owner.ID)
			writeElement(to, "DisplayName", owner.DisplayName)
			to.WriteString("</Owner>")
		}
		writeElement(to, "StorageClass", s3exchange.StorageClassOf(v.StandardHeaders()))
		to.WriteString("</Contents>")
	}
}

func writeElement(to *bytes.Buffer, name, text string) {
	to.WriteByte('<')
	to.WriteString(name)
	to.WriteByte('>')
	if isPlain(text) {
		to.WriteString(text)
	} else {
		_ = xml.EscapeText(to, []byte(text)) // a buffer never fails
	}
	to.WriteString("</")
	to.WriteString(name)
	to.WriteByte('>')
}

// isPlain reports whether XML shows a text unchanged.
func isPlain(text string) bool {
	for i := range len(text) {
		switch c := text[i]; {
		case c < ' ', c > '~', c == '<', c == '>', c == '&', c == '"', c == '\'':
			return false
		}
	}
	return true
}
