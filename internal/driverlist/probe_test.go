package driverlist_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/health"

	"github.com/cosi-emu/cosi-emu/internal/driverlist"
	"github.com/cosi-emu/cosi-emu/test/drivertest"
)

// Design: P20-NAME-8
func TestProbe(t *testing.T) {
	v1alpha2 := func(change func(s *drivertest.Server)) func(t *testing.T) *drivertest.Server {
		return func(t *testing.T) *drivertest.Server {
			t.Helper()
			d := drivertest.New(t, "a.test")
			change(d.Server)
			d.Serve()
			return d.Server
		}
	}
	serving := driverlist.Answer{Name: "a.test", Protocols: []string{"S3"}, Health: driverlist.Serving}
	notServing := driverlist.Answer{Name: "a.test", Protocols: []string{"S3"}, Health: driverlist.NotServing}
	tests := []struct {
		name, reason string
		driver       func(t *testing.T) *drivertest.Server
		want         driverlist.Answer
		// message is a part of the message.
		message string
	}{
		{"without health", "it answers DriverGetInfo", v1alpha2(func(*drivertest.Server) {}), serving, ""},
		{"with health", "it is serving", v1alpha2(func(s *drivertest.Server) { s.Health = health.NewServer() }), serving, ""},
		{
			"not serving", "its health decides",
			v1alpha2(func(s *drivertest.Server) { s.Health = health.NewServer(); s.Health.Shutdown() }), notServing, "NOT_SERVING",
		},
		{
			"failing", "the message has the driver's error",
			v1alpha2(func(s *drivertest.Server) { s.Fail("DriverGetInfo", codes.Internal, "no license") }),
			driverlist.Answer{Health: driverlist.NotServing}, "no license",
		},
		{
			"hanging", "the call has a deadline", v1alpha2(func(s *drivertest.Server) { s.Hang("DriverGetInfo") }),
			driverlist.Answer{Health: driverlist.NotServing}, "DeadlineExceeded",
		},
		{
			"v1alpha1", "its protocol has no list of protocols",
			func(t *testing.T) *drivertest.Server {
				t.Helper()
				return drivertest.StartV1alpha1(t, "old.test").Server
			},
			driverlist.Answer{Name: "old.test", Health: driverlist.Serving}, "",
		},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			driver := tc.driver(t)
			limit := 10 * time.Second
			if tc.name == "hanging" {
				limit = 100 * time.Millisecond
			}
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			defer cancel()
			got := driverlist.Probe(ctx, drivertest.Endpoint, driver.DialOptions()...)
			if diff := cmp.Diff(tc.want, got, cmpopts.IgnoreFields(driverlist.Answer{}, "Message")); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			if !strings.Contains(got.Message, tc.message) || (tc.message == "") != (got.Message == "") {
				t.Errorf("%s: the message is %q, want %q in it", tc.reason, got.Message, tc.message)
			}
		})
	}
}
