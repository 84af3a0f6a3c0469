package contract_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/s3error"
	"github.com/cosi-emu/cosi-emu/internal/store/checksum"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

func (f *fixture) begin(key string) objects.Upload {
	f.Helper()
	u, err := f.BeginUpload(objects.Upload{Key: key})
	f.must(err)
	return u
}

func (f *fixture) part(u objects.Upload, number int, content string) {
	f.Helper()
	body := f.body(content)
	defer body.Release()
	_, err := f.PutPart(u.Key, u.ID, objects.Part{Number: number, ETag: etag(content), Body: body})
	f.must(err)
}

func named(number int, content string) objects.CompletedPart {
	return objects.CompletedPart{Number: number, ETag: etag(content).String()}
}

// TestNumbersWithChecksum: with a checksum, S3 requires consecutive numbers.
func TestNumbersWithChecksum(t *testing.T) {
	tests := map[string]struct {
		reason  string
		numbers []int
		err     error
	}{
		"Consecutive": {"all that there can be", []int{1, 2, 3}, nil},
		"One":         {"the first alone", []int{1}, nil},
		"Gap":         {"part 2 is left out", []int{1, 3}, s3error.ErrInvalidPartOrder},
		"Later":       {"part 1 is left out", []int{2, 3}, s3error.ErrInvalidPartOrder},
		"Descending":  {"as without a checksum", []int{2, 1}, s3error.ErrInvalidPartOrder},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, objects.Config{})
			u, err := f.BeginUpload(objects.Upload{Key: "k", Algorithm: checksum.CRC32, FullObject: true})
			f.must(err)
			var parts []objects.CompletedPart
			for _, number := range tc.numbers {
				f.part(u, number, "alike")
				parts = append(parts, named(number, "alike"))
			}
			if _, err := f.CompleteUpload("k", u.ID, objects.Completion{Parts: parts}); !errors.Is(err, tc.err) {
				t.Errorf("%s: CompleteUpload() = %v, want %v", tc.reason, err, tc.err)
			}
		})
	}
}

func TestCompleteUpload(t *testing.T) {
	all := []objects.CompletedPart{named(1, "first"), named(3, "third"), named(7, "end")}
	tests := map[string]struct {
		reason string
		parts  []objects.CompletedPart
		size   int64
		want   string
		err    error
	}{
		"All":         {"in their order", all, 13, "firstthirdend", nil},
		"Subset":      {"what is not named is left out", []objects.CompletedPart{all[0], all[2]}, 8, "firstend", nil},
		"One":         {"one is enough", all[1:2], 5, "third", nil},
		"None":        {"there must be one", nil, 0, "", s3error.ErrMalformedXML},
		"Order":       {"numbers must rise", []objects.CompletedPart{all[1], all[0]}, 10, "", s3error.ErrInvalidPartOrder},
		"Twice":       {"each counts once", []objects.CompletedPart{all[0], all[0]}, 10, "", s3error.ErrInvalidPartOrder},
		"Missing":     {"there is no part 2", []objects.CompletedPart{all[0], named(2, "first")}, 10, "", s3error.ErrInvalidPart},
		"Negative":    {"nor any below 1", []objects.CompletedPart{named(-1, "first")}, 5, "", s3error.ErrInvalidPart},
		"OtherETag":   {"it was replaced since", []objects.CompletedPart{named(1, "replaced")}, 8, "", s3error.ErrInvalidPart},
		"TooSmall":    {"only the last may be small", []objects.CompletedPart{all[2], named(9, "last")}, 7, "", s3error.ErrEntityTooSmall},
		"SmallAtLast": {"the last may be", []objects.CompletedPart{all[0], all[2]}, 8, "firstend", nil},
		"OtherSize":   {"the client counts otherwise", all, 14, "", s3error.ErrInvalidRequest},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, objects.Config{})
			u := f.begin("k")
			for number, content := range map[int]string{1: "replaced", 3: "third", 7: "end", 9: "last"} {
				f.part(u, number, content)
			}
			f.part(u, 1, "first")
			_, err := f.CompleteUpload("k", u.ID, objects.Completion{Parts: tc.parts, Size: &tc.size})
			if !errors.Is(err, tc.err) {
				t.Fatalf("%s: CompleteUpload() = %v, want %v", tc.reason, err, tc.err)
			}
			if tc.err != nil {
				f.checkGoesOn(u)
				return
			}
			if got, err := f.text("k", ""); got != tc.want || err != nil {
				t.Errorf("%s: the object is %q, %v; want %q", tc.reason, got, err, tc.want)
			}
			f.checkEnded(u, len(tc.parts))
		})
	}
}

// checkGoesOn completes an upload of four parts after a failure.
func (f *fixture) checkGoesOn(u objects.Upload) {
	f.Helper()
	if used, want := f.Used(), (objects.Quota{Bytes: 17}); used != want {
		f.Errorf("used are %+v, want %+v", used, want)
	}
	_, err := f.CompleteUpload(u.Key, u.ID, objects.Completion{Parts: []objects.CompletedPart{named(3, "third")}})
	f.must(err)
	f.checkEnded(u, 1)
}

