package controller_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/rand"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosicontroller "github.com/cosi-emu/cosi-emu/controller"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// TestOperationMetrics: the metrics of the KEP, as an operator gets them.
// KEP: METRIC-2, METRIC-3
func TestOperationMetrics(t *testing.T) {
	measured := "m-" + rand.String(8) + ".example" // the metrics are the process's: a driver of no other test
	cl, address := prepare(t), harness.FreeAddress(t)
	cl.startController(func(o *cosicontroller.Options) { o.Metrics.BindAddress = address })
	cl.Make(class(func(s *v1alpha2.BucketClassSpec) { s.DriverName = measured }),
		newAccessClass(func(s *v1alpha2.BucketAccessClassSpec) { s.DriverName = measured }))
	claim, bucket := cl.provisioned("data")
	access := cl.access("app", "data")
	cl.Make(access)
	cl.handedOff(access)
	cl.reportAccess(access)
	cl.Must(cl.Delete(context.Background(), access))
	cl.finishCleanup(access)
	cl.WaitGone(access)
	cl.Must(cl.Delete(context.Background(), claim))
	cl.Eventually(func() error {
		if err := cl.Refresh(bucket); err != nil || bucket.DeletionTimestamp.IsZero() {
			return errors.Join(err, errors.New("not yet"))
		}
		return nil
	})
	cl.releaseBucket(bucket)
	cl.WaitGone(claim)
	never := cl.claim("never")
	cl.Make(never)
	cl.bucketOf(never)
	cl.Must(cl.Delete(context.Background(), never))
	cl.WaitGone(never)

	count := func(kind, operation, status string) string {
		return fmt.Sprintf(`cosi_operation_count{driver_name=%q,operation=%q,resource_kind=%q,status=%q}`, measured, operation, kind, status)
	}
	want := map[string]string{
		count("Bucket", "Create", "Succeeded"):       "1",
		count("Bucket", "Create", "Canceled"):        "1",
		count("Bucket", "Delete", "Succeeded"):       "2",
		count("BucketClaim", "Create", "Succeeded"):  "1",
		count("BucketClaim", "Create", "Canceled"):   "1",
		count("BucketClaim", "Delete", "Succeeded"):  "2",
		count("BucketAccess", "Create", "Succeeded"): "1",
		count("BucketAccess", "Delete", "Succeeded"): "1",
	}
	cl.Eventually(func() error {
		if diff := cmp.Diff(want, samples(t.Context(), t, address, "cosi_operation_count{", measured)); diff != "" {
			return fmt.Errorf("(-want +got):\n%s", diff)
		}
		return nil
	})
	wantProposed := map[string]string{}
	for _, kind := range []string{"BucketAccess", "BucketClaim"} {
		for _, operation := range []string{"Create", "Delete"} {
			series := fmt.Sprintf(`operation_total_seconds_count{driver_name=%q,operation=%q,resource_kind=%q}`, measured, operation, kind)
			wantProposed[series] = want[count(kind, operation, "Succeeded")]
		}
	}
	if diff := cmp.Diff(wantProposed, samples(t.Context(), t, address, "operation_total_seconds_count{", measured)); diff != "" {
		t.Errorf("under the proposed name (-want +got):\n%s", diff)
	}
	buckets := samples(t.Context(), t, address, "cosi_operation_total_seconds_bucket{",
		measured, `resource_kind="BucketClaim"`, `operation="Create"`)
	var bounds []string
	for name := range buckets {
		_, bound, _ := strings.Cut(name, `le="`)
		bounds = append(bounds, strings.TrimRight(bound, `"}`))
	}
	slices.Sort(bounds)
	wantBounds := strings.Fields("+Inf 0.1 0.25 0.5 1 10 120 15 2.5 30 300 5 60 600")
	if diff := cmp.Diff(wantBounds, bounds); diff != "" {
		t.Errorf("histogram buckets (-want +got):\n%s", diff)
	}
}

// TestBuildInfo: an operator sees which version runs, and what
// controller-runtime measures.
// KEP: METRIC-8
func TestBuildInfo(t *testing.T) {
	cl, address := prepare(t), harness.FreeAddress(t)
	cl.startController(func(o *cosicontroller.Options) { o.Metrics.BindAddress = address })
	for _, name := range []string{"go_build_info{", "controller_runtime_reconcile_total{", "rest_client_requests_total{", "workqueue_depth{"} {
		if len(samples(t.Context(), t, address, name)) == 0 {
			t.Errorf("no metric %s}", name)
		}
	}
}

// samples are the values of the series whose lines begin with a name and have
// all of some parts, or the error of the endpoint.
func samples(ctx context.Context, tb testing.TB, address, name string, parts ...string) map[string]string {
	tb.Helper()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/metrics", http.NoBody)
	if err != nil {
		tb.Fatal(err)
	}
	request.Close = true
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return map[string]string{"error": err.Error()}
	}
	text, err := io.ReadAll(response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil {
		return map[string]string{"error": err.Error()}
	}
	found := map[string]string{}
	for line := range strings.Lines(string(text)) {
		lacks := func(part string) bool { return !strings.Contains(line, part) }
		if i := strings.LastIndexByte(line, ' '); strings.HasPrefix(line, name) && i > 0 && !slices.ContainsFunc(parts, lacks) {
			found[line[:i]] = strings.TrimSpace(line[i:])
		}
	}
	return found
}
