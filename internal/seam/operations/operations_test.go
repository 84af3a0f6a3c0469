package operations_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/seam/operations"
)

// TestPage: docs/operations.md is generated, and has all operations.
func TestPage(t *testing.T) {
	var page strings.Builder
	if err := operations.WritePage(&page); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile("../../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(file), page.String()); diff != "" {
		t.Errorf("run 'go generate ./internal/seam/operations'; -docs/operations.md, +generated:\n%s", diff)
	}
	for _, seam := range []journal.Seam{journal.SeamAPI, journal.SeamRPC, journal.SeamStore, journal.SeamProcess} {
		for _, name := range operations.Names(seam) {
			if !strings.Contains(page.String(), "`"+name+"`") {
				t.Errorf("the page does not have %q at seam %s", name, seam)
			}
		}
	}
}

func TestLooksRight(t *testing.T) {
	for _, tc := range []struct {
		seam          journal.Seam
		name, subject string
		want          bool
	}{
		{journal.SeamAPI, "get bucketclaims", "demo/photos", true},
		{journal.SeamAPI, "get bucketclaims", "photos", false},
		{journal.SeamAPI, "get bucketclaims", "", false},
		{journal.SeamAPI, "patch buckets/status", "photos", true},
		{journal.SeamAPI, "watch leases", "", true},
		{journal.SeamAPI, "watch leases", "system/leader", true}, // selected by its name
		{journal.SeamAPI, "watch leases", "leader", false},
		{journal.SeamAPI, "list buckets", "photos", true},
		{journal.SeamRPC, "DriverGetInfo", "", true},
		{journal.SeamRPC, "DriverGetInfo", "photos", false},
		{journal.SeamProcess, "start", "", true},
	} {
		if got := operations.LooksRight(tc.seam, tc.name, tc.subject); got != tc.want {
			t.Errorf("LooksRight(%s, %q, %q) = %v, want %v", tc.seam, tc.name, tc.subject, got, tc.want)
		}
	}
}

