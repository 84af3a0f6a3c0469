package contract_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

// joined returns a body of several blobs, by completing an upload of them.
func (f *fixture) joined(pieces ...string) objects.Body {
	f.Helper()
	u := f.begin("joined of " + pieces[0])
	var completion objects.Completion
	for i, content := range pieces {
		f.part(u, i+1, content)
		completion.Parts = append(completion.Parts, named(i+1, content))
	}
	v, err := f.CompleteUpload(u.Key, u.ID, completion)
	f.must(err)
	return v.Body
}

// bodies are contents in the forms that bodies can have.
func bodies(f *fixture) map[string]objects.Body {
	return map[string]objects.Body{
		"":                   f.body(""),
		"one":                f.body("one"),
		"first-second":       f.joined("first-", "second"),
		"aaaabbbbccccddd":    f.joined("aaaa", "bbbb", "cccc", "ddd"),
		"\x00\x00\x00":       objects.Hole(3),
		"one\x00\x00two\x00": objects.Join(f.body("one"), objects.Hole(2), f.body("two"), objects.Hole(1)),
	}
}

func TestBody(t *testing.T) {
	f := newFixture(t, objects.Config{})
	for want, body := range bodies(f) {
		t.Run(want, func(t *testing.T) {
			if got := body.Size(); got != int64(len(want)) {
				t.Errorf("Size() = %d, want %d", got, len(want))
			}
			r := body.Open()
			if err := iotest.TestReader(r, []byte(want)); err != nil {
				t.Error(err)
			}
			f.must(r.Close())
			f.must(r.Close()) // again does nothing
			r = body.Open()
			if got, err := io.ReadAll(iotest.OneByteReader(r)); string(got) != want || err != nil {
				t.Errorf("read byte by byte: %q, %v", got, err)
			}
			f.must(r.Close())
			if got, err := body.ETag(); got != etag(want) || err != nil {
				t.Errorf("ETag() = %s, %v; want %s", got, err, etag(want))
			}
		})
	}
}

// TestSlices cuts every range out of every body, and ranges out of the ranges.
func TestSlices(t *testing.T) {
	f := newFixture(t, objects.Config{})
	for want, body := range bodies(f) {
		for from := range len(want) + 1 {
			for to := from; to <= len(want); to++ {
				cut := body.Slice(int64(from), int64(to-from))
				f.checkContent(fmt.Sprintf("%q[%d:%d]", want, from, to), cut, want[from:to])
				if to > from+2 {
					f.checkContent(fmt.Sprintf("%q[%d:%d][1:-1]", want, from, to), cut.Slice(1, int64(to-from-2)), want[from+1:to-1])
				}
			}
		}
	}
}

func (f *fixture) checkContent(name string, body objects.Body, want string) {
	f.Helper()
	if got := f.read(body); got != want {
		f.Errorf("%s is %q, want %q", name, got, want)
	}
	if got := body.Size(); got != int64(len(want)) {
		f.Errorf("%s has %d bytes, want %d", name, got, len(want))
	}
}

// TestWriteTo writes the unread rest, wherever reading has stopped.
func TestWriteTo(t *testing.T) {
	f := newFixture(t, objects.Config{})
	for want, body := range bodies(f) {
		for read := range len(want) + 1 {
			r := body.Open()
			begin := make([]byte, read)
			_, err := io.ReadFull(r, begin)
			f.must(err)
			var rest bytes.Buffer
			n, err := r.(io.WriterTo).WriteTo(&rest) //nolint:forcetypeassert // it is what is tested
			f.must(err)
			f.must(r.Close())
			if string(begin)+rest.String() != want || n != int64(rest.Len()) {
				t.Errorf("%q: read %q and wrote %q, %d bytes", want, begin, rest.String(), n)
			}
		}
	}
}

// brokenWriter accepts some bytes, and then fails.
type brokenWriter struct{ takes int }

