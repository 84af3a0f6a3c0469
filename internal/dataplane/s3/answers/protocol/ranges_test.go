package protocol_test

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/test/s3test"
)

// ranged is the description of its bytes in a response.
type ranged struct {
	Status              int
	Body, Range, Length string
}

//nolint:lll // one case a line
func TestRanges(t *testing.T) {
	a := s3test.NewApp(t)
	etag := *a.Put("k", "0123456789").ETag
	a.Put("empty", "")
	whole := ranged{200, "0123456789", "", "10"}
	unsatisfiable := ranged{416, "InvalidRange", "bytes */10", ""}
	tests := map[string]struct {
		reason, target string
		header         []string
		want           ranged
	}{
		"None":          {"All of it.", "/k", nil, whole},
		"Middle":        {"Both ends are within.", "/k", []string{"Range", "bytes=2-4"}, ranged{206, "234", "bytes 2-4/10", "3"}},
		"One":           {"A single byte.", "/k", []string{"Range", "bytes=0-0"}, ranged{206, "0", "bytes 0-0/10", "1"}},
		"Rest":          {"To the end.", "/k", []string{"Range", "bytes=7-"}, ranged{206, "789", "bytes 7-9/10", "3"}},
		"Beyond":        {"Ends where the object does.", "/k", []string{"Range", "bytes=7-99"}, ranged{206, "789", "bytes 7-9/10", "3"}},
		"FarBeyond":     {"No number is too great.", "/k", []string{"Range", "bytes=7-99999999999999999999"}, ranged{206, "789", "bytes 7-9/10", "3"}},
		"Suffix":        {"The last bytes.", "/k", []string{"Range", "bytes=-3"}, ranged{206, "789", "bytes 7-9/10", "3"}},
		"LongSuffix":    {"More than there are.", "/k", []string{"Range", "bytes=-99"}, ranged{206, "0123456789", "bytes 0-9/10", "10"}},
		"NoSuffix":      {"The last none.", "/k", []string{"Range", "bytes=-0"}, unsatisfiable},
		"After":         {"It begins after the end.", "/k", []string{"Range", "bytes=10-"}, unsatisfiable},
		"FarAfter":      {"It begins after the end.", "/k", []string{"Range", "bytes=99999999999999999999-"}, unsatisfiable},
		"Backwards":     {"What is no range is ignored.", "/k", []string{"Range", "bytes=4-2"}, whole},
		"Words":         {"What is no range is ignored.", "/k", []string{"Range", "bytes=a-b"}, whole},
		"Nothing":       {"What is no range is ignored.", "/k", []string{"Range", "bytes=-"}, whole},
		"Lines":         {"Another unit is ignored.", "/k", []string{"Range", "lines=1-2"}, whole},
		"Several":       {"S3 has no such answers.", "/k", []string{"Range", "bytes=0-1,3-4"}, whole},
		"Empty":         {"There is no first byte.", "/empty", []string{"Range", "bytes=0-"}, ranged{416, "InvalidRange", "bytes */0", ""}},
		"EmptySuffix":   {"The last bytes of none.", "/empty", []string{"Range", "bytes=-1"}, ranged{200, "", "", "0"}},
		"IfRange":       {"It is still the same.", "/k", []string{"Range", "bytes=2-4", "If-Range", etag}, ranged{206, "234", "bytes 2-4/10", "3"}},
		"IfOtherRange":  {"It is another, so that all is needed.", "/k", []string{"Range", "bytes=2-4", "If-Range", `"x"`}, whole},
		"IfRangeOld":    {"It has changed since.", "/k", []string{"Range", "bytes=2-4", "If-Range", "Wed, 02 Jan 2030 03:04:05 GMT"}, whole},
		"Part":          {"All is part 1.", "/k?partNumber=1", nil, ranged{206, "0123456789", "bytes 0-9/10", "10"}},
		"EmptyPart":     {"All is part 1.", "/empty?partNumber=1", nil, ranged{200, "", "", "0"}},
		"NoPart":        {"There is no part 2.", "/k?partNumber=2", nil, ranged{416, "InvalidPartNumber", "", ""}},
		"Part0":         {"Counted from 1.", "/k?partNumber=0", nil, ranged{400, "InvalidArgument", "", ""}},
		"PartAndRange":  {"Which one counts?", "/k?partNumber=1", []string{"Range", "bytes=2-4"}, ranged{400, "InvalidRequest", "", ""}},
		"PartTooGreat":  {"At most 10,000.", "/k?partNumber=10001", nil, ranged{400, "InvalidArgument", "", ""}},
		"PartNotNumber": {"Words are no number.", "/k?partNumber=one", nil, ranged{400, "InvalidArgument", "", ""}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			a := a.In(t)
			for _, method := range []string{http.MethodGet, http.MethodHead} {
				got := a.Raw(method, tc.target, "", tc.header...)
				seen := ranged{got.Status, got.Body, got.Header.Get("Content-Range"), got.Header.Get("Content-Length")}
				want := tc.want
				switch {
				case method == http.MethodHead:
					want.Body = ""
				case got.Status >= http.StatusBadRequest:
					seen.Body = s3test.Code(t, got.Body)
				}
				if got.Status >= http.StatusBadRequest {
					seen.Length = ""
				}
				if diff := cmp.Diff(want, seen); diff != "" {
					t.Errorf("%s\n%s: -want, +got:\n%s", tc.reason, method, diff)
				}
			}
		})
	}
}