func TestCheck(t *testing.T) {
	for name, tc := range map[string]struct {
		reason  string
		seam    journal.Seam
		pattern string
		want    string
	}{
		"Request":     {reason: "A verb and a resource of COSI.", seam: "api", pattern: "patch buckets"},
		"Status":      {reason: "Buckets have a status.", seam: "api", pattern: "patch buckets/status"},
		"Core":        {reason: "A resource of Kubernetes.", seam: "api", pattern: "create secrets"},
		"Lease":       {reason: "Components have Leases.", seam: "api", pattern: "update leases"},
		"Namespaces":  {reason: "A built-in kind has a status.", seam: "api", pattern: "patch namespaces/status"},
		"Watch":       {reason: "What a watch tells of.", seam: "api", pattern: "event buckets"},
		"AnyResource": {reason: "The pattern matches some.", seam: "api", pattern: "patch *"},
		"AnyVerb":     {reason: "The pattern matches some.", seam: "api", pattern: "* bucketclaims*"},
		"All":         {reason: "The empty pattern matches all.", seam: "api", pattern: ""},
		"Path":        {reason: "Discovery is not about a resource.", seam: "api", pattern: "get /version"},
		"Method":      {reason: "A method of the protocol.", seam: "rpc", pattern: "DriverCreateBucket"},
		"Methods":     {reason: "The pattern matches some.", seam: "rpc", pattern: "Driver*BucketAccess*"},
		"S3":          {reason: "An operation of S3.", seam: "store", pattern: "PutObject"},
		"STS":         {reason: "The store answers it, too.", seam: "store", pattern: "AssumeRoleWithWebIdentity"},
		"GCS":         {reason: "An operation of GCS.", seam: "store", pattern: "objects.insert"},
		"Admin":       {reason: "A call of the driver's own.", seam: "store", pattern: "AdminCreateBucket"},
		"Unknown":     {reason: "A request that the store does not know.", seam: "store", pattern: "POST"},
		"Start":       {reason: "A step in a component's life.", seam: "process", pattern: "start"},
		"Lost":        {reason: "A step with a space in it.", seam: "process", pattern: "lose lease"},
		"Log":         {reason: "What components log is not an operation.", seam: "log", pattern: "info"},

		"MisspeltResource": {
			reason: "A letter is missing.", seam: "api", pattern: "patch bucket",
			want: `unknown operation "patch bucket" at seam api: did you mean "patch buckets"?`,
		},
		"MisspeltSubresource": {
			reason: "A letter is too many.", seam: "api", pattern: "update buckets/statuss",
			want: `unknown operation "update buckets/statuss" at seam api: did you mean "update buckets/status"?`,
		},
		"NoSubresource": {
			reason: "A class has no status.", seam: "api", pattern: "patch bucketclasses/status",
			want: `unknown operation "patch bucketclasses/status" at seam api: operations are "<verb> <resource>"; ` +
				`the resources of COSI are bucketaccessclasses, bucketaccesses, bucketaccesses/status, ` +
				`bucketclaims, bucketclaims/status, bucketclasses, buckets, buckets/status`,
		},
		"NoCreation": {
			reason: "A status is not created.", seam: "api", pattern: "create buckets/status",
			want: `unknown operation "create buckets/status" at seam api: the verbs of buckets/status are get, update, patch`,
		},
		"MisspeltVerb": {
			reason: "Two letters are swapped.", seam: "api", pattern: "ptach *",
			want: `the pattern "ptach *" matches no operation at seam api: the verb "ptach": did you mean "patch"?`,
		},
		"OtherVerb": {
			reason: "The verb of another API.", seam: "api", pattern: "upsert *",
			want: `the pattern "upsert *" matches no operation at seam api: ` +
				`the verb "upsert": it can be get, list, watch, create, update, patch, delete, deletecollection, write, event`,
		},
		"MisspeltPattern": {
			reason: "The resource is misspelt.", seam: "api", pattern: "* bucketclaim",
			want: `the pattern "* bucketclaim" matches no operation at seam api: did you mean "* bucketclaims"?`,
		},
		"NoResource": {
			reason: "Nothing is like it.", seam: "api", pattern: "patch photographs",
			want: `unknown operation "patch photographs" at seam api: operations are "<verb> <resource>"; ` +
				`the resources of COSI are bucketaccessclasses, bucketaccesses, bucketaccesses/status, ` +
				`bucketclaims, bucketclaims/status, bucketclasses, buckets, buckets/status`,
		},
		"MisspeltMethod": {
			reason: "A letter is too many.", seam: "rpc", pattern: "DriverCreateBuckets",
			want: `unknown operation "DriverCreateBuckets" at seam rpc: did you mean "DriverCreateBucket"?`,
		},
		"MisspeltMethods": {
			reason: "The pattern matches none.", seam: "rpc", pattern: "Drivr*",
			want: `the pattern "Drivr*" matches no operation at seam rpc: they are DriverCreateBucket, DriverDeleteBucket, ` +
				`DriverGenerateBucketAccessId, DriverGenerateBucketId, DriverGetBucket, ` +
				`DriverGetExistingBucket, DriverGetInfo, DriverGrantBucketAccess, DriverRevokeBucketAccess`,
		},
		"MisspeltS3": {
			reason: "A letter is missing.", seam: "store", pattern: "PutObjct",
			want: `unknown operation "PutObjct" at seam store: did you mean "PutObject"?`,
		},
		"NoS3": {
			reason: "Nothing is like it.", seam: "store", pattern: "Rename*",
			want: `the pattern "Rename*" matches no operation at seam store: they are the operations of S3, GCS and Azure, ` +
				`such as PutObject, objects.insert or PutBlob, ` +
				`and the driver's own calls AdminCreateBucket, AdminGetBucket, AdminDeleteBucket, ` +
				`AdminPutAccount, AdminRotateAccount, AdminDeleteAccount, AdminEmptyBucket`,
		},
		"OtherSeam": {
			reason: "The name is right, and the seam is not.", seam: "store", pattern: "DriverCreateBucket",
			want: `unknown operation "DriverCreateBucket" at seam store: that is an operation of seam rpc`,
		},
		"OtherSeamOfPattern": {
			reason: "So it is with a pattern.", seam: "rpc", pattern: "patch bucket*",
			want: `unknown operation "patch bucket*" at seam rpc: that is an operation of seam api`,
		},
		"OtherSeamOfMethod": {
			reason: "A store has no methods of drivers.", seam: "api", pattern: "PutObject",
			want: `unknown operation "PutObject" at seam api: that is an operation of seam store`,
		},
		"NoStep": {
			reason: "It has another name.", seam: "process", pattern: "restart",
			want: `unknown operation "restart" at seam process: did you mean "start"?`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := ""
			if err := operations.Check(tc.seam, tc.pattern); err != nil {
				got = err.Error()
			}
			if got != tc.want {
				t.Errorf("%s\nCheck(%s, %q):\n%s\nwant:\n%s", tc.reason, tc.seam, tc.pattern, got, tc.want)
			}
		})
	}
}

