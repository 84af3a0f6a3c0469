package azure_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/bloberror"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/lease"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// repeated are the errors of Azure for a request whose first response was lost. All other operations
// can be repeated.
var repeated = map[string][]bloberror.Code{
	"PutBlob":            {bloberror.BlobAlreadyExists, bloberror.ConditionNotMet}, // with a condition
	"AppendBlock":        {bloberror.AppendPositionConditionNotMet},
	"AppendBlockFromURL": {bloberror.AppendPositionConditionNotMet},
	"DeleteBlob":         {bloberror.BlobNotFound},
	"BlobBatch":          {bloberror.BlobNotFound},                      // of a deletion
	"LeaseBlob":          {bloberror.LeaseIDMismatchWithLeaseOperation}, // of a release
}

// TestLostResponses loses the response to each request of a client in turn. The client repeats it, and
// ends with success or with the error of Azure.
func TestLostResponses(t *testing.T) {
	az := start(t, false)
	az.access(az.claim("photos"), "app", v1alpha2.BucketAccessModeReadWrite)
	c := az.openWith("app", azcore.ClientOptions{Retry: policy.RetryOptions{RetryDelay: time.Millisecond}})
	mark := az.emu.Journal().Mark()
	az.Must(use(t.Context(), c))
	requests := len(az.requests(mark))
	if requests < 50 {
		t.Fatalf("the client sends %d requests", requests)
	}
	failed := map[string]bool{}
	for n := range requests {
		mark := az.emu.Journal().Mark()
		az.Must(az.emu.Faults().Add(fault.Fault{
			Name:   "lost",
			Match:  fault.Match{Seam: journal.SeamStore, Component: emulator.ComponentAzure, Nth: n + 1},
			Effect: fault.Effect{LoseReply: "reset"},
		}))
		err := use(t.Context(), c)
		az.Must(az.emu.Faults().Remove("lost"))
		lost := slices.IndexFunc(az.requests(mark), func(e journal.Event) bool { return e.Fault == "lost" })
		if lost < 0 {
			t.Fatalf("no response was lost for request %d", n+1)
		}
		operation := az.requests(mark)[lost].Operation.Name
		switch {
		case err == nil:
		case bloberror.HasCode(err, repeated[operation]...):
			failed[operation] = true
		default:
			t.Errorf("request %d, %s: %v", n+1, operation, err)
		}
		az.Must(clean(t.Context(), az.open("app")))
	}
	if len(failed) != len(repeated) {
		t.Errorf("of the operations that cannot be repeated, these have failed: %v", failed)
	}
}

// requests returns the requests to the service since a mark.
func (a *azureCluster) requests(mark uint64) []journal.Event {
	return slices.DeleteFunc(a.emu.Journal().Since(mark), func(e journal.Event) bool {
		return e.Seam != journal.SeamStore || e.Component != emulator.ComponentAzure
	})
}

// clean deletes all blobs with their snapshots, also leased ones.
func clean(ctx context.Context, c *container.Client) error {
	pages := c.NewListBlobsFlatPager(nil)
	for pages.More() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return err
		}
		for _, item := range page.Segment.BlobItems {
			b := c.NewBlobClient(*item.Name)
			if *item.Properties.LeaseState == lease.StateTypeLeased {
				held, err := lease.NewBlobClient(b, nil)
				if err != nil {
					return err
				}
				if _, err := held.BreakLease(ctx, &lease.BlobBreakOptions{BreakPeriod: new(int32(0))}); err != nil {
					return err
				}
			}
			if _, err := b.Delete(ctx, &blob.DeleteOptions{DeleteSnapshots: to.Ptr(blob.DeleteSnapshotsOptionTypeInclude)}); err != nil {
				return err
			}
		}
	}
	return nil
}
