package protocol_test

import (
	"encoding/xml"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/test/s3test"
)

// listed is the tested part of the documents of listings.
type listed struct {
	EncodingType   string         `xml:"EncodingType"`
	IsTruncated    bool           `xml:"IsTruncated"`
	Prefix         string         `xml:"Prefix"`
	Delimiter      string         `xml:"Delimiter"`
	Contents       []listedKey    `xml:"Contents"`
	Version        []listedKey    `xml:"Version"`
	Upload         []listedKey    `xml:"Upload"`
	CommonPrefixes []listedPrefix `xml:"CommonPrefixes"`
}

type listedPrefix struct {
	Prefix string `xml:"Prefix"`
}

type listedKey struct {
	Key string `xml:"Key"`
}

func listWith(a *s3test.App, query string) listed {
	a.Helper()
	got := a.Raw("GET", "?"+query, "")
	var document listed
	err := xml.Unmarshal([]byte(got.Body), &document)
	if err != nil || got.Status != http.StatusOK || got.Header.Get("Content-Type") != "application/xml" {
		a.Fatalf("?%s answered %d: %v\n%s", query, got.Status, err, got.Body)
	}
	return document
}

func TestListArguments(t *testing.T) {
	a := s3test.NewApp(t)
	for _, key := range []string{"a", "b", "c/1", "c/2", "d"} {
		a.Put(key, "")
	}
	tests := map[string]struct {
		reason, query string
		want          string
		truncated     bool
	}{
		"All":         {"No argument.", "", "a b c/1 c/2 d", false},
		"Zero":        {"Nothing was asked for, and there is no more to get.", "max-keys=0", "", false},
		"Two":         {"The first.", "max-keys=2", "a b", true},
		"Marker":      {"What follows it.", "marker=b", "c/1 c/2 d", false},
		"StartAfter":  {"It need not be a key.", "list-type=2&start-after=bb", "c/1 c/2 d", false},
		"InGroup":     {"The rest of a group is a group.", "list-type=2&start-after=c/1&delimiter=/", "d c/", false},
		"AfterGroup":  {"A group that has been listed.", "marker=c/&delimiter=/", "d", false},
		"Prefix":      {"In a group.", "prefix=c/&delimiter=/", "c/1 c/2", false},
		"PrefixIsKey": {"A prefix may end anywhere.", "prefix=c", "c/1 c/2", false},
		"NoPrefix":    {"Nothing begins with it.", "prefix=x&list-type=2", "", false},
		"ByPrefix":    {"A marker in front of the prefix.", "prefix=d&marker=a", "d", false},
		"BehindIt":    {"A marker behind the prefix.", "prefix=a&marker=b", "", false},
		"Delimiter":   {"Any text.", "delimiter=/1", "a b c/2 d c/1", false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := listWith(a.In(t), tc.query)
			var all []string
			for _, o := range got.Contents {
				all = append(all, o.Key)
			}
			for _, p := range got.CommonPrefixes {
				all = append(all, p.Prefix)
			}
			if diff := cmp.Diff(tc.want, strings.Join(all, " ")); diff != "" || got.IsTruncated != tc.truncated {
				t.Errorf("%s\n?%s, truncated: %t: -want, +got:\n%s", tc.reason, tc.query, got.IsTruncated, diff)
			}
		})
	}
}

func TestListRejected(t *testing.T) {
	a := s3test.NewApp(t)
	for query, reason := range map[string]string{
		"max-keys=-1":                       "a negative number",
		"max-keys=many":                     "no number",
		"max-keys=99999999999":              "too great a number",
		"encoding-type=base64":              "no such encoding",
		"list-type=2&continuation-token=/?": "a token that is none",
		"versions&version-id-marker=x":      "a version of no key",
		"uploads&max-uploads=x":             "no number",
	} {
		if got := a.Raw("GET", "?"+query, ""); got.Status != 400 || s3test.Code(t, got.Body) != "InvalidArgument" {
			t.Errorf("%s: ?%s answered %d: %s", reason, query, got.Status, got.Body)
		}
	}
}

// TestListEncoded lists a key that XML cannot contain, in all listings.
func TestListEncoded(t *testing.T) {
	a := s3test.NewApp(t, s3test.Versioned)
	const key = "dir\x01\x1f/a b+c%ü\n\t\"&<>'/\x7f"
	a.Put(key, "content")
	_, err := a.S3.CreateMultipartUpload(t.Context(), &s3.CreateMultipartUploadInput{Bucket: a.Bucket, Key: aws.String(key)})
	a.Must(err)
	decode := func(text string) string {
		decoded, err := url.QueryUnescape(text)
		a.Must(err)
		return decoded
	}
	for query, keys := range map[string]func(listed) []listedKey{
		"":            func(l listed) []listedKey { return l.Contents },
		"list-type=2": func(l listed) []listedKey { return l.Contents },
		"versions":    func(l listed) []listedKey { return l.Version },
		"uploads":     func(l listed) []listedKey { return l.Upload },
	} {
		got := listWith(a, "encoding-type=url&"+query)
		if found := keys(got); len(found) != 1 || decode(found[0].Key) != key || got.EncodingType != "url" {
			t.Errorf("?%s lists %+v", query, got)
		}
		got = listWith(a, "encoding-type=url&delimiter=%2F&prefix=dir%01&"+query)
		if len(got.CommonPrefixes) != 1 || decode(got.CommonPrefixes[0].Prefix) != "dir\x01\x1f/" ||
			decode(got.Prefix) != "dir\x01" || decode(got.Delimiter) != "/" {
			t.Errorf("?%s with a delimiter lists %+v", query, got)
		}
	}
	if content, _ := a.Read(key, ""); content != "content" {
		t.Errorf("the object is %q", content)
	}
}

// TestListedObjects compares the objects of a listing with HEAD.
func TestListedObjects(t *testing.T) {
	a := s3test.NewApp(t)
	a.Put("k", "content")
	out, err := a.S3.ListObjectsV2(t.Context(), &s3.ListObjectsV2Input{Bucket: a.Bucket, FetchOwner: aws.Bool(true)})
	a.Must(err)
	head, object := a.Head("k", ""), out.Contents[0]
	if *object.ETag != *head.ETag || *object.Size != *head.ContentLength || object.StorageClass != "STANDARD" || object.Owner == nil ||
		object.LastModified.Unix() != head.LastModified.Unix() || len(object.ChecksumAlgorithm) != 1 || object.ChecksumType != head.ChecksumType {
		t.Errorf("listed as %+v, and HEAD says %+v", object, head)
	}
}
