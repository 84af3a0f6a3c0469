package secretparameters_test

import (
	"context"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/cosi-emu/cosi-emu/proto/secretparameters"
)

// arrives returns the context in which a server serves a call of this context.
func arrives(ctx context.Context) context.Context {
	md, _ := metadata.FromOutgoingContext(ctx)
	return metadata.NewIncomingContext(context.Background(), md)
}

// TestPass: values are bytes in the API, and strings for the driver.
// Design: CK-SECRET-4
func TestPass(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		data   map[string][]byte
		want   map[string]string
		err    string
	}{
		"Keys": {
			reason: "all keys arrive", data: map[string][]byte{"A": []byte("1"), "b.c": []byte("ä\n")},
			want: map[string]string{"A": "1", "b.c": "ä\n"},
		},
		"Empty": {reason: "an empty Secret is a Secret", data: nil, want: map[string]string{}},
		// Design: CK-SECRET-5, CSI-SECRET-5
		"NotUTF8": {reason: "a JSON string cannot have it", data: map[string][]byte{"k": {0xff}}, err: "the value of key k is not UTF-8"},
		"TooLarge": {
			reason: "servers would reject the header", data: map[string][]byte{"key": []byte(strings.Repeat("x", 5<<10))},
			err: "at most 5120 fit",
		},
	} {
		t.Run(name, func(t *testing.T) {
			with, err := secretparameters.NewOutgoingContext(t.Context(), tc.data)
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) || strings.Contains(err.Error(), "xxx") {
					t.Errorf("%s: error %v, want one with %q and no value", tc.reason, err, tc.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got, err := secretparameters.FromIncomingContext(arrives(with))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// TestMalformed: a value of the header must not be in the error, which drivers log.
func TestMalformed(t *testing.T) {
	for _, headers := range [][]string{{"hunter2"}, {`{"a":{"hunter2":1}}`}, {`{}`, `{}`}} {
		ctx := metadata.NewIncomingContext(t.Context(), metadata.MD{secretparameters.MetadataKey: headers})
		data, err := secretparameters.FromIncomingContext(ctx)
		if status.Code(err) != codes.InvalidArgument || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("FromIncomingContext(%q) = %v, %v", headers, data, err)
		}
	}
}

// TestForward: other metadata of the outgoing call stays, and calls without a Secret get none.
func TestForward(t *testing.T) {
	with, err := secretparameters.NewOutgoingContext(t.Context(), map[string][]byte{"k": []byte("v")})
	if err != nil {
		t.Fatal(err)
	}
	between := metadata.AppendToOutgoingContext(arrives(with), "other", "o")
	got, err := secretparameters.FromIncomingContext(arrives(secretparameters.Forward(between)))
	if err != nil || !maps.Equal(got, map[string]string{"k": "v"}) {
		t.Errorf("forwarded: %v, %v", got, err)
	}
	if md, _ := metadata.FromOutgoingContext(secretparameters.Forward(between)); len(md["other"]) != 1 {
		t.Errorf("other metadata: %v", md["other"])
	}
	if got, err := secretparameters.FromIncomingContext(arrives(secretparameters.Forward(t.Context()))); got != nil || err != nil {
		t.Errorf("without a Secret: %v, %v", got, err)
	}
}