// TestNames detects empty lists, with which Check would accept everything.
func TestNames(t *testing.T) {
	for seam, some := range map[journal.Seam][]string{
		journal.SeamAPI:     {"patch buckets/status", "event secrets", "deletecollection pods"},
		journal.SeamRPC:     {"DriverGetInfo"},
		journal.SeamStore:   {"GetObject", "objects.get media", operations.AdminRotateAccount},
		journal.SeamProcess: {journal.StepCrash},
	} {
		names := operations.Names(seam)
		for _, name := range some {
			if !slices.Contains(names, name) {
				t.Errorf("seam %s has no %q, but %q", seam, name, names)
			}
		}
		if len(names) != len(slices.Compact(slices.Sorted(slices.Values(names)))) {
			t.Errorf("seam %s has an operation twice", seam)
		}
	}
}

// TestEffects: the names that the oracles use exist.
func TestEffects(t *testing.T) {
	var stores, deletes, others []string
	for _, name := range operations.Names(journal.SeamStore) {
		if operations.Stores(name) {
			stores = append(stores, name)
		}
		if operations.Deletes(name) {
			deletes = append(deletes, name)
		}
		if operations.DeletesOthers(name) {
			others = append(others, name)
		}
	}
	slices.Sort(stores)
	slices.Sort(deletes)
	slices.Sort(others)
	want := [][]string{
		{
			"AppendBlock", "AppendBlockFromURL",
			"CompleteMultipartUpload", "CopyBlob", "CopyBlobFromURL", "CopyObject", "PutBlob", "PutBlobFromURL", "PutBlockList", "PutObject",
			"PutPage", "PutPageFromURL",
			"multipartUploads.complete", "objects.compose", "objects.copy", "objects.insert", "objects.move", "objects.rewrite",
		},
		{"AdminEmptyBucket", "DeleteBlob", "DeleteObject", "DeleteObjects", "objects.delete"},
		{"objects.compose", "objects.move"},
	}
	if diff := cmp.Diff(want, [][]string{stores, deletes, others}); diff != "" {
		t.Errorf("operations that store, and that delete (-want, +got):\n%s", diff)
	}
}

// TestStored: an event has the object that it has stored, in its subject or its response.
func TestStored(t *testing.T) {
	for name, tc := range map[string]struct {
		operation, subject, response, outcome, want string
	}{
		"Subject":  {"PutBlob", "photos/a/b", `{"status":201,"bytes":0}`, "OK", "a/b"},
		"Response": {"objects.insert", "photos", `{"status":200,"bytes":9,"stored":"a/b"}`, "OK", "a/b"},
		"Form":     {"PostObject", "photos", `{"status":204,"bytes":0,"stored":"a"}`, "OK", "a"},
		"Old":      {"objects.insert", "photos/a", ``, "OK", "a"}, // recorded by an earlier version
		"Unknown":  {"objects.insert", "photos", `{"status":200,"bytes":9}`, "OK", ""},
		"Rejected": {"objects.insert", "photos", `{"status":412,"bytes":9,"stored":"a"}`, "PreconditionFailed", ""},
		"Session":  {"objects.insert resumable", "photos/a", `{"status":200,"bytes":0}`, "OK", ""},
		"Last":     {"objects.insert resumable", "photos/a", `{"status":200,"bytes":9,"stored":"a"}`, "OK", "a"},
		"Read":     {"GetBlob", "photos/a", `{"status":200,"bytes":1}`, "OK", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := operations.Stored(journal.Event{
				Seam: journal.SeamStore, Operation: journal.Operation{Name: tc.operation, Subject: tc.subject},
				Response: []byte(tc.response), Outcome: tc.outcome,
			})
			if got != tc.want {
				t.Errorf("Stored() = %q, want %q", got, tc.want)
			}
		})
	}
}

// TestImplied: an operation names its seam, unless it is misspelt or one of several.
func TestImplied(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]string{
		"DriverCreateBucket":  "rpc",
		"patch buckets":       "api",
		"PutObject":           "store",
		"DriverCreateBuckets": `unknown operation "DriverCreateBuckets": did you mean "DriverCreateBucket" of seam rpc?`,
		"*":                   `the operation "*" is one of several seams: name the seam, which is api, rpc, store or process`,
		"frobnicate":          `unknown operation "frobnicate": name the seam for a list of its operations, which is api, rpc, store or process`,
	} {
		seam, err := operations.Implied(pattern)
		got := string(seam)
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %s, want %s", pattern, got, want)
		}
	}
}
