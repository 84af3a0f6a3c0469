package conformance_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/cosi-emu/cosi-emu/conformance"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// TestRun: a SHOULD check that failed does not fail the test, and prints how to run it again.
func TestRun(t *testing.T) {
	calls := 0
	wrong := always(func(_ context.Context, r any, next call) (any, error) {
		response, err := next(r)
		if m, ok := response.(*cosiv1alpha2.DriverGenerateBucketIdResponse); ok && err == nil {
			calls++
			m.BucketId = fmt.Sprintf("%s-%d", m.GetBucketId(), calls)
		}
		return response, err
	})
	config := serve(t, setup{behaviour: wrong}).config()
	config.Only = []string{"GB-01", "GB-02"}
	report := conformance.Run(t, config)
	if result := report.Results[1]; result.State != conformance.Fail || result.Failure.Rerun != "go test -run '^TestRun$/^GB-02$'" {
		t.Errorf("GB-02: %s", result.Explain())
	}
}
