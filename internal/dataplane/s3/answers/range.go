package answers

import (
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3error"
	"github.com/cosi-emu/cosi-emu/internal/store/checksum"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

// chooseRange finds the requested bytes: by the header Range, by the number of a part of a
// completed upload, or all.
func (x *exchange) chooseRange() error {
	header := x.R.Header.Get("Range")
	if condition := x.R.Header.Get("If-Range"); condition != "" && !x.isCurrent(condition) {
		header = ""
	}
	switch {
	case x.Query.Has("partNumber") && header != "":
		return s3error.ErrInvalidRequest.With("Cannot specify both Range header and partNumber query parameter")
	case x.Query.Has("partNumber"):
		return x.choosePart()
	case header != "":
		return x.chooseBytes(header)
	}
	x.sent = x.version.Checksum
	return nil
}

// isCurrent reports whether the condition of If-Range holds: an ETag or a time.
func (x *exchange) isCurrent(condition string) bool {
	if at, err := http.ParseTime(condition); err == nil {
		return x.version.Modified().Truncate(time.Second).Equal(at)
	}
	return condition == `"`+x.version.ETag.String()+`"`
}

var oneRange = regexp.MustCompile(`^bytes=(\d*)-(\d*)$`)

// chooseBytes reads the header Range. Several ranges, and a malformed one, are ignored, as RFC
// 9110, section 14.2, allows and S3 does.
func (x *exchange) chooseBytes(header string) error {
	bounds := oneRange.FindStringSubmatch(header)
	if len(bounds) != 3 || bounds[1]+bounds[2] == "" {
		x.sent = x.version.Checksum
		return nil
	}
	// Digits beyond the range of a number are its maximum.
	from, _ := strconv.ParseInt(bounds[1], 10, 64)
	to, _ := strconv.ParseInt(bounds[2], 10, 64)
	size := x.version.Size()
	switch {
	case bounds[1] == "":
		return x.choose(size-min(to, size), min(to, size), header)
	case bounds[2] == "":
		return x.choose(from, size-from, header)
	case to < from:
		x.sent = x.version.Checksum
		return nil
	}
	return x.choose(from, min(to, size-1)-from+1, header)
}

// choose formats the range in the form that the core reads.
func (x *exchange) choose(offset, length int64, asked string) error {
	if length <= 0 {
		size := strconv.FormatInt(x.version.Size(), 10)
		x.W.Header().Set("Content-Range", "bytes */"+size)
		return s3error.ErrInvalidRange.About("RangeRequested", asked).About("ActualObjectSize", size)
	}
	x.byteRange = fmt.Sprintf("bytes=%d-%d", offset, offset+length-1)
	return nil
}

// choosePart counts an object that was not uploaded in parts as one part.
func (x *exchange) choosePart() error {
	number, err := x.partNumber()
	if err != nil {
		return err
	}
	parts := x.version.Parts()
	if len(parts) == 0 {
		parts = []objects.PartInfo{{Number: 1, Size: x.version.Size()}}
	} else {
		x.W.Header().Set("X-Amz-Mp-Parts-Count", strconv.Itoa(len(parts)))
	}
	if number > len(parts) {
		x.W.Header().Del("X-Amz-Mp-Parts-Count")
		return s3error.ErrInvalidPart.With("The object has no part " + strconv.Itoa(number))
	}
	var offset int64
	for _, part := range parts[:number-1] {
		offset += part.Size
	}
	x.sent = x.checksumOfPart(parts, number)
	if x.version.Size() == 0 {
		return nil
	}
	return x.choose(offset, parts[number-1].Size, "part "+strconv.Itoa(number))
}

// checksumOfPart is the checksum of the content of a part: its own, or the object's if the content
// is the same.
func (x *exchange) checksumOfPart(parts []objects.PartInfo, number int) checksum.Sum {
	own, whole := parts[number-1].Checksum, x.version.Checksum
	if own.IsZero() && len(parts) == 1 && !whole.IsComposite() {
		return whole
	}
	return own
}
