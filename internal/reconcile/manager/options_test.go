package manager

import (
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/testr"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

func TestCompleteDefaults(t *testing.T) {
	got := complete(manager.Options{})
	if got.Metrics.BindAddress != "0" || got.HealthProbeBindAddress != "0" {
		t.Errorf("listeners at %q and %q, want both off", got.Metrics.BindAddress, got.HealthProbeBindAddress)
	}
	if got.Logger != logr.Discard() || got.Controller.Logger != got.Logger {
		t.Error("without a logger something is logged")
	}
	if period := got.Cache.SyncPeriod; period == nil || *period != time.Duration(0) {
		t.Errorf("resync every %v, want never", period)
	}
}

func TestCompleteKeepsOptions(t *testing.T) {
	asked := manager.Options{Logger: testr.New(t), HealthProbeBindAddress: "127.0.0.1:1", LeaderElection: true, LeaderElectionID: "l"}
	asked.Metrics.BindAddress = "127.0.0.1:2"
	asked.Controller.MaxConcurrentReconciles = 7
	got := complete(asked)
	if asked.Logger = limitVerbosity(asked.Logger); got.Logger != asked.Logger || got.Controller.Logger != asked.Logger {
		t.Error("the logger is another one")
	}
	if got.HealthProbeBindAddress != "127.0.0.1:1" || got.Metrics.BindAddress != "127.0.0.1:2" {
		t.Errorf("listeners at %q and %q", got.HealthProbeBindAddress, got.Metrics.BindAddress)
	}
	if !got.LeaderElection || got.LeaderElectionID != "l" || got.Controller.MaxConcurrentReconciles != 7 {
		t.Errorf("options changed: %+v", got)
	}
}

func TestUnthrottled(t *testing.T) {
	cases := []struct {
		name   string
		reason string
		qps    float32
		want   float32
	}{
		{"no limit asked for", "the API server decides", 0, -1},
		{"a limit", "the caller decides", 7, 7},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			asked := &rest.Config{QPS: tc.qps}
			if got := unthrottled(asked).QPS; got != tc.want {
				t.Errorf("%s: QPS %v, want %v", tc.reason, got, tc.want)
			}
			if asked.QPS != tc.qps {
				t.Error("the caller's configuration was changed")
			}
		})
	}
}
