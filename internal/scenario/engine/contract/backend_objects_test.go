package contract

import (
	"slices"
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/scenario/engine"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
)

var everyProtocol = []fakedriver.Protocol{fakedriver.ProtocolS3, fakedriver.ProtocolGCS, fakedriver.ProtocolAzure}

// emptied returns an observer that empties the scenario's buckets at a mark, past the seams, so
// that the journal does not show it.
func emptied(t *testing.T, emu *emulator.Emulator) outcome.Observer {
	t.Helper()
	return &atMark{do: func(string) {
		buckets, err := emu.Store().Buckets(t.Context())
		if err != nil {
			t.Error(err)
		}
		for _, b := range buckets {
			if err := emu.Store().EmptyBucket(t.Context(), b.Name); err != nil {
				t.Error(err)
			}
		}
	}}
}

// TestBackendObjects changes and compares the objects of a bucket of every protocol with the same
// steps. The journal, quotas, faults and the oracles treat the requests like an application's.
//
//nolint:lll // one case a line
func TestBackendObjects(t *testing.T) {
	t.Parallel()
	protocols := map[string]*strings.Replacer{
		"S3":    strings.NewReplacer("PUT", "PutObject", "DELETE", "DeleteObject", "LIST", "ListObjectsV2", "SERVICE", "store", "BUSY", "SlowDown", "DENIED", "AccessDenied"),
		"GCS":   strings.NewReplacer("PUT", "objects.insert", "DELETE", "objects.delete", "LIST", "objects.list", "SERVICE", "gcs", "BUSY", "SlowDown", "DENIED", "AccessDenied"),
		"Azure": strings.NewReplacer("PUT", "PutBlob", "DELETE", "DeleteBlob", "LIST", "ListBlobs", "SERVICE", "azure", "BUSY", "ServerBusy", "DENIED", "AuthorizationFailure"),
	}
	const quota = "classes: [{name: small, parameters: {quotaBytes: '4'}}]"
	tests := map[string]struct {
		reason, setup, steps string
		want                 outcome.Outcome
		messages             []string
		only                 []string
	}{
		"Changed": {
			reason: "What is in it, and what is changed.", want: outcome.Passed,
			steps: `
- backend: {objects: {"BUCKET": absent}}
- backend: {put: {bucket: "BUCKET", key: a, content: hello}}
- backend:
    put: {bucket: "BUCKET", key: "dir/../b c%2F+?&ä", content: ""}
    objects: {"BUCKET": {a: {size: 5}, "dir/../b c%2F+?&ä": {size: 0}, c: absent}}
- backend: {put: {bucket: "BUCKET", key: a, content: again!}, objects: {"BUCKET": {a: {size: 6}}}}
- backend: {deleteObject: {bucket: "BUCKET", key: a}, objects: {"BUCKET": {a: absent, "dir/../b c%2F+?&ä": present}}}
- calls:
    anyOrder: true
    events:
    - {seam: store, component: SERVICE, operation: PUT, subject: "BUCKET/*", outcome: OK, count: 3}
    - {seam: store, component: SERVICE, operation: DELETE, subject: "BUCKET/a", outcome: OK, count: 1}
    - {seam: store, component: SERVICE, operation: LIST, subject: "BUCKET", outcome: OK}
`,
		},
		"Missing": {
			reason: "There is nothing to delete.", want: outcome.Passed,
			steps: "- backend: {deleteObject: {bucket: \"BUCKET\", key: none}}\n",
		},
		"Other": {
			reason: "It is not there.", want: outcome.Failed, messages: []string{"contents of bucket"},
			steps: "- {timeout: 1s, backend: {objects: {\"BUCKET\": {a: present}}}}\n",
		},
		"NoAnswer": {
			reason: "It was not there, and the answer to the next look comes too late.", want: outcome.Failed, messages: []string{"contents of bucket"},
			steps: `
- inject: {name: slow, seam: store, component: SERVICE, operation: LIST, nth: 2, delay: 10m}
- {timeout: 3s, backend: {objects: {"BUCKET": {a: present}}}}
`,
		},
		"NoBucket": {
			reason: "There is none of that name.", want: outcome.Broken,
			messages: []string{"put object a in bucket none", `bucket "none" does not exist`},
			steps:    "- backend: {put: {bucket: none, key: a, content: b}}\n",
		},
		"Quota": {
			reason: "The bucket is full.", want: outcome.Broken, messages: []string{"put object b in bucket ", "QuotaExceeded"}, setup: quota,
			steps: "- backend: {put: {bucket: \"BUCKET\", key: a, content: four}}\n- backend: {put: {bucket: \"BUCKET\", key: b, content: f}}\n",
		},
		"Limit": {
			reason: "One put is allowed.", want: outcome.Broken, messages: []string{"setup.limits.puts (1)"}, setup: "limits: {puts: 1}",
			steps: "- backend: {put: {bucket: \"BUCKET\", key: a, content: a}}\n- backend: {put: {bucket: \"BUCKET\", key: b, content: a}}\n",
		},
		"Busy": {
			reason: "A client sends each request again.", want: outcome.Passed,
			steps: `
- inject: {name: busy, seam: store, component: SERVICE, times: 1, operation: PUT, fail: SlowDown}
- backend: {put: {bucket: "BUCKET", key: a, content: b}}
- inject: {name: closed, seam: store, component: SERVICE, times: 1, operation: DELETE, fail: SlowDown}
- backend: {deleteObject: {bucket: "BUCKET", key: a}, objects: {"BUCKET": absent}}
- calls:
    anyOrder: true
    events:
    - {seam: store, component: SERVICE, operation: PUT, outcome: BUSY, count: 1}
    - {seam: store, component: SERVICE, operation: PUT, outcome: OK, count: 1}
    - {seam: store, component: SERVICE, operation: DELETE, outcome: BUSY, count: 1}
    - {seam: store, component: SERVICE, operation: DELETE, outcome: OK, count: 1}
`,
		},
		"Rejected": {
			reason: "A fault rejects the request.", want: outcome.Broken, messages: []string{"delete object a in bucket", "DENIED"},
			steps: `
- inject: {name: rejected, seam: store, component: SERVICE, operation: DELETE, fail: AccessDenied}
- backend: {deleteObject: {bucket: "BUCKET", key: a}}
`,
		},
		"Lost": {
			reason: "It vanishes.", want: outcome.Failed, messages: []string{`has no object "a"`, "no request has deleted it"},
			steps: "- backend: {put: {bucket: \"BUCKET\", key: a, content: b}}\n- mark: lost\n",
		},
		"Versions": {
			reason: "The latest counts.", want: outcome.Passed, setup: "classes: [{name: versions, parameters: {versioning: enabled}}]",
			only: []string{"S3", "GCS"},
			steps: `
- backend: {put: {bucket: "BUCKET", key: a, content: one}}
- backend: {put: {bucket: "BUCKET", key: a, content: second}, objects: {"BUCKET": {a: {size: 6}}}}
- backend: {deleteObject: {bucket: "BUCKET", key: a}, objects: {"BUCKET": absent}}
- backend: {put: {bucket: "BUCKET", key: a, content: third}, objects: {"BUCKET": {a: {size: 5}}}}
`,
		},
		"Locked": {
			reason: "The delete marker hides it.", want: outcome.Passed, setup: "classes: [{name: locked, parameters: {objectLock: COMPLIANCE 1d}}]",
			only: []string{"S3"},
			steps: `
- backend: {put: {bucket: "BUCKET", key: a, content: one}, objects: {"BUCKET": {a: {size: 3}}}}
- backend: {deleteObject: {bucket: "BUCKET", key: a}, objects: {"BUCKET": absent}}
`,
		},
	}
	emu := emulatortest.Start(t, emulator.Options{Protocols: everyProtocol})
	e := engine.New(emu, engine.Options{Observer: emptied(t, emu)})
	for name, tc := range tests {
		for protocol, operations := range protocols {
			if tc.only != nil && !slices.Contains(tc.only, protocol) {
				continue
			}
			t.Run(name+protocol, func(t *testing.T) {
				const claimed = `steps:
- apply: {kind: BucketClaim, metadata: {name: photos}, spec: {bucketClassName: "${class}", protocols: [PROTOCOL]}}
- {expect: {BucketClaim/photos: {status: {readyToUse: true}}}, as: claim}
`
				steps := strings.ReplaceAll(operations.Replace(strings.TrimPrefix(tc.steps, "\n")), "BUCKET", "${claim.status.boundBucketName}")
				text := "setup: {" + tc.setup + "}\n" + strings.ReplaceAll(claimed, "PROTOCOL", protocol) + steps
				got := e.Run(t.Context(), parse(t, strings.TrimPrefix(text, "setup: {}\n")))
				explained := explain(got)
				if got.Outcome != tc.want {
					t.Errorf("%s\n%s, want %s\n%s", tc.reason, got.Outcome, tc.want, explained)
				}
				for _, message := range tc.messages {
					if message = operations.Replace(message); !strings.Contains(explained, message) {
						t.Errorf("%s\nno %q in\n%s", tc.reason, message, explained)
					}
				}
			})
		}
	}
}

// TestBackendObjectsTLS changes objects of services with a certificate authority of their own.
func TestBackendObjectsTLS(t *testing.T) {
	t.Parallel()
	e := engine.New(emulatortest.Start(t, emulator.Options{Protocols: everyProtocol, TLS: true}), engine.Options{})
	for _, protocol := range everyProtocol {
		steps := strings.ReplaceAll(`steps:
- apply: {kind: BucketClaim, metadata: {name: photos}, spec: {bucketClassName: "${class}", protocols: [PROTOCOL]}}
- {expect: {BucketClaim/photos: {status: {readyToUse: true}}}, as: claim}
- backend: {put: {bucket: "${claim.status.boundBucketName}", key: a, content: one}}
- backend: {objects: {"${claim.status.boundBucketName}": {a: {size: 3}}}}
- backend: {deleteObject: {bucket: "${claim.status.boundBucketName}", key: a}}
- backend: {objects: {"${claim.status.boundBucketName}": absent}}
`, "PROTOCOL", protocol.String())
		if got := e.Run(t.Context(), parse(t, steps)); got.Outcome != outcome.Passed {
			t.Errorf("%s: %s\n%s", protocol, got.Outcome, explain(got))
		}
	}
}
