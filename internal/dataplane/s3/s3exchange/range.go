package s3exchange

import (
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/s3error"
	"github.com/cosi-emu/cosi-emu/internal/store/checksum"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

// ChooseRange finds the requested bytes: by the header Range, by the number of a part of a
// completed upload, or all.
func (x *Exchange) ChooseRange() error {
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
	x.sent = x.Version.Checksum
	return nil
}

// isCurrent reports whether the condition of If-Range holds: an ETag or a time.
func (x *Exchange) isCurrent(condition string) bool {
	if at, err := http.ParseTime(condition); err == nil {
		return x.Version.Modified().Truncate(time.Second).Equal(at)
	}
	return condition == `"`+x.Version.ETag.String()+`"`
}

var oneRange = regexp.MustCompile(`^bytes=(\d*)-(\d*)$`)

// chooseBytes reads the header Range. Several ranges, and a malformed one, are ignored, as RFC
// 9110, section 14.2, allows and S3 does.
func (x *Exchange) chooseBytes(header string) error {
	bounds := oneRange.FindStringSubmatch(header)
	if len(bounds) != 3 || bounds[1]+bounds[2] == "" {
		x.sent = x.Version.Checksum
		return nil
	}
	// Digits beyond the range of a number are its maximum.
	from, _ := strconv.ParseInt(bounds[1], 10, 64)
	to, _ := strconv.ParseInt(bounds[2], 10, 64)
	size := x.Version.Size()
	switch {
	case bounds[1] == "" && size == 0 && to > 0: // the last bytes of none are all
		x.sent = x.Version.Checksum
		return nil
	case bounds[1] == "":
		return x.choose(size-min(to, size), min(to, size), header)
	case bounds[2] == "":
		return x.choose(from, size-from, header)
	case to < from:
		x.sent = x.Version.Checksum
		return nil
	}
	return x.choose(from, min(to, size-1)-from+1, header)
}

// choose formats the range in the form that the core reads.
func (x *Exchange) choose(offset, length int64, asked string) error {
	if length <= 0 {
		size := strconv.FormatInt(x.Version.Size(), 10)
		x.W.Header().Set("Content-Range", "bytes */"+size)
		return s3error.ErrInvalidRange.About("RangeRequested", asked).About("ActualObjectSize", size)
	}
	x.ByteRange = fmt.Sprintf("bytes=%d-%d", offset, offset+length-1)
	return nil
}

// choosePart counts an object that was not uploaded in parts as one part.
func (x *Exchange) choosePart() error {
	number, err := x.PartNumber()
	if err != nil {
		return err
	}
	parts := x.Version.Parts()
	if len(parts) == 0 {
		parts = []objects.PartInfo{{Number: 1, Size: x.Version.Size()}}
	} else {
		x.W.Header().Set("X-Amz-Mp-Parts-Count", strconv.Itoa(len(parts)))
	}
	if number > len(parts) {
		x.W.Header().Del("X-Amz-Mp-Parts-Count")
		return s3error.ErrInvalidPartNumber.About("ActualPartCount", strconv.Itoa(len(parts))).
			About("PartNumberRequested", strconv.Itoa(number))
	}
	var offset int64
	for _, part := range parts[:number-1] {
		offset += part.Size
	}
	x.sent = x.checksumOfPart(parts, number)
	if x.Version.Size() == 0 {
		return nil
	}
	return x.choose(offset, parts[number-1].Size, "part "+strconv.Itoa(number))
}

// checksumOfPart is the checksum of the content of a part: its own, or the object's if the content
// is the same.
func (x *Exchange) checksumOfPart(parts []objects.PartInfo, number int) checksum.Sum {
	own, whole := parts[number-1].Checksum, x.Version.Checksum
	if own.IsZero() && len(parts) == 1 && !whole.IsComposite() {
		return whole
	}
	return own
}

// PartNumber returns the number of the part that the query selects.
func (x *Exchange) PartNumber() (int, error) {
	number, err := strconv.Atoi(x.Query.Get("partNumber"))
	if err != nil || number < 1 || number > MaxPartNumber {
		return 0, s3error.ErrInvalidArgument.With("Part number must be an integer between 1 and 10000, inclusive").
			About("ArgumentName", "partNumber").About("ArgumentValue", x.Query.Get("partNumber"))
	}
	return number, nil
}

// MaxPartNumber is the largest number of a part.
const MaxPartNumber = 10000
