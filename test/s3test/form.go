package s3test

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

// FormField is a field of a form.
type FormField struct{ Name, Value string }

// Form is a form for an upload, with a policy that covers its fields. Tests change it.
type Form struct {
	Path        string
	Bucket      string // in the policy
	Key         string
	Credentials fakedriver.Credentials
	Region      string
	Token       string // of a session
	At          time.Time
	Expires     time.Duration
	// Fields are further ones. A condition covers each, except fields whose names begin with
	// x-ignore-, and fields with conditions of their own.
	Fields     map[string]string
	Conditions []any
	// Policy replaces the document.
	Policy string
	// Change is applied after the policy has been signed.
	Change         func([]FormField) []FormField
	FileName, File string
}

// Form returns a form for an upload to the application's bucket.
func (a *App) Form() Form { return a.Store.Form("photos", a.Key) }

// Form returns a form for an upload to a bucket, signed with a key.
func (s *Server) Form(bucket string, key fakedriver.Credentials) Form {
	return Form{
		Path: "/" + bucket, Bucket: bucket, Key: "uploads/${filename}", Credentials: key, Region: s.Region(), At: time.Now(),
		Expires: time.Hour, Fields: map[string]string{}, FileName: "cat.jpg", File: "meow",
		Conditions: []any{[]any{"starts-with", "$key", "uploads/"}},
	}
}

// signing are the fields of the signature.
func (f Form) signing() map[string]string {
	day := f.At.UTC().Format("20060102")
	all := map[string]string{
		"x-amz-algorithm":  "AWS4-HMAC-SHA256",
		"x-amz-credential": f.Credentials.AccessKeyID + "/" + day + "/" + f.Region + "/s3/aws4_request",
		"x-amz-date":       f.At.UTC().Format("20060102T150405Z"),
	}
	if f.Token != "" {
		all["x-amz-security-token"] = f.Token
	}
	return all
}

// Document returns the policy.
func (f Form) Document() string {
	if f.Policy != "" {
		return f.Policy
	}
	conditions := append([]any{map[string]string{"bucket": f.Bucket}}, f.Conditions...)
	fields := f.signing()
	maps.Copy(fields, f.Fields)
	covered, err := json.Marshal(f.Conditions)
	if err != nil {
		panic(err)
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if !bytes.Contains(covered, []byte(`"$`+name+`"`)) && !bytes.HasPrefix([]byte(name), []byte("x-ignore-")) {
			conditions = append(conditions, map[string]string{name: fields[name]})
		}
	}
	text, err := json.Marshal(map[string]any{
		"expiration": f.At.Add(f.Expires).UTC().Format("2006-01-02T15:04:05.000Z"), "conditions": conditions,
	})
	if err != nil {
		panic(err)
	}
	return string(text)
}

// sign signs a text as described in the section "Calculating a Signature" of S3's documentation.
func (f Form) sign(text string) string {
	sum := func(key []byte, text string) []byte {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(text))
		return mac.Sum(nil)
	}
	key := []byte("AWS4" + f.Credentials.SecretAccessKey)
	for _, part := range []string{f.At.UTC().Format("20060102"), f.Region, "s3", "aws4_request"} {
		key = sum(key, part)
	}
	return hex.EncodeToString(sum(key, text))
}

// signed returns all fields, the file last.
func (f Form) signed() []FormField {
	policy := base64.StdEncoding.EncodeToString([]byte(f.Document()))
	all := []FormField{{"key", f.Key}}
	fields := f.signing()
	maps.Copy(fields, f.Fields)
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		all = append(all, FormField{name, fields[name]})
	}
	all = append(all, FormField{"policy", policy}, FormField{"x-amz-signature", f.sign(policy)}, FormField{"file", f.File})
	if f.Change != nil {
		all = f.Change(all)
	}
	return all
}

// Encode returns the body of the request, and its Content-Type.
func (f Form) Encode() (body []byte, kind string) {
	var buffer bytes.Buffer
	w := multipart.NewWriter(&buffer)
	for _, field := range f.signed() {
		create := func() (interface{ Write([]byte) (int, error) }, error) { return w.CreateFormField(field.Name) }
		if field.Name == "file" {
			create = func() (interface{ Write([]byte) (int, error) }, error) {
				return w.CreateFormFile(field.Name, f.FileName)
			}
		}
		part, err := create()
		if err == nil {
			_, err = part.Write([]byte(field.Value))
		}
		if err != nil {
			panic(err)
		}
	}
	_ = w.Close()
	return buffer.Bytes(), w.FormDataContentType()
}

// Request returns the request of a browser.
func (f Form) Request(ctx context.Context, t *testing.T, endpoint string) *http.Request {
	t.Helper()
	body, kind := f.Encode()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, endpoint+f.Path, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", kind)
	return r
}

// Post sends a form.
func (a *App) Post(f Form) Answer {
	a.Helper()
	return Exchange(a.T, f.Request(a.Context(), a.T, a.Store.URL))
}

// WithoutField omits a field.
func WithoutField(name string) func([]FormField) []FormField {
	return func(all []FormField) []FormField {
		return slices.DeleteFunc(all, func(f FormField) bool { return f.Name == name })
	}
}

// ReplaceField changes the value of a field.
func ReplaceField(name, value string) func([]FormField) []FormField {
	return func(all []FormField) []FormField {
		for i := range all {
			if all[i].Name == name {
				all[i].Value = value
			}
		}
		return all
	}
}

// AddFields adds fields before the file.
func AddFields(pairs ...string) func([]FormField) []FormField {
	return func(all []FormField) []FormField {
		for i := 0; i < len(pairs); i += 2 {
			all = slices.Insert(all, len(all)-1, FormField{pairs[i], pairs[i+1]})
		}
		return all
	}
}

// Script returns the fields before the file, as an object of JavaScript.
func (f Form) Script() string {
	fields := map[string]string{}
	for _, field := range f.signed() {
		if field.Name != "file" {
			fields[field.Name] = field.Value
		}
	}
	text, err := json.Marshal(fields)
	if err != nil {
		panic(err)
	}
	return string(text)
}
