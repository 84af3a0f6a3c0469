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

// The driver's own calls to its store, and the emulator's.
const (
	AdminCreateBucket  = "AdminCreateBucket"
	AdminGetBucket     = "AdminGetBucket"
	AdminDeleteBucket  = "AdminDeleteBucket"
	AdminPutAccount    = "AdminPutAccount"
	AdminRotateAccount = "AdminRotateAccount"
	AdminDeleteAccount = "AdminDeleteAccount"
	// AdminEmptyBucket is the call of a clean-up that deletes the contents of a bucket.
	AdminEmptyBucket = "AdminEmptyBucket"
)

// adminCalls are all of them.
var adminCalls = []string{
	AdminCreateBucket, AdminGetBucket, AdminDeleteBucket, AdminPutAccount, AdminRotateAccount, AdminDeleteAccount, AdminEmptyBucket,
}

// Operations of S3, GCS and Azure by their effect on objects.
var (
	// stores always store the object of their subject when they succeed. An append and a write of pages
	// succeed only if the object exists.
	stores = []string{
		"PutObject", "CopyObject", "CompleteMultipartUpload",
		"objects.insert", "objects.copy", "objects.rewrite", "objects.move", "objects.compose", "multipartUploads.complete",
		"PutBlob", "PutBlobFromURL", "PutBlockList", "CopyBlob", "CopyBlobFromURL", "AppendBlock", "AppendBlockFromURL",
		"PutPage", "PutPageFromURL",
	}
	// storesOther may store an object whose name only the body of the request has, or may succeed
	// without storing one. The event's response has the name.
	storesOther = []string{"PostObject", "objects.insert", "objects.insert resumable"}
	deletes     = []string{"DeleteObject", "DeleteObjects", "objects.delete", "DeleteBlob", AdminEmptyBucket}
	// deletesOthers may delete other objects of the bucket than their subject: the source of a move,
	// and the sources of a composition.
	deletesOthers = []string{"objects.move", "objects.compose"}
)

// Response is the response in an event of a client at the store seam.
type Response struct {
	// Status is the HTTP status, and Bytes the size of the body.
	Status int   `json:"status"`
	Bytes  int64 `json:"bytes"`
	// Stored is the key of the object that the request has stored, for operations that StoresOther
	// reports; empty for none.
	Stored string `json:"stored,omitempty"`
}

// Stores reports whether a successful operation at the store seam has stored the object of its
// subject.
func Stores(name string) bool { return slices.Contains(stores, name) }

// StoresOther reports whether only the response of an operation at the store seam has the name of
// the stored object, if any.
func StoresOther(name string) bool { return slices.Contains(storesOther, name) }

// Stored returns the key of the object that an event at the store seam has stored. It is empty for
// none, or if it is unknown.
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

// DeletesOthers reports whether an operation at the store seam may delete objects of the bucket that
// its subject does not name.
func DeletesOthers(name string) bool { return slices.Contains(deletesOthers, name) }

// unknown are the names of requests that the data planes do not know: their HTTP methods.
var unknown = []string{
	http.MethodGet, http.MethodHead, http.MethodPut, http.MethodPost, http.MethodPatch, http.MethodDelete, http.MethodOptions,
}

var storeNames = sync.OnceValue(func() []string {
	return slices.Concat(adminCalls, s3.Operations(), gcs.Operations(), azure.Operations(), unknown)
})
