package store_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/go-logr/logr/funcr"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/store"
	"github.com/cosi-emu/cosi-emu/internal/store/blobstore"
	"github.com/cosi-emu/cosi-emu/test/s3test"
)

func largestFile(t *testing.T, dir string) (name string, size int64) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err == nil && info.Size() > size {
			name, size = path, info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return name, size
}

// TestContentDamaged: damaged content is sent up to the damage, and nothing else in its place.
func TestContentDamaged(t *testing.T) {
	dir := t.TempDir()
	s := s3test.Serve(t, s3test.Options{Dir: dir})
	s.Bucket(t, "photos")
	key := s.Account(t, "app", s3test.ReadWrite("photos"))
	content := strings.Repeat("0123456789abcdef", 1<<20)
	s3test.Put(t, s.Client(t, key), "k", content)
	name, size := largestFile(t, dir)
	if size < int64(len(content)) {
		t.Fatalf("the largest file is %s, with %d bytes", name, size)
	}
	if err := os.Truncate(name, size-1<<20); err != nil {
		t.Fatal(err)
	}
	in := s3test.Signed{Method: http.MethodGet, Path: "/photos/k", Credentials: key, Region: s.Region(), Service: "s3", At: time.Now()}
	response, err := http.DefaultTransport.RoundTrip(in.Request(t, s))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	got, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode == http.StatusOK {
		t.Errorf("the client has got %d bytes, and no error; the end is %q", len(got), got[max(0, len(got)-20):])
	}
	if response.StatusCode == http.StatusOK && !bytes.HasPrefix([]byte(content), got) {
		t.Errorf("the end of the content is %q", got[max(0, len(got)-20):])
	}
}

// damagedBucket is a bucket in a directory, whose largest file has been truncated: of the object
// "bad", or of the part of an upload.
type damagedBucket struct {
	dir, file string
	key       fakedriver.Credentials
	upload    *s3.CreateMultipartUploadOutput
	part      types.CompletedPart
}

func newDamagedBucket(t *testing.T, largest string) *damagedBucket {
	t.Helper()
	d := &damagedBucket{dir: t.TempDir()}
	size := func(key string) string {
		if key == largest {
			return strings.Repeat(key, 1<<20)
		}
		return strings.Repeat(key, 100<<10)
	}
	t.Run("Before", func(t *testing.T) {
		a := d.open(t, nil)
		a.Put("good", size("good"))
		a.Put("bad", size("bad"))
		d.upload = a.Begin("parts")
		d.part = a.Part(d.upload, 1, size("parts"))
	})
	d.file, _ = largestFile(t, d.dir)
	if filepath.Base(filepath.Dir(d.file)) != "blobs" {
		t.Fatalf("the largest file is %s", d.file)
	}
	if err := os.Truncate(d.file, 1000); err != nil {
		t.Fatal(err)
	}
	return d
}

// open serves the store, which writes its log to lines.
func (d *damagedBucket) open(t *testing.T, lines *[]string) *s3test.App {
	t.Helper()
	logger := funcr.New(func(_, line string) {
		if lines != nil {
			*lines = append(*lines, line)
		}
	}, funcr.Options{})
	s := s3test.Serve(t, s3test.Options{Dir: d.dir, Logger: logger})
	s.Bucket(t, "photos")
	d.key = s.Account(t, "app", s3test.AllAccess("photos"))
	return &s3test.App{T: t, Store: s, S3: s.Client(t, d.key), Bucket: new("photos"), Key: d.key}
}

// TestObjectDamaged: a truncated file affects only its object, at each start, until it is written
// again.
func TestObjectDamaged(t *testing.T) {
	d := newDamagedBucket(t, "bad")
	for _, start := range []string{"First", "Second"} {
		t.Run(start, func(t *testing.T) {
			var lines []string
			a := d.open(t, &lines)
			d.expectReport(a, lines)
			d.expectDamage(a)
			d.expectRest(a)
		})
	}
	t.Run("Written", func(t *testing.T) {
		a := d.open(t, nil)
		a.Put("bad", "again")
		if content, _ := a.Read("bad", ""); content != "again" || len(a.Store.Damaged()) != 0 {
			t.Errorf("the object is %q, and Damaged() = %+v", content, a.Store.Damaged())
		}
	})
	var lines []string
	d.open(t, &lines)
	if len(lines) != 0 {
		t.Errorf("the log still has %v", lines)
	}
	d.expectLeft(t)
}

// expectReport compares the report at the start.
func (d *damagedBucket) expectReport(a *s3test.App, lines []string) {
	a.Helper()
	started := strings.Join(lines, "\n")
	for _, part := range []string{`"key"="bad"`, `"bucket"="photos"`, d.file, filepath.Join(d.dir, "damaged")} {
		if len(lines) != 1 || !strings.Contains(started, part) {
			a.Errorf("the log lacks %s: %s", part, started)
		}
	}
	damaged := a.Store.Damaged()
	if len(damaged) != 1 || damaged[0].Bucket != "photos" || damaged[0].Key != "bad" || !errors.Is(damaged[0].Cause, blobstore.ErrDamaged) {
		a.Errorf("Damaged() = %+v", damaged)
	}
}

