package fakedriver_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// ofDriver are the driver's parameters in these tests.
var ofDriver = map[string]string{
	fakedriver.ParameterLatency: "1ms", fakedriver.ParameterNonEmptyDeletion: "purge", fakedriver.ParameterRotateCredentials: "true",
}

func TestDriverParameters(t *testing.T) {
	tests := map[string]struct {
		reason   string
		protocol cosiv1alpha2.ObjectProtocol_Type
		ofClass  map[string]string
		want     fakedriver.BucketSpec
	}{
		"Alone": {
			reason: "The class says nothing.", protocol: cosiv1alpha2.ObjectProtocol_S3,
			want: fakedriver.BucketSpec{
				Latency: time.Millisecond, Purge: true,
				Parameters: map[string]string{fakedriver.ParameterLatency: "1ms", fakedriver.ParameterNonEmptyDeletion: "purge"},
			},
		},
		"Class": {
			reason: "The class is more particular.", protocol: cosiv1alpha2.ObjectProtocol_S3,
			ofClass: map[string]string{fakedriver.ParameterLatency: "2ms", fakedriver.ParameterNote: "mine"},
			want: fakedriver.BucketSpec{
				Latency: 2 * time.Millisecond, Purge: true,
				Parameters: map[string]string{
					fakedriver.ParameterLatency: "2ms", fakedriver.ParameterNonEmptyDeletion: "purge", fakedriver.ParameterNote: "mine",
				},
			},
		},
		"Protocol": {
			reason: "Buckets of GCS have no latency here.", protocol: cosiv1alpha2.ObjectProtocol_GCS,
			want: fakedriver.BucketSpec{
				Protocol: fakedriver.ProtocolGCS, Purge: true, Parameters: map[string]string{fakedriver.ParameterNonEmptyDeletion: "purge"},
			},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			c := start(t, fakedriver.Options{
				Backend: s, Parameters: ofDriver, Protocols: []fakedriver.Protocol{fakedriver.ProtocolS3, fakedriver.ProtocolGCS},
			})
			request := &cosiv1alpha2.DriverCreateBucketRequest{
				BucketId: "bucket", Protocols: []*cosiv1alpha2.ObjectProtocol{{Type: tc.protocol}}, Parameters: tc.ofClass,
			}
			for range 2 { // a repeated request is no conflict
				if _, err := c.DriverCreateBucket(t.Context(), request); err != nil {
					t.Fatal(err)
				}
			}
			got, err := s.GetBucket(t.Context(), "bucket")
			ignored := cmpopts.IgnoreFields(fakedriver.BucketSpec{}, "Name", "Owner")
			if diff := cmp.Diff(tc.want, got.BucketSpec, ignored); err != nil || diff != "" {
				t.Errorf("%s\nGetBucket(): %v; -want, +got:\n%s", tc.reason, err, diff)
			}
		})
	}
}

// TestDriverRotates grants twice: the driver's accounts rotate, and accounts without a key are
// granted nevertheless.
func TestDriverRotates(t *testing.T) {
	c := start(t, fakedriver.Options{Parameters: ofDriver, ServiceAccounts: true})
	c.create(t, "photos")
	request := grantRequest("ba-1", accessed("photos", cosiv1alpha2.AccessMode_READ_ONLY))
	keys := map[string]bool{}
	for range 2 {
		granted, err := c.DriverGrantBucketAccess(t.Context(), request)
		if err != nil {
			t.Fatal(err)
		}
		keys[granted.GetCredentials().GetS3().GetAccessKeyId()] = true
	}
	if len(keys) != 2 {
		t.Errorf("two grants have given %d keys, want 2", len(keys))
	}
	request.AccountId, request.ServiceAccountName = "ba-2", "builder"
	request.AuthenticationType.Type = cosiv1alpha2.AuthenticationType_SERVICE_ACCOUNT
	if _, err := c.DriverGrantBucketAccess(t.Context(), request); err != nil {
		t.Errorf("DriverGrantBucketAccess() for a ServiceAccount: %v", err)
	}
}

func TestBadDriverParameters(t *testing.T) {
	tests := map[string]struct {
		reason     string
		parameters map[string]string
		mentions   []string
	}{
		"Unknown": {
			reason: "Misspelt.", parameters: map[string]string{"latencies": "1s"},
			mentions: []string{"latencies", fakedriver.ParameterLatency, fakedriver.ParameterRotateCredentials},
		},
		"Value": {
			reason: "Of buckets.", parameters: map[string]string{fakedriver.ParameterLatency: "soon"},
			mentions: []string{fakedriver.ParameterLatency, "soon", "duration"},
		},
		"AccessValue": {
			reason: "Of accounts.", parameters: map[string]string{fakedriver.ParameterRotateCredentials: "often"},
			mentions: []string{"often", "true or false"},
		},
		"Virtual": {
			reason: "Clients could not resolve the buckets.", parameters: map[string]string{fakedriver.ParameterAddressingStyle: "virtual"},
			mentions: []string{fakedriver.ParameterAddressingStyle, "VirtualEndpoint"},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := fakedriver.New(fakedriver.Options{Backend: newStore(t), Endpoint: endpoint, Parameters: tc.parameters})
			if err == nil {
				t.Fatalf("%s\nNew() = nil, want an error", tc.reason)
			}
			for _, words := range tc.mentions {
				if !strings.Contains(err.Error(), words) {
					t.Errorf("%s\nNew() = %v, which does not mention %q", tc.reason, err, words)
				}
			}
		})
	}
}
