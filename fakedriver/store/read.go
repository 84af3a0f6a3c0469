package store

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/cosi-emu/cosi-emu/fakedriver/store/internal/objects"
	"github.com/cosi-emu/cosi-emu/fakedriver/store/internal/s3error"
)

// readObject answers GetObject and HeadObject.
func (s *Store) readObject(x *exchange) error {
	if err := x.find(); err != nil {
		return err
	}
	if err := x.conditions.Read(x.version); err != nil {
		x.describeVersion()
		return err
	}
	if err := x.choosePart(); err != nil {
		return err
	}
	return s.serveCore(x)
}

// find looks up the version that the request is about. A delete marker tells
// that it is one.
func (x *exchange) find() error {
	v, err := x.contents.Get(x.key, x.query.Get("versionId"))
	if err != nil && v != nil {
		header := x.w.Header()
		header.Set("X-Amz-Delete-Marker", "true")
		header.Set("X-Amz-Version-Id", v.ID)
		if x.query.Has("versionId") {
			header.Set("Last-Modified", v.Modified().Format(http.TimeFormat))
			header.Set("Allow", http.MethodDelete)
		}
	}
	x.version = v
	x.hold(v.Release)
	return err
}

// choosePart finds the bytes that are asked for, by a range or by the number of a
// part of a completed upload.
func (x *exchange) choosePart() error {
	x.byteRange = x.r.Header.Get("Range")
	if condition := x.r.Header.Get("If-Range"); condition != "" && !x.isCurrent(condition) {
		x.byteRange = ""
	}
	if !x.query.Has("partNumber") {
		return nil
	}
	if x.byteRange != "" {
		return s3error.ErrInvalidRequest.With("Cannot specify both Range header and partNumber query parameter")
	}
	number, err := strconv.Atoi(x.query.Get("partNumber"))
	if err != nil || number < 1 || number > maxPartNumber {
		return s3error.ErrInvalidArgument.With("Part number must be an integer between 1 and 10000, inclusive")
	}
	return x.rangeOfPart(number)
}

// rangeOfPart counts an object that was not uploaded in parts as one part.
func (x *exchange) rangeOfPart(number int) error {
	parts := x.version.Parts
	if len(parts) == 0 {
		parts = []objects.PartInfo{{Number: 1, Size: x.version.Size()}}
	} else {
		x.w.Header().Set("X-Amz-Mp-Parts-Count", strconv.Itoa(len(parts)))
	}
	if number > len(parts) {
		return s3error.ErrInvalidPartNumber
	}
	var start int64
	for _, part := range parts[:number-1] {
		start += part.Size
	}
	if size := parts[number-1].Size; size > 0 {
		x.byteRange = fmt.Sprintf("bytes=%d-%d", start, start+size-1)
	}
	return nil
}

// isCurrent reports whether the condition of If-Range holds: an ETag or a time.
func (x *exchange) isCurrent(condition string) bool {
	if at, err := http.ParseTime(condition); err == nil {
		return x.version.Modified().Truncate(time.Second).Equal(at)
	}
	return condition == `"`+x.version.ETag.String()+`"`
}