var errBroken = errors.New("broken")

func (w *brokenWriter) Write(p []byte) (int, error) {
	n := min(w.takes, len(p))
	w.takes -= n
	if n < len(p) {
		return n, errBroken
	}
	return n, nil
}

// The error shows that the client has disconnected.
func TestWriteToBroken(t *testing.T) {
	f := newFixture(t, objects.Config{})
	body := f.joined("aaaa", "bbbb", "cccc")
	for takes := range 12 {
		r := body.Open()
		n, err := io.Copy(&brokenWriter{takes}, r)
		if n != int64(takes) || !errors.Is(err, errBroken) {
			t.Errorf("WriteTo() = %d, %v; want %d and the writer's error", n, err, takes)
		}
		f.must(r.Close())
	}
}

// An object of a slice of a slice keeps only the blobs of its bytes.
func TestSlicesAreStored(t *testing.T) {
	f := newFixture(t, objects.Config{})
	body := f.joined("aaaa", "bbbb", "cccc", "dddd")
	cut := body.Slice(6, 3)
	_, err := f.Put("cut", objects.Draft{Body: cut, ETag: etag("bbc")}, objects.Conditions{})
	f.must(err)
	f.remove("joined of aaaa", "")
	if references, blobs := f.blobs.held(); references != 2 || blobs != 2 {
		t.Errorf("there are %d references to %d blobs, want those with bytes 6 to 8", references, blobs)
	}
	if got, err := f.text("cut", ""); got != "bbc" || err != nil {
		t.Errorf("the object is %q, %v", got, err)
	}
}

// Large bodies cross the segments of blobs in memory.
func TestLargeBodies(t *testing.T) {
	f := newFixture(t, objects.Config{})
	random := randomly(1)
	var large strings.Builder
	for large.Len() < 5<<20 {
		fmt.Fprint(&large, random.Uint64())
	}
	want := large.String()
	body := f.joined("head", want[:3<<20], want[3<<20:])
	want = "head" + want
	for range 50 {
		from := random.IntN(len(want))
		to := from + random.IntN(len(want)-from)
		if got := f.read(body.Slice(int64(from), int64(to-from))); got != want[from:to] {
			t.Errorf("bytes %d to %d are not those that were stored", from, to)
		}
	}
}

// TestBodyChanges: the changes of a body are the ranges that it does not share with an earlier one.
func TestBodyChanges(t *testing.T) {
	f := newFixture(t, objects.Config{})
	one, two := f.body("one"), f.body("two")
	both := objects.Join(one, two)
	for name, tc := range map[string]struct {
		body, earlier objects.Body
		want          []objects.Extent
	}{
		"nothing":        {},
		"content":        {both, objects.Body{}, []objects.Extent{{Length: 6}}},
		"same":           {both, both, nil},
		"hole":           {objects.Hole(6), objects.Body{}, nil},
		"hole after":     {objects.Join(one, objects.Hole(9)), one, nil},
		"cleared":        {objects.Join(one, objects.Hole(3)), both, []objects.Extent{{Offset: 3, Length: 3, IsHole: true}}},
		"cleared part":   {objects.Join(one, two.Slice(0, 1), objects.Hole(2)), both, []objects.Extent{{Offset: 4, Length: 2, IsHole: true}}},
		"replaced":       {objects.Join(two, two), both, []objects.Extent{{Length: 3}}},
		"moved":          {objects.Join(two, one), both, []objects.Extent{{Length: 6}}},
		"filled":         {objects.Join(objects.Hole(1), one, objects.Hole(2)), objects.Hole(6), []objects.Extent{{Offset: 1, Length: 3}}},
		"shorter":        {both.Slice(0, 4), both, nil},
		"part of a hole": {objects.Hole(9).Slice(2, 3), objects.Hole(1), nil},
	} {
		if diff := cmp.Diff(tc.want, tc.body.Changes(tc.earlier)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