// expectDamage reads the damaged object in all ways.
func (d *damagedBucket) expectDamage(a *s3test.App) {
	a.Helper()
	source := []string{"X-Amz-Copy-Source", "photos/bad"}
	for name, got := range map[string]s3test.Answer{
		"GetObject":      a.Raw(http.MethodGet, "/bad", ""),
		"a range":        a.Raw(http.MethodGet, "/bad", "", "Range", "bytes=0-9"),
		"CopyObject":     a.Raw(http.MethodPut, "/copy", "", source...),
		"UploadPartCopy": a.Raw(http.MethodPut, "/parts?partNumber=2&uploadId="+*d.upload.UploadId, "", source...),
	} {
		if got.Status != 500 || s3test.Code(a.T, got.Body) != "InternalError" || !strings.Contains(got.Body, "&#34;bad&#34;") {
			a.Errorf("%s answered %d: %.300s", name, got.Status, got.Body)
		}
		if strings.Contains(got.Body, d.dir) {
			a.Errorf("%s tells clients of the directory: %s", name, got.Body)
		}
	}
	if got := a.Raw(http.MethodHead, "/bad", ""); got.Status != 200 || got.Header.Get("Content-Length") != "3145728" {
		a.Errorf("HeadObject answered %d, %v", got.Status, got.Header)
	}
}

// expectRest expects that nothing else is affected.
func (d *damagedBucket) expectRest(a *s3test.App) {
	a.Helper()
	if content, _ := a.Read("good", ""); content != strings.Repeat("good", 100<<10) {
		a.Errorf("another object has %d bytes", len(content))
	}
	list, err := a.S3.ListObjectsV2(a.Context(), &s3.ListObjectsV2Input{Bucket: a.Bucket})
	a.Must(err)
	if len(list.Contents) != 2 {
		a.Errorf("ListObjectsV2() has %d objects", len(list.Contents))
	}
	a.Put("new", "content")
	a.Remove("new", "")
	d.expectLeft(a.T)
}

// expectLeft expects the remains of the file.
func (d *damagedBucket) expectLeft(t *testing.T) {
	t.Helper()
	left, err := os.ReadFile(filepath.Join(d.dir, "damaged", filepath.Base(d.file)))
	if err != nil || len(left) != 1000 {
		t.Errorf("%d bytes are left, %v; want 1000", len(left), err)
	}
}

// TestPartDamaged: the upload continues, without the part.
func TestPartDamaged(t *testing.T) {
	d := newDamagedBucket(t, "parts")
	a := d.open(t, nil)
	if damaged := a.Store.Damaged(); len(damaged) != 1 || damaged[0].Key != "parts" || damaged[0].Upload != *d.upload.UploadId {
		t.Errorf("Damaged() = %+v", damaged)
	}
	_, err := a.Complete(d.upload, d.part)
	a.Rejected("the upload with the part", err, "InternalError")
	_, err = a.Complete(d.upload, a.Part(d.upload, 1, "again"))
	a.Must(err)
	if content, _ := a.Read("parts", ""); content != "again" || len(a.Store.Damaged()) != 0 {
		t.Errorf("the object is %q, and Damaged() = %+v", content, a.Store.Damaged())
	}
}

// TestImageDamaged: a copy of a store names each damaged content, whether the damage was found at
// the start or now. After the content is written again, the copy is complete.
func TestImageDamaged(t *testing.T) {
	d := newDamagedBucket(t, "bad")
	t.Run("AtStart", func(t *testing.T) {
		a := d.open(t, nil)
		d.expectNoImage(a, `object "bad", version "null" in bucket "photos": blob `+d.file, "the rest is in "+filepath.Join(d.dir, "damaged"))
		a.Put("bad", "again")
	})
	cut, _ := largestFile(t, filepath.Join(d.dir, "blobs"))
	t.Run("Meanwhile", func(t *testing.T) {
		a := d.open(t, nil)
		if err := os.Truncate(cut, 1000); err != nil {
			t.Fatal(err)
		}
		upload := `upload "` + *d.upload.UploadId + `" of object "parts" in bucket "photos": blob ` + cut
		d.expectNoImage(a, upload, "bytes too short")
		d.part = a.Part(d.upload, 1, "again")
		image := d.image(a)
		defer image.Release()
		dir := filepath.Join(t.TempDir(), "image")
		a.Must(image.Write(dir))
		s := s3test.Serve(t, s3test.Options{Dir: dir})
		restored := &s3test.App{T: t, Store: s, S3: s.Client(t, d.key), Bucket: a.Bucket, Key: d.key}
		if content, _ := restored.Read("bad", ""); content != "again" || len(s.Damaged()) != 0 {
			t.Errorf("in the copy the object is %q, and Damaged() = %+v", content, s.Damaged())
		}
	})
}

func (d *damagedBucket) image(a *s3test.App) *store.Image {
	a.Helper()
	image, thaw, err := a.Store.Freeze(a.Context())
	a.Must(err)
	thaw()
	return image
}

// expectNoImage expects an error of the copy with these texts.
func (d *damagedBucket) expectNoImage(a *s3test.App, says ...string) {
	a.Helper()
	image := d.image(a)
	defer image.Release()
	err := image.Write(filepath.Join(a.TempDir(), "image"))
	if !errors.Is(err, blobstore.ErrDamaged) {
		a.Fatalf("Write() = %v, want an error of kind ErrDamaged", err)
	}
	for _, part := range append(says, "Write the objects again or delete these versions") {
		if !strings.Contains(err.Error(), part) {
			a.Errorf("the error lacks %s: %v", part, err)
		}
	}
}
