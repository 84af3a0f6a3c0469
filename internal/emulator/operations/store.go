package operations

import (
	"net/http"
	"slices"
	"sync"

	"github.com/cosi-emu/cosi-emu/internal/fakedriver/azure"
	"github.com/cosi-emu/cosi-emu/internal/fakedriver/gcs"
	"github.com/cosi-emu/cosi-emu/internal/fakedriver/s3"
)

// The driver's own calls to its store.
const (
	AdminCreateBucket  = "AdminCreateBucket"
	AdminGetBucket     = "AdminGetBucket"
	AdminDeleteBucket  = "AdminDeleteBucket"
	AdminPutAccount    = "AdminPutAccount"
	AdminRotateAccount = "AdminRotateAccount"
	AdminDeleteAccount = "AdminDeleteAccount"
)

// adminCalls are all of the driver's own calls.
var adminCalls = []string{AdminCreateBucket, AdminGetBucket, AdminDeleteBucket, AdminPutAccount, AdminRotateAccount, AdminDeleteAccount}

// unknown are the names of requests that the data planes do not know: their methods.
var unknown = []string{
	http.MethodGet, http.MethodHead, http.MethodPut, http.MethodPost, http.MethodPatch, http.MethodDelete, http.MethodOptions,
}

var storeNames = sync.OnceValue(func() []string {
	return slices.Concat(adminCalls, s3.Operations(), gcs.Operations(), azure.Operations(), unknown)
})
