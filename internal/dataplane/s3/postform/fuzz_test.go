package postform_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/postform"
	"github.com/cosi-emu/cosi-emu/internal/s3error"
)

// FuzzRead generates bodies. Their part in memory is limited, and every error is S3's.
func FuzzRead(f *testing.F) {
	const field = "--b\r\nContent-Disposition: form-data; name=\"key\"\r\n\r\n${filename}\r\n"
	const file = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"C:\\\\a\\\\b.txt\"\r\n\r\ncontent\r\n--b--"
	f.Add([]byte(field+file), "multipart/form-data; boundary=b")
	f.Add([]byte(field+field+file), "Multipart/Form-Data;boundary=\"b\"")
	f.Add([]byte(strings.ReplaceAll(field+file, "\r", "")), "multipart/form-data; boundary=b")
	f.Add([]byte("--b\r\n\r\n"), "multipart/form-data; boundary=b")
	f.Fuzz(func(t *testing.T, body []byte, kind string) {
		r := &http.Request{
			Method: http.MethodPost, Header: http.Header{"Content-Type": {kind}},
			ContentLength: int64(len(body)), Body: io.NopCloser(bytes.NewReader(body)),
		}
		form, err := postform.Read(r)
		if err != nil {
			if _, ok := errors.AsType[*s3error.Error](err); !ok {
				t.Errorf("Read(): %v", err)
			}
			return
		}
		held := 0
		for _, value := range form.Fields {
			held += len(value)
		}
		content, err := io.ReadAll(form.File)
		if _, ok := errors.AsType[*s3error.Error](err); err != nil && !ok {
			t.Errorf("the file: %v", err)
		}
		if held > postform.MaxFieldBytes || len(content) > len(body) {
			t.Errorf("%d bytes of fields and %d of the file were read of %d", held, len(content), len(body))
		}
	})
}

// FuzzPolicy generates policies. A policy that accepts a form has a condition for its key.
func FuzzPolicy(f *testing.F) {
	const begin = `{"expiration": "2999-01-01T00:00:00.000Z", "conditions": [{"bucket": "b"}, `
	for _, condition := range []string{
		`{"key": "k"}`, `["eq", "$key", "k"]`, `["starts-with", "$key", ""]`, `["content-length-range", 0, 1e3]`,
		`["starts-with", "$key", "\$\v"]`, `null`, `[[]]`,
	} {
		f.Add(begin + condition + "]}")
	}
	f.Fuzz(func(t *testing.T, text string) {
		policy, err := postform.ParsePolicy(base64.StdEncoding.EncodeToString([]byte(text)))
		if err == nil {
			if policy.Min < 0 {
				t.Errorf("a file may have %d bytes", policy.Min)
			}
			err = policy.Check(&postform.Form{Fields: map[string]string{"key": "k"}}, "b", time.Unix(0, 0))
		}
		if _, ok := errors.AsType[*s3error.Error](err); err != nil && !ok {
			t.Errorf("the error is %v", err)
		}
		if err == nil && !strings.Contains(strings.ToLower(text), `key`) && !strings.Contains(text, `\u`) {
			t.Errorf("a form was accepted by %s", text)
		}
	})
}
