package azure_test

import (
	"encoding/base64"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure"
)

// TestOtherSDKs sends requests as the Azure SDKs for Java and .NET do, for which these tests have no runtime: a small life
// of a blob with each. Their service versions are newer than any that the service knows.
//
//nolint:lll // one request a line
func TestOtherSDKs(t *testing.T) {
	block := func(text string) string {
		return "comp=block&blockid=" + strings.ReplaceAll(base64.StdEncoding.EncodeToString([]byte(text)), "=", "%3D")
	}
	list := func(elements ...string) string {
		text := `<?xml version="1.0" encoding="utf-8"?><BlockList>`
		for _, id := range elements {
			text += "<Latest>" + base64.StdEncoding.EncodeToString([]byte(id)) + "</Latest>"
		}
		return text + "</BlockList>"
	}
	const first, second = "8a5b3f8e-6f4e-4a5e-9a80-0c7b0b7c1f01", "1f0c7b0b-7c1f-4a5e-9a80-8a5b3f8e6f4e"
	for sdk, life := range map[string]struct {
		header []string
		steps  []sdkStep
	}{
		"Java": {
			[]string{"User-Agent: azsdk-java-azure-storage-blob/12.33.0 (17.0.15; Linux; 6.1)", "x-ms-version: 2026-02-06", "x-ms-return-client-request-id: true", "x-ms-client-request-id: 5f3e10", "Accept: application/xml"},
			[]sdkStep{
				{"PUT", "k 1", "", "content", []string{"x-ms-blob-type: BlockBlob", "Content-Type: application/octet-stream", "If-None-Match: *"}, 201, ""},
				{"GET", "k 1", "", "", []string{"x-ms-range: bytes=0-4194303"}, 206, "content"},
				{"PUT", "empty", "", "", []string{"x-ms-blob-type: BlockBlob", "Content-Type: application/octet-stream"}, 201, ""},
				{"GET", "empty", "", "", []string{"x-ms-range: bytes=0-4194303"}, 416, "InvalidRange"},
				{"PUT", "large", block(first), "one", []string{"Content-Type: application/octet-stream"}, 201, ""},
				{"PUT", "large", block(second), "two", []string{"Content-Type: application/octet-stream"}, 201, ""},
				{"PUT", "large", "comp=blocklist", list(first, second), []string{"Content-Type: application/xml; charset=utf-8", "x-ms-blob-content-type: text/plain"}, 201, ""},
				{"GET", "large", "", "", nil, 200, "onetwo"},
				{"GET", "", "restype=container&comp=list&prefix=&maxresults=5000&include=metadata%2Ctags", "", nil, 200, "<Name>k 1</Name>"},
				{"DELETE", "k 1", "", "", []string{"x-ms-delete-snapshots: include"}, 202, ""},
			},
		},
		".NET": {
			[]string{"User-Agent: azsdk-net-Storage.Blobs/12.27.0 (.NET 8.0.21; Debian)", "x-ms-version: 2026-02-06", "x-ms-return-client-request-id: true", "x-ms-client-request-id: 5f3e10", "traceparent: 00-8a5b3f8e6f4e4a5e9a800c7b0b7c1f01-1f0c7b0b7c1f4a5e-00", "Accept: application/xml"},
			[]sdkStep{
				{"PUT", "k 1", "", "content", []string{"x-ms-blob-type: BlockBlob", "Content-Type: application/octet-stream", "If-None-Match: *"}, 201, ""},
				{"PUT", "k 1", "", "content", []string{"x-ms-blob-type: BlockBlob", "Content-Type: application/octet-stream", "If-None-Match: *"}, 409, "BlobAlreadyExists"},
				{"GET", "k 1", "", "", []string{"x-ms-range: bytes=0-268435455"}, 206, "content"},
				{"PUT", "large", block(first), "one", []string{"Content-Type: application/octet-stream"}, 201, ""},
				{"PUT", "large", "comp=blocklist", list(first), []string{"Content-Type: application/xml"}, 201, ""},
				{"GET", "", "restype=container&comp=list&delimiter=%2F", "", nil, 200, "<Name>large</Name>"},
				{"HEAD", "large", "", "", nil, 200, ""},
				{"DELETE", "large", "", "", nil, 202, ""},
			},
		},
	} {
		t.Run(sdk, func(t *testing.T) {
			a := serve(t, azure.Options{}).access(t)
			for _, step := range life.steps {
				got := a.do(t, step.method, strings.ReplaceAll(step.blob, " ", "%20"), step.query, step.body, slices.Concat(life.header, step.header)...)
				if got.status != step.status || !strings.Contains(got.body, step.want) {
					t.Fatalf("%s %s?%s: %d %s, want %d and %s", step.method, step.blob, step.query, got.status, got.body, step.status, step.want)
				}
				if id := got.header.Get("x-ms-client-request-id"); id != "5f3e10" && got.status < http.StatusMultipleChoices {
					t.Errorf("%s %s: the client's request ID is %q", step.method, step.blob, id)
				}
			}
		})
	}
}

// sdkStep is a request of an SDK, with the status of its response, and a part of its body.
type sdkStep struct {
	method, blob, query, body string
	header                    []string
	status                    int
	want                      string
}
