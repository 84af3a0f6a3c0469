package store_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"maps"
	"mime/multipart"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/cosi-emu/cosi-emu/fakedriver"
)

type formField struct{ name, value string }

// form is a form for an upload, with a policy that covers its fields. Tests change it.
type form struct {
	path        string
	bucket      string // in the policy
	key         string
	credentials fakedriver.Credentials
	region      string
	token       string // of a session
	at          time.Time
	expires     time.Duration
	// fields are further ones. A condition covers each, except fields whose names begin with
	// x-ignore-, and fields with conditions of their own.
	fields     map[string]string
	conditions []any
	// policy replaces the document.
	policy string
	// change is applied after the policy has been signed.
	change         func([]formField) []formField
	fileName, file string
}

func (a *app) form() form { return a.store.form("photos", a.key) }

// form returns a form for an upload to a bucket, signed with a key.
func (s *server) form(bucket string, key fakedriver.Credentials) form {
	return form{
		path: "/" + bucket, bucket: bucket, key: "uploads/${filename}", credentials: key, region: s.Region(), at: time.Now(),
		expires: time.Hour, fields: map[string]string{}, fileName: "cat.jpg", file: "meow",
		conditions: []any{[]any{"starts-with", "$key", "uploads/"}},
	}
}

// signing are the fields of the signature.
func (f form) signing() map[string]string {
	day := f.at.UTC().Format("20060102")
	all := map[string]string{
		"x-amz-algorithm":  "AWS4-HMAC-SHA256",
		"x-amz-credential": f.credentials.AccessKeyID + "/" + day + "/" + f.region + "/s3/aws4_request",
		"x-amz-date":       f.at.UTC().Format("20060102T150405Z"),
	}
	if f.token != "" {
		all["x-amz-security-token"] = f.token
	}
	return all
}

// document returns the policy.
func (f form) document() string {
	if f.policy != "" {
		return f.policy
	}
	conditions := append([]any{map[string]string{"bucket": f.bucket}}, f.conditions...)
	fields := f.signing()
	maps.Copy(fields, f.fields)
	covered, err := json.Marshal(f.conditions)
	if err != nil {
		panic(err)
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if !bytes.Contains(covered, []byte(`"$`+name+`"`)) && !bytes.HasPrefix([]byte(name), []byte("x-ignore-")) {
			conditions = append(conditions, map[string]string{name: fields[name]})
		}
	}
	text, err := json.Marshal(map[string]any{
		"expiration": f.at.Add(f.expires).UTC().Format("2006-01-02T15:04:05.000Z"), "conditions": conditions,
	})
	if err != nil {
		panic(err)
	}
	return string(text)
}

// sign signs a text as described in the section "Calculating a Signature" of S3's documentation.
func (f form) sign(text string) string {
	sum := func(key []byte, text string) []byte {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(text))
		return mac.Sum(nil)
	}
	key := []byte("AWS4" + f.credentials.SecretAccessKey)
	for _, part := range []string{f.at.UTC().Format("20060102"), f.region, "s3", "aws4_request"} {
		key = sum(key, part)
	}
	return hex.EncodeToString(sum(key, text))
}

// signed returns all fields, the file last.
func (f form) signed() []formField {
	policy := base64.StdEncoding.EncodeToString([]byte(f.document()))
	all := []formField{{"key", f.key}}
	fields := f.signing()
	maps.Copy(fields, f.fields)
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		all = append(all, formField{name, fields[name]})
	}
	all = append(all, formField{"policy", policy}, formField{"x-amz-signature", f.sign(policy)}, formField{"file", f.file})
	if f.change != nil {
		all = f.change(all)
	}
	return all
}

func (f form) encode() (body []byte, kind string) {
	var buffer bytes.Buffer
	w := multipart.NewWriter(&buffer)
	for _, field := range f.signed() {
		create := func() (interface{ Write([]byte) (int, error) }, error) { return w.CreateFormField(field.name) }
		if field.name == "file" {
			create = func() (interface{ Write([]byte) (int, error) }, error) {
				return w.CreateFormFile(field.name, f.fileName)
			}
		}
		part, err := create()
		if err == nil {
			_, err = part.Write([]byte(field.value))
		}
		if err != nil {
			panic(err)
		}
	}
	_ = w.Close()
	return buffer.Bytes(), w.FormDataContentType()
}

func (f form) request(ctx context.Context, t *testing.T, endpoint string) *http.Request {
	t.Helper()
	body, kind := f.encode()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, endpoint+f.path, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", kind)
	return r
}

func (a *app) post(f form) answer {
	a.Helper()
	return exchange(a.T, f.request(a.Context(), a.T, a.store.url))
}

// without omits a field, and replaced changes one.
func without(name string) func([]formField) []formField {
	return func(all []formField) []formField {
		return slices.DeleteFunc(all, func(f formField) bool { return f.name == name })
	}
}

func replaced(name, value string) func([]formField) []formField {
	return func(all []formField) []formField {
		for i := range all {
			if all[i].name == name {
				all[i].value = value
			}
		}
		return all
	}
}

// add adds fields before the file.
func add(pairs ...string) func([]formField) []formField {
	return func(all []formField) []formField {
		for i := 0; i < len(pairs); i += 2 {
			all = slices.Insert(all, len(all)-1, formField{pairs[i], pairs[i+1]})
		}
		return all
	}
}

// script returns the fields before the file, as an object of JavaScript.
func (f form) script() string {
	fields := map[string]string{}
	for _, field := range f.signed() {
		if field.name != "file" {
			fields[field.name] = field.value
		}
	}
	text, err := json.Marshal(fields)
	if err != nil {
		panic(err)
	}
	return string(text)
}
