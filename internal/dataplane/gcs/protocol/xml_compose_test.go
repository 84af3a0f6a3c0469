package protocol_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"
	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/pipeline"
)

// ask sends a request that Amazon's client does not support, with its key, and returns the body of
// the response.
func ask(ctx context.Context, c *s3.Client, method, path, document string) ([]byte, error) {
	options := c.Options()
	r, err := http.NewRequestWithContext(ctx, method, *options.BaseEndpoint+path, strings.NewReader(document))
	if err != nil {
		return nil, err
	}
	key, err := options.Credentials.Retrieve(ctx)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(document))
	hash := hex.EncodeToString(sum[:])
	r.Header.Set("X-Amz-Content-Sha256", hash)
	if err := v4.NewSigner().SignHTTP(ctx, key, r, hash, "s3", options.Region, time.Now()); err != nil {
		return nil, err
	}
	response, err := options.HTTPClient.Do(r)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil || response.StatusCode == http.StatusOK {
		return body, err
	}
	failed := &smithy.GenericAPIError{}
	return nil, errors.Join(xml.Unmarshal(body, failed), failed)
}

// components is a document with lines of elements, one for each component.
func components(all ...string) string {
	return "<ComposeRequest><Component>" + strings.Join(all, "</Component><Component>") + "</Component></ComposeRequest>"
}

// TestXMLCompose composes objects of others, under conditions. After a failure, the object z is
// unchanged.
func TestXMLCompose(t *testing.T) {
	f := serve(t, gcs.Options{Options: pipeline.Options{MaxBodyBytes: 1 << 12}})
	key := f.account(t, "app", all("photos"))
	x, y := f.put(t, "photos", "x", "first", bearer(key)), f.put(t, "photos", "y%26z", "second", bearer(key))
	f.put(t, "photos", "large", strings.Repeat("x", 1<<11), bearer(key))
	now := time.Now().UTC()
	const one, two = "<Name>x</Name>", "<Name>y&amp;z</Name>"
	for _, tc := range []struct {
		name, document string
		headers        map[string]string
		want           int
		have           string // in the body of the response, or the new content
	}{
		{"Two", components(one, two), nil, 200, "firstsecond"},
		{"Twice", components(two, two), nil, 200, "secondsecond"},
		{"Itself", components("<Name>z</Name>", one), nil, 200, "zfirst"},
		{"Most", components(strings.Split(strings.Repeat(one+"|", 31)+two, "|")...), nil, 200, strings.Repeat("first", 31) + "second"},
		{"Generation", components(one+"<Generation>"+x+"</Generation>", two+"<Generation>"+y+"</Generation>"), nil, 200, "firstsecond"},
		{"Condition", components(one + "<IfGenerationMatch>" + x + "</IfGenerationMatch>"), nil, 200, "first"},
		{"Namespace", strings.Replace(components(one), ">", ` xmlns="http://doc.s3.amazonaws.com/2006-03-01">`, 1), nil, 200, "first"},
		{"Absent", components(one), map[string]string{"x-goog-if-generation-match": "0"}, 412, "PreconditionFailed"},
		{"OtherGeneration", components(one + "<Generation>" + y + "</Generation>"), nil, 404, "No such object: photos/x"},
		{"ConditionFails", components(two, one+"<IfGenerationMatch>"+y+"</IfGenerationMatch>"), nil, 412, "PreconditionFailed"},
		{"Missing", components(one, "<Name>nothing</Name>"), nil, 404, "No such object: photos/nothing"},
		{"NoName", components(one, ""), nil, 400, "The name of the object is missing"},
		{"NoNumber", components(one + "<Generation>latest</Generation>"), nil, 400, "A generation must be a number"},
		{"Nothing", "<ComposeRequest></ComposeRequest>", nil, 400, "1 to 32"},
		{"TooMany", components(strings.Split(strings.Repeat(one+"|", 32)+two, "|")...), nil, 400, "1 to 32"},
		{"TooLarge", components("<Name>large</Name>", "<Name>large</Name>", one), nil, 400, "EntityTooLarge"},
		{"OtherDocument", "<Delete></Delete>", nil, 400, "MalformedXML"},
		{"NoXML", "{}", nil, 400, "MalformedXML"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f.put(t, "photos", "z", "z", bearer(key))
			path := f.signedURL(key, "PUT", "/photos/z", now, map[string][]string{"compose": {""}}, tc.headers)
			status, _, body := f.do(t, request{method: "PUT", path: path, body: tc.document, header: headerOf(tc.headers)}, "")
			content := "z"
			if tc.want == ok {
				content = tc.have
			} else if !strings.Contains(string(body), tc.have) {
				t.Errorf("the answer is %s, without %q", body, tc.have)
			}
			if _, _, got := f.do(t, request{method: "GET", path: "/photos/z"}, bearer(key)); status != tc.want || string(got) != content {
				t.Errorf("%d %s, and the content is %q; want %d and %q", status, body, got, tc.want, content)
			}
		})
	}
}

