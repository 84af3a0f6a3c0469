package emulator_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// TestTracing follows a claim and an access of each version, and behind a bridge, from the reconcile over the call to
// the driver to the operation of its store, in one trace. The store fails once in each.
// Design: CSI-DEBUG-1
func TestTracing(t *testing.T) {
	const v1, v2 = "cosi.v1alpha1.Provisioner/", "sigs.k8s.io.cosi.v1alpha2.Provisioner/"
	tests := map[string]struct {
		options       emulator.Options
		create, grant []string // the services of the spans of each call
	}{
		"V1alpha1": {
			options: emulator.Options{API: objectstorage.V1alpha1},
			create:  []string{v1, v1}, grant: []string{v1, v1},
		},
		"V1alpha2": {create: []string{v2, v2}, grant: []string{v2, v2}},
		"Bridge": {
			options: emulator.Options{Dialect: dialects.V1alpha1},
			create:  []string{v2, v2, v1, v1}, grant: []string{v2, v2, v1, v1},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			recorder := tracetest.NewSpanRecorder()
			provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder))
			tc.options.TracerProvider = provider
			emu := emulatortest.Start(t, tc.options)
			for _, operation := range []string{"AdminCreateBucket", "AdminPutAccount"} {
				inject(t, emu, "once "+operation, fault.Match{
					Seam: journal.SeamStore, Component: emulator.ComponentDriver, Operation: operation, Nth: 1,
				}, fault.Effect{Fail: "SlowDown"})
			}
			secret := live(t, emu, tc.options.API)
			want := map[string][]codes.Code{}
			for _, path := range []string{
				path("Bucket", "DriverCreateBucket", tc.create, "CreateBucket"),
				path("BucketAccess", "DriverGrantBucketAccess", tc.grant, "PutAccount"),
			} {
				for depth := range strings.Split(path, " > ") {
					// Each span fails below the failure of the store, and succeeds when it is repeated.
					want[strings.Join(strings.Split(path, " > ")[:depth+1], " > ")] = []codes.Code{codes.Unset, codes.Error}
				}
			}
			harness.Eventually(t, "spans of calls and operations", func(context.Context) error {
				got := statuses(recorder.Ended())
				maps.DeleteFunc(got, func(path string, _ []codes.Code) bool { return want[path] == nil })
				if diff := cmp.Diff(want, got); diff != "" {
					return fmt.Errorf("-want, +got:\n%s", diff)
				}
				return nil
			})
			for _, span := range recorder.Ended() {
				expectNoKey(t, span, secret)
			}
		})
	}
}

// path returns the names of the spans of a call, from the reconcile to the operation of the store.
func path(kind, method string, services []string, operation string) string {
	path := "reconcile " + kind
	for _, service := range services {
		path += " > " + service + method
	}
	return path + " > store " + operation
}

// statuses returns the statuses of the spans by the names of their ancestors and their own.
func statuses(spans []sdktrace.ReadOnlySpan) map[string][]codes.Code {
	byID := map[trace.SpanID]sdktrace.ReadOnlySpan{}
	for _, span := range spans {
		byID[span.SpanContext().SpanID()] = span
	}
	found := map[string][]codes.Code{}
	for _, span := range spans {
		path := span.Name()
		for above := byID[span.Parent().SpanID()]; above != nil; above = byID[above.Parent().SpanID()] {
			path = above.Name() + " > " + path
		}
		if code := span.Status().Code; !slices.Contains(found[path], code) {
			found[path] = append(found[path], code)
			slices.Sort(found[path])
		}
	}
	return found
}

// live creates a claim and an access, and returns the values of its Secret once it has one.
func live(t *testing.T, emu *emulator.Emulator, api objectstorage.Version) map[string][]byte {
	t.Helper()
	s := newStory(t, emu)
	if api != objectstorage.V1alpha1 {
		s.create(s.claim, s.access)
	} else {
		meta := func(name string) metav1.ObjectMeta {
			return metav1.ObjectMeta{Namespace: s.claim.Namespace, Name: name}
		}
		s.create(&v1alpha1.BucketClaim{
			ObjectMeta: meta("photos"),
			Spec:       v1alpha1.BucketClaimSpec{BucketClassName: emulator.ClassStandard, Protocols: []v1alpha1.Protocol{v1alpha1.ProtocolS3}},
		}, &v1alpha1.BucketAccess{
			ObjectMeta: meta("photos-rw"),
			Spec: v1alpha1.BucketAccessSpec{
				BucketClaimName: "photos", Protocol: v1alpha1.ProtocolS3, BucketAccessClassName: emulator.ClassStandard,
				CredentialsSecretName: "photos-credentials",
			},
		})
	}
	secret := &corev1.Secret{}
	harness.Eventually(t, "Secret of the access", func(ctx context.Context) error {
		key := client.ObjectKey{Namespace: s.claim.Namespace, Name: "photos-credentials"}
		if err := emu.Client().Get(ctx, key, secret); err != nil {
			return err
		}
		if len(secret.Data) == 0 {
			return fmt.Errorf("Secret %s is empty", key)
		}
		return nil
	})
	return secret.Data
}

// keysOf returns the key of an access and its ID, from the Secret of either version.
func keysOf(t *testing.T, secret map[string][]byte) []string {
	t.Helper()
	content, isV1alpha1 := secret[v1alpha1.BucketInfoKey]
	if !isV1alpha1 {
		return []string{string(secret[v1alpha2.SecretKeyS3SecretAccessKey]), string(secret[v1alpha2.SecretKeyS3AccessKeyID])}
	}
	info, err := v1alpha1.ParseBucketInfo(content)
	if err != nil {
		t.Fatal(err)
	}
	return []string{info.Spec.SecretS3.AccessSecretKey, info.Spec.SecretS3.AccessKeyID}
}

// expectNoKey fails if a span has a key of the access: in its name, an attribute, an event, or its status.
func expectNoKey(t *testing.T, span sdktrace.ReadOnlySpan, secret map[string][]byte) {
	t.Helper()
	text := fmt.Sprint(span.Name(), span.Attributes(), span.Events(), span.Status(), span.Links())
	for _, key := range keysOf(t, secret) {
		if strings.Contains(text, key) {
			t.Errorf("span %q has a key of the access: %s", span.Name(), text)
		}
	}
	if description := span.Status().Description; strings.Contains(description, " ") {
		t.Errorf("the status of span %q has the message %q, which may contain parameters", span.Name(), description)
	}
}
