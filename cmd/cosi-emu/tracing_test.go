package main_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/examples"
	"github.com/cosi-emu/cosi-emu/test/otlptest"
)

// TestTracing runs controller and sidecar as processes, and has a collector receive the spans of them and of the driver,
// in one trace: a component that stops delivers its last spans.
func TestTracing(t *testing.T) {
	t.Parallel()
	h, collector := newHome(t), otlptest.Start(t)
	flag := "--tracing-endpoint=" + collector.Address
	up := []string{"--init", h.write("example.yaml", string(examples.Quickstart)), flag}
	for _, arg := range h.ownComponents() {
		if !strings.HasPrefix(arg, "--") {
			arg += " " + flag
		}
		up = append(up, arg)
	}
	h.up(up...)
	h.awaitAccess("default")
	h.must("down")
	const grant = "sigs.k8s.io.cosi.v1alpha2.Provisioner/DriverGrantBucketAccess"
	want := []string{"cosi-sidecar reconcile BucketAccess", "cosi-sidecar " + grant, "cosi-emu " + grant, "cosi-emu store PutAccount"}
	if diff := cmp.Diff(want, ancestors(collector.Spans(), "store PutAccount")); diff != "" {
		t.Errorf("spans of a grant: -want, +got:\n%s", diff)
	}
	if of := ancestors(collector.Spans(), "reconcile BucketClaim"); len(of) != 1 || !strings.HasPrefix(of[0], "cosi-controller ") {
		t.Errorf("spans of the controller: %v", of)
	}
	h.expectNothingLeft()
}

// ancestors returns services and names of a span and of all above it, the first first.
func ancestors(spans []otlptest.Span, name string) []string {
	byID := map[string]otlptest.Span{}
	var found otlptest.Span
	for _, span := range spans {
		byID[span.ID] = span
		if span.Name == name {
			found = span
		}
	}
	var path []string
	for span := found; span.ID != ""; span = byID[span.Parent] {
		path = append([]string{span.Service + " " + span.Name}, path...)
	}
	return path
}
