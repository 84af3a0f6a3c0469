package operations

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3"
)

// The driver's own calls to its store, and those of the emulator.
const (
	AdminCreateBucket  = "AdminCreateBucket"
	AdminGetBucket     = "AdminGetBucket"
	AdminDeleteBucket  = "AdminDeleteBucket"
	AdminPutAccount    = "AdminPutAccount"
	AdminRotateAccount = "AdminRotateAccount"
	AdminDeleteAccount = "AdminDeleteAccount"
	// AdminEmptyBucket is how a clean-up deletes the contents of a bucket.
	AdminEmptyBucket = "AdminEmptyBucket"
)

// adminCalls are all of them.
var adminCalls = []string{
	AdminCreateBucket, AdminGetBucket, AdminDeleteBucket, AdminPutAccount, AdminRotateAccount, AdminDeleteAccount, AdminEmptyBucket,
}

// Operations of S3, GCS and Azure by what they do to objects.
var (
	// stores are those that store the object of their subject when they succeed. An append
	// succeeds only if the object exists.
	stores = []string{
		"PutObject", "CopyObject", "CompleteMultipartUpload",
		"objects.insert", "objects.copy", "objects.rewrite", "objects.compose", "multipartUploads.complete",
		"PutBlob", "PutBlobFromURL", "PutBlockList", "CopyBlob", "CopyBlobFromURL", "AppendBlock", "AppendBlockFromURL",
	}
	// storesOther are those that may store an object whose name only the body of the request has, or
	// that may succeed without storing one. The event's response says which they have stored.
	storesOther = []string{"PostObject", "objects.insert", "objects.insert resumable"}
	// deletes are those that may delete objects.
	deletes = []string{"DeleteObject", "DeleteObjects", "objects.delete", "DeleteBlob", AdminEmptyBucket}
)

// Response is the response of an event of a client at the store seam.
type Response struct {
	// Status is that of HTTP, and Bytes the size of the body.
	Status int   `json:"status"`
	Bytes  int64 `json:"bytes"`
	// Stored is the key of the object that the request has stored, for operations that StoresOther
	// reports; empty if it has stored none.
	Stored string `json:"stored,omitempty"`
}

// Stores reports whether an operation at the store seam that succeeds has stored the object of
// its subject.
func Stores(name string) bool { return slices.Contains(stores, name) }

// StoresOther reports whether only the response of an operation at the store seam says which object it has
// stored, and whether it has stored one.
func StoresOther(name string) bool { return slices.Contains(storesOther, name) }

// Stored returns the key of the object that an event at the store seam has stored. It is empty
// if there is none, or it is not known.
func Stored(e journal.Event) string {
	if e.Failed() {
		return ""
	}
	var response Response
	if StoresOther(e.Operation.Name) && json.Unmarshal(e.Response, &response) == nil && response.Stored != "" {
		return response.Stored
	}
	if !Stores(e.Operation.Name) {
		return ""
	}
	_, key, _ := strings.Cut(e.Operation.Subject, "/")
	return key
}

// Deletes reports whether an operation at the store seam may delete the object of its subject,
// or all objects of a bucket.
func Deletes(name string) bool { return slices.Contains(deletes, name) }

// unknown are the names of requests that the data planes do not know: their methods.
var unknown = []string{
	http.MethodGet, http.MethodHead, http.MethodPut, http.MethodPost, http.MethodPatch, http.MethodDelete, http.MethodOptions,
}

var storeNames = sync.OnceValue(func() []string {
	return slices.Concat(adminCalls, s3.Operations(), gcs.Operations(), azure.Operations(), unknown)
})
