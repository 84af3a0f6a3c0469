package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/store/checksum"
)

// equal compares a result with the wanted one. Contents are compared, but not shown.
func equal(what string, got, want any, err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if content, ok := got.([]byte); ok {
		if wanted, _ := want.([]byte); !bytes.Equal(content, wanted) {
			return fmt.Errorf("%s: the %d bytes differ from the %d that are wanted", what, len(content), len(wanted))
		}
		return nil
	}
	if diff := cmp.Diff(want, got); diff != "" {
		return fmt.Errorf("%s (-want, +got): %s", what, diff)
	}
	return nil
}

func all(checks ...func(*try) error) func(*try) error {
	return func(t *try) (err error) {
		for _, check := range checks {
			err = errors.Join(err, check(t))
		}
		return err
	}
}

func stored(suffix string) func(*try) error {
	return func(t *try) error { return t.expectObject(t.key+suffix, t.content) }
}

func downloaded(t *try) error { return t.expectFile("out", t.content) }

func gone(suffix string) func(*try) error {
	return func(t *try) error {
		keys, err := t.list(t.ctx, t.key+suffix)
		return equal("the object "+t.key+suffix+" exists", slices.Contains(keys, t.key+suffix), false, err)
	}
}

func prints(texts ...string) func(*try) error {
	return func(t *try) error {
		for _, text := range texts {
			if !strings.Contains(t.output, text) {
				return fmt.Errorf("the output does not have %q: %s", text, t.output)
			}
		}
		return nil
	}
}

func lines(want ...string) func(*try) error {
	return func(t *try) error {
		got := t.lines()
		slices.Sort(got)
		return equal("the lines", got, want, nil)
	}
}

func hasMetadata(t *try) error {
	got, _, err := t.get(t.ctx, t.key)
	return equal("the colour in the metadata", got.Get(t.protocol.header("Meta-Colour")), "blue", err)
}

// inParts checks that an object of S3 was written in parts, which its ETag shows.
func inParts(t *try) error {
	got, _, err := t.get(t.ctx, t.key)
	if err == nil && t.protocol == s3 && !strings.Contains(got.Get("ETag"), "-") {
		err = fmt.Errorf("the ETag %s is not one of parts", got.Get("ETag"))
	}
	return err
}

func synchronized(t *try) error {
	got, err := t.list(t.ctx, t.key+"/")
	var want []string
	for name := range tree() {
		want = append(want, t.key+"/"+name)
	}
	slices.Sort(want)
	return errors.Join(equal("the objects", got, want, err), t.expectTree("down"))
}

// twice writes two versions of an object; the client gets the ID of the first.
func twice(t *try) (err error) {
	t.environment["VERSION"], err = t.put(t.ctx, t.key, t.content, nil)
	if err == nil {
		_, err = t.put(t.ctx, t.key, random("second", small), nil)
	}
	return err
}

// deleted deletes an object with versions; the client gets the ID of the delete marker.
func deleted(t *try) error {
	got, _, err := t.send(t.ctx, http.MethodDelete, t.url(t.key, ""), nil, nil, t.sign)
	t.environment["VERSION"] = got.Get("X-Amz-Version-Id")
	return err
}

// knowETag gives the client the ETag of the object.
func knowETag(t *try) error {
	got, _, err := t.get(t.ctx, t.key)
	t.environment["ETAG"] = got.Get("ETag")
	return err
}

func doubled(t *try) error { return t.expectObject(t.key, slices.Concat(t.content, t.content)) }

// sum returns a checksum as S3 sends it.
func sum(name string, content []byte) string {
	algorithm, _ := checksum.ByName(name)
	digest := checksum.New(algorithm)
	_, _ = digest.Write(content) // a hash never fails
	return digest.Checksum().String()
}

// signed makes a request from a client's output, a URL and headers on further lines, but for a key.
func (t *try) signed(method, key string, body []byte) ([]byte, error) {
	printed, header := strings.Split(strings.TrimSpace(t.output), "\n"), http.Header{}
	for _, line := range printed[1:] {
		name, value, _ := strings.Cut(line, ":")
		header.Set(name, strings.TrimSpace(value))
	}
	address := strings.Replace(strings.TrimSpace(printed[0]), t.key, key, 1)
	_, got, err := t.send(t.ctx, method, address, body, header, unsigned)
	return got, err
}

func presignedGet(t *try) error {
	got, err := t.signed(http.MethodGet, t.key, nil)
	if err := equal("the answer", got, t.content, err); err != nil {
		return err
	}
	_, err = t.signed(http.MethodGet, t.key+"x", nil)
	if err == nil || !strings.Contains(err.Error(), "status 403") {
		return fmt.Errorf("the signature is accepted for another key: %w", err)
	}
	return nil
}

func presignedPut(t *try) error {
	if _, err := t.signed(http.MethodPut, t.key, t.content); err != nil {
		return err
	}
	return stored("")(t)
}

// postForm sends the form that a client has printed in JSON.
func postForm(t *try) error {
	var form struct {
		URL    string            `json:"url"`
		Fields map[string]string `json:"fields"`
	}
	if err := json.Unmarshal([]byte(t.output), &form); err != nil {
		return fmt.Errorf("read the form from %q: %w", t.output, err)
	}
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for name, value := range form.Fields {
		_ = w.WriteField(name, value) // a buffer takes everything
	}
	f, _ := w.CreateFormFile("file", "in")
	_, _ = f.Write(t.content)
	_ = w.Close()
	header := http.Header{"Content-Type": {w.FormDataContentType()}}
	if _, _, err := t.send(t.ctx, http.MethodPost, form.URL, body.Bytes(), header, unsigned); err != nil {
		return err
	}
	return stored("")(t)
}
