package report

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/client"
	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/secret"
)

func TestReplace(t *testing.T) {
	tests := map[string]struct {
		reason   string
		document string
		want     string
		fails    bool
	}{
		"Replaced": {
			reason:   "What stood there goes, and what stands around stays.",
			document: "# S3\n\n" + begin + "\nold\n" + end + "\n\n## More\n",
			want:     "# S3\n\n" + begin + "\n\nnew\n\n" + end + "\n\n## More\n",
		},
		"NoBegin": {reason: "The place of the table is unknown.", document: "# S3\n" + end + "\n", fails: true},
		"NoEnd":   {reason: "The rest of the document would go.", document: begin + "\nold\n", fails: true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := replace(tc.document, "new\n")
			if (err != nil) != tc.fails {
				t.Fatalf("%s\nreplace(): error %v", tc.reason, err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n(-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestClean(t *testing.T) {
	target := client.Target{Other: "bucket-2", Dir: "/tmp/x", Secret: secret.Secret{
		"BUCKET_NAME": "bucket-1", "AWS_ENDPOINT_URL": "http://127.0.0.1:4711",
		"AWS_ACCESS_KEY_ID": "AKID", "AWS_SECRET_ACCESS_KEY": "top|secret",
	}}
	tests := map[string]struct{ reason, text, want string }{
		"Secret":    {"It must not get into the documentation.", "signed with top|secret", "`signed with SECRET`"},
		"Addresses": {"They differ from run to run.", "GET http://127.0.0.1:4711/bucket-1/k for AKID", "`GET http://HOST/BUCKET/k for KEY`"},
		"Buckets":   {"As above.", "bucket-2 not bucket-1 in /tmp/x/f", "`OTHER not BUCKET in DIR/f`"},
		"Requests":  {"As above.", "S3: PutObject, RequestID: 12, HostID: 12, api error", "`S3: PutObject api error`"},
		"Markdown":  {"It is in a list, in backticks.", "a `b`\n| c", "`a 'b' / c`"},
		"Long":      {"A footnote is not a log.", strings.Repeat("x", longest+1), "`" + strings.Repeat("x", longest) + "…`"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := Clean(errors.New(tc.text), target); got != tc.want {
				t.Errorf("%s\nClean() = %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}
