package sidecar_test

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"

	"github.com/cosi-emu/cosi-emu/test/harness"
)

// TestDriverCallMetrics: the metrics of the KEP, as an operator gets them.
// KEP: METRIC-5, METRIC-6, METRIC-7, METRIC-8
func TestDriverCallMetrics(t *testing.T) {
	cl := newTestCluster(t)
	cl.options.Metrics.BindAddress = harness.FreeAddress(t)
	cl.driver.Fail("DriverGetBucket", codes.InvalidArgument, "not this one")
	cl.start()
	cl.readyBucket()
	rejected := cl.bucket(existing("old"))
	cl.Eventually(func() error {
		if len(cl.driver.Calls("DriverGetBucket")) == 0 {
			return fmt.Errorf("the driver was not called for Bucket %s", rejected.Name)
		}
		return nil
	})
	calls := func(method, code string) string {
		return fmt.Sprintf("cosi_sidecar_operation_duration_seconds_count{driver_name=%q,grpc_status_code=%q,method_name=%q} 1",
			cl.driver.Name(), code, method)
	}
	want := []string{
		calls("DriverCreateBucket", "OK"),
		calls("DriverGenerateBucketId", "OK"),
		calls("DriverGetBucket", "InvalidArgument"),
		calls("DriverGetInfo", "OK"),
		fmt.Sprintf("cosi_sidecar_operation_errors_total{driver_name=%q,method_name=%q} 1", cl.driver.Name(), "DriverGetBucket"),
	}
	slices.Sort(want)
	cl.Eventually(func() error {
		var got []string
		for line := range strings.Lines(cl.scrape()) {
			isCount := strings.HasPrefix(line, "cosi_sidecar_operation_duration_seconds_count{") ||
				strings.HasPrefix(line, "cosi_sidecar_operation_errors_total{")
			if isCount && strings.Contains(line, cl.driver.Name()) {
				got = append(got, strings.TrimSpace(line))
			}
		}
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			return fmt.Errorf("metrics (-want +got):\n%s", diff)
		}
		return nil
	})
	for _, name := range []string{"go_build_info{", "controller_runtime_reconcile_total{", "rest_client_requests_total{"} {
		if !strings.Contains(cl.scrape(), "\n"+name) {
			t.Errorf("no metric %s}", name)
		}
	}
	for bound := range strings.FieldsSeq("0.1 0.25 0.5 1 2.5 5 10 15 30 60 120 300 600 +Inf") {
		if !strings.Contains(cl.scrape(), fmt.Sprintf("method_name=\"DriverGetInfo\",le=%q}", bound)) {
			t.Errorf("no histogram bucket of %s s", bound)
		}
	}
}

// scrape returns the response of the metrics endpoint.
func (cl *testCluster) scrape() string {
	cl.Helper()
	request, err := http.NewRequestWithContext(cl.Context(), http.MethodGet, "http://"+cl.options.Metrics.BindAddress+"/metrics", http.NoBody)
	cl.Must(err)
	request.Close = true
	response, err := http.DefaultClient.Do(request)
	cl.Must(err)
	text, err := io.ReadAll(response.Body)
	cl.Must(err)
	cl.Must(response.Body.Close())
	return string(text)
}