// checkEnded expects that only the object of an upload remains.
func (f *fixture) checkEnded(u objects.Upload, parts int) {
	f.Helper()
	if _, err := f.Upload(u.Key, u.ID); !errors.Is(err, s3error.ErrNoSuchUpload) {
		f.Errorf("Upload() = %v, want NoSuchUpload", err)
	}
	if references, blobs := f.blobs.held(); int(references) != parts || blobs != parts {
		f.Errorf("there are %d references to %d blobs, want %d", references, blobs, parts)
	}
	v, err := f.Get(u.Key, "")
	f.must(err)
	defer v.Release()
	if got, want := f.Used(), (objects.Quota{Bytes: v.Size(), Objects: 1}); got != want {
		f.Errorf("used are %+v, want %+v", got, want)
	}
	if len(v.Parts()) != parts || int(v.ETag.Parts) != parts {
		f.Errorf("the object remembers %d parts and has the ETag %s, want %d", len(v.Parts()), v.ETag, parts)
	}
}

// The ETag is the MD5 of the parts' MD5s; this one was computed with md5sum.
func TestETagOfUpload(t *testing.T) {
	f := newFixture(t, objects.Config{})
	u := f.begin("k")
	f.part(u, 1, "hello")
	f.part(u, 2, "world")
	v, err := f.CompleteUpload("k", u.ID, objects.Completion{Parts: []objects.CompletedPart{named(1, "hello"), named(2, "world")}})
	f.must(err)
	const want = "065947336a2f2a95ba8899f3675c3be6-2"
	if got := v.ETag.String(); got != want {
		t.Errorf("the ETag is %s, want %s", got, want)
	}
}

// Errors after which the upload continues.
func TestNoSuchUpload(t *testing.T) {
	f := newFixture(t, objects.Config{})
	u := f.begin("k")
	f.part(u, 1, "part")
	f.must(f.AbortUpload("k", f.begin("k").ID))
	for name, of := range map[string]objects.Upload{
		"Unknown": {Key: "k", ID: "x"}, "OtherKey": {Key: "other", ID: u.ID}, "Empty": {Key: "k"},
	} {
		_, _, parts := f.Parts(of.Key, of.ID, 0, 10)
		_, put := f.PutPart(of.Key, of.ID, objects.Part{Number: 1})
		_, completed := f.CompleteUpload(of.Key, of.ID, objects.Completion{Parts: []objects.CompletedPart{named(1, "part")}})
		for _, err := range []error{parts, put, completed, f.AbortUpload(of.Key, of.ID)} {
			if !errors.Is(err, s3error.ErrNoSuchUpload) {
				t.Errorf("%s: %v, want NoSuchUpload", name, err)
			}
		}
	}
	f.must(f.AbortUpload("k", u.ID))
	f.must(f.store.DeleteBucket("b", false))
	f.checkGone()
}

// S3 considers a bucket without objects empty, and deletes its uploads.
func TestDeleteBucketWithUploads(t *testing.T) {
	f := newFixture(t, objects.Config{})
	u := f.begin("k")
	f.part(u, 1, "part")
	f.part(u, 2, "part")
	f.must(f.store.DeleteBucket("b", false))
	f.checkGone()
}

func TestParts(t *testing.T) {
	f := newFixture(t, objects.Config{})
	u := f.begin("k")
	for _, number := range []int{10000, 2, 5, 1} {
		f.part(u, number, "part")
	}
	tests := map[string]struct {
		reason       string
		after, limit int
		want         []int
		more         bool
	}{
		"All":      {"by number", 0, 10, []int{1, 2, 5, 10000}, false},
		"Just":     {"the page is full, and that is all", 0, 4, []int{1, 2, 5, 10000}, false},
		"Page":     {"there is more", 0, 2, []int{1, 2}, true},
		"NextPage": {"what follows", 2, 2, []int{5, 10000}, false},
		"Between":  {"the marker needs not be there", 3, 1, []int{5}, true},
		"Beyond":   {"nothing follows", 10000, 10, nil, false},
		"FarAway":  {"nor here", 1 << 40, 10, nil, false},
		"Nothing":  {"no part is asked for, and a list of none has no next page", 0, 0, nil, false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			parts, more, err := f.Parts("k", u.ID, tc.after, tc.limit)
			f.must(err)
			var got []int
			for _, p := range parts {
				got = append(got, p.Number)
			}
			if !slices.Equal(got, tc.want) || more != tc.more {
				t.Errorf("%s: Parts() = %v, %v; want %v, %v", tc.reason, got, more, tc.want, tc.more)
			}
		})
	}
}

// Conditions are checked at the moment at which the object appears.
func TestConditionsOfUploads(t *testing.T) {
	f := newFixture(t, objects.Config{})
	u := f.begin("k")
	f.part(u, 1, "part")
	f.put("k", "meanwhile")
	c := objects.Completion{Parts: []objects.CompletedPart{named(1, "part")}, Conditions: objects.Conditions{IfNoneMatch: "*"}}
	if _, err := f.CompleteUpload("k", u.ID, c); !errors.Is(err, s3error.ErrPreconditionFailed) {
		t.Errorf("CompleteUpload() = %v, want PreconditionFailed", err)
	}
	f.remove("k", "")
	_, err := f.CompleteUpload("k", u.ID, c)
	f.must(err)
	f.checkEnded(u, 1)
}

// The object has the attributes from the creation of its upload.
func TestAttributesOfUploads(t *testing.T) {
	f := newFixture(t, objects.Config{})
	u, err := f.BeginUpload(objects.Upload{Key: "k", Attributes: objects.Attributes{Tags: tags{"a": "b"}, Metadata: tags{"c": "d"}}})
	f.must(err)
	f.part(u, 1, "part")
	v, err := f.CompleteUpload("k", u.ID, objects.Completion{Parts: []objects.CompletedPart{named(1, "part")}})
	f.must(err)
	if diff := cmp.Diff([]tags{{"a": "b"}, {"c": "d"}}, []tags{v.Attributes.Tags, v.Attributes.Metadata}); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
