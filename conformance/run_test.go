package conformance_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/cosi-emu/cosi-emu/conformance"
	cosiv1alpha1 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
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

// TestAccountsOfRepeats: the accounts of a driver that makes one for each DriverGrantBucketAccess are revoked.
func TestAccountsOfRepeats(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	accounts := map[string]bool{}
	wrong := always(func(_ context.Context, r any, next call) (any, error) {
		var revoked string
		if m, ok := r.(*cosiv1alpha1.DriverRevokeBucketAccessRequest); ok {
			revoked = m.GetAccountId()
		}
		response, err := newAccount(r, next)
		if err != nil {
			return response, err
		}
		mu.Lock()
		defer mu.Unlock()
		delete(accounts, revoked)
		if m, ok := response.(*cosiv1alpha1.DriverGrantBucketAccessResponse); ok {
			accounts[m.GetAccountId()] = true
		}
		return response, err
	})
	d := serve(t, setup{behaviour: wrong, options: *old()})
	config := d.config()
	config.Only = []string{"GR-06", "GR-07", "GR-22", "SA-06", "SV-02"}
	report := d.test(config)
	if report.Results[0].State != conformance.Pass || report.Results[1].State != conformance.Fail {
		t.Errorf("the driver does not do what the test is about: %s, %s", report.Results[0].Brief(), report.Results[1].Brief())
	}
	mu.Lock()
	defer mu.Unlock()
	if len(accounts) > 0 {
		t.Errorf("accounts are left: %q", slices.Sorted(maps.Keys(accounts)))
	}
}