// TestXMLComposed compares a composed object in both APIs.
func TestXMLComposed(t *testing.T) {
	f := serve(t, gcs.Options{})
	key := f.account(t, "app", all("photos"))
	f.put(t, "photos", "x", "con", bearer(key))
	f.put(t, "photos", "y", "tent", bearer(key))
	headers := map[string]string{
		"content-type": "text/x", "x-goog-meta-color": "red", "x-goog-storage-class": "NEARLINE", "x-goog-if-generation-match": "0",
	}
	query := map[string][]string{"compose": {""}}
	put := request{
		method: "PUT", path: f.signedURL(key, "PUT", "/photos/z", time.Now().UTC(), query, headers), header: headerOf(headers),
		body: components("<Name>x</Name>", "<Name>y</Name>"),
	}
	status, header, body := f.do(t, put, "")
	if status != ok || len(body) != 0 {
		t.Fatalf("compose: %d %s", status, body)
	}
	got := map[string]string{}
	for _, name := range []string{"X-Goog-Component-Count", "X-Goog-Hash", "X-Goog-Metageneration", "X-Goog-Stored-Content-Length"} {
		got[name] = header.Get(name)
	}
	want := map[string]string{
		"X-Goog-Component-Count": "2", "X-Goog-Hash": "crc32c=Ya91Mw==", "X-Goog-Metageneration": "1", "X-Goog-Stored-Content-Length": "7",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("headers: -want, +got:\n%s", diff)
	}
	again := components("<Name>z</Name>", "<Name>x</Name>")
	if _, err := ask(t.Context(), f.amazon(t, key), http.MethodPut, "/photos/more?compose=", again); err != nil {
		t.Errorf("compose with a composed object: %v", err)
	}
	composed := request{method: "POST", path: "/storage/v1/b/photos/o/json/compose", body: `{"sourceObjects":[{"name":"more"},{"name":"x"}]}`}
	if status, _, body := f.do(t, composed, bearer(key)); status != ok {
		t.Errorf("compose in the JSON API: %d %s", status, body)
	}
	type item struct {
		ContentType    string            `json:"contentType"`
		StorageClass   string            `json:"storageClass"`
		MD5Hash        string            `json:"md5Hash"`
		ComponentCount int               `json:"componentCount"`
		Metadata       map[string]string `json:"metadata"`
	}
	for name, want := range map[string]item{
		"z": {"text/x", "NEARLINE", "", 2, map[string]string{"color": "red"}}, "more": {"", "STANDARD", "", 3, nil},
		"json": {"", "STANDARD", "", 4, nil},
	} {
		_, _, body := f.do(t, request{method: "GET", path: "/storage/v1/b/photos/o/" + name}, bearer(key))
		var got item
		if err := json.Unmarshal(body, &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s in the JSON API: -want, +got:\n%s", name, diff)
		}
	}
}

// TestXMLPartCopy copies a part, which Google does not support: the error names the operation.
func TestXMLPartCopy(t *testing.T) {
	f := serve(t, gcs.Options{})
	c := f.amazon(t, f.account(t, "app", all("photos")))
	_, err := c.UploadPartCopy(t.Context(), &s3.UploadPartCopyInput{
		Bucket: aws.String("photos"), Key: aws.String("y"), CopySource: aws.String("photos/x"),
		UploadId: aws.String("u"), PartNumber: aws.Int32(1),
	})
	failed, isAPI := errors.AsType[smithy.APIError](err)
	if !isAPI || failed.ErrorCode() != "NotImplemented" || !strings.Contains(failed.ErrorMessage(), "UploadPartCopy") {
		t.Errorf("UploadPartCopy(): %v, want NotImplemented with the name", err)
	}
}
