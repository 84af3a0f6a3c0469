package operations

import (
	"net/http"
	"slices"
	"sync"

	"github.com/cosi-emu/cosi-emu/internal/fakedriver/azure"
	"github.com/cosi-emu/cosi-emu/internal/fakedriver/gcs"
	"github.com/cosi-emu/cosi-emu/internal/fakedriver/s3"
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

// Operations of S3, GCS and Azure that store an object when they succeed, and those that may
// delete objects. The subject of the first ones names the object, unless the name is in the
// body of the request.
var (
	stores = []string{
		"PutObject", "CopyObject", "CompleteMultipartUpload",
		"objects.insert", "objects.copy", "objects.rewrite", "objects.compose", "multipartUploads.complete",
		"PutBlob", "PutBlobFromURL", "PutBlockList", "CopyBlob", "CopyBlobFromURL",
	}
	deletes = []string{"DeleteObject", "DeleteObjects", "objects.delete", "DeleteBlob", AdminEmptyBucket}
)

// Stores reports whether an operation at the store seam that succeeds has stored the object of
// its subject.
func Stores(name string) bool { return slices.Contains(stores, name) }

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
