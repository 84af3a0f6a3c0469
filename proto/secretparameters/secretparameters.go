// Package secretparameters has the parameters of classes that name a Secret for the driver, and passes the Secret from
// the sidecar to the driver. Drivers log requests, and no message of COSI has a field for secrets. So the Secret is in the
// metadata of a call: the binary header [MetadataKey] has one JSON object, from the keys of the Secret to its values.
package secretparameters

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// The parameters of a BucketClass, BucketAccessClass or static Bucket that name a Secret. Each requires the other. They are
// for the sidecar, which removes them from the parameters that the driver gets.
const (
	Name      = Prefix + "secret-name"
	Namespace = Prefix + "secret-namespace"
)

// Prefix is the prefix of the names of parameters that are for the sidecar.
const Prefix = "cosi-emu.dev/"

// MetadataKey is the key of the Secret in the metadata of a call.
const MetadataKey = "cosi-emu.dev-secret-bin"

// MaxBytes is the maximum size of a Secret as JSON, in bytes. Many gRPC servers reject headers of more than 8 KiB. The
// header has the JSON in base64.
const MaxBytes = 5 << 10

// FromIncomingContext returns the data of the Secret in the metadata of a call that a driver serves, and nil if the class of
// the call names no Secret, or the sidecar runs without --secret-parameters-from. The values are secret. An error is a
// status of gRPC and contains no values.
func FromIncomingContext(ctx context.Context) (map[string]string, error) {
	headers := metadata.ValueFromIncomingContext(ctx, MetadataKey)
	if len(headers) == 0 {
		return nil, nil
	}
	var data map[string]string
	if len(headers) > 1 || json.Unmarshal([]byte(headers[0]), &data) != nil {
		return nil, status.Errorf(codes.InvalidArgument, "the metadata %s must be one JSON object of strings", MetadataKey)
	}
	return data, nil
}

// NewOutgoingContext returns a context whose calls have the data of a Secret in their metadata. It fails if the data is larger
// than MaxBytes, or has a value that is not UTF-8. The error contains no values.
func NewOutgoingContext(ctx context.Context, data map[string][]byte) (context.Context, error) {
	texts := make(map[string]string, len(data))
	for _, key := range slices.Sorted(maps.Keys(data)) {
		if !utf8.Valid(data[key]) {
			return nil, fmt.Errorf("the value of key %s is not UTF-8: encode it, for example in base64", key)
		}
		texts[key] = string(data[key])
	}
	text, err := json.Marshal(texts)
	if err != nil {
		return nil, err
	}
	if len(text) > MaxBytes {
		return nil, fmt.Errorf("it has %d bytes, and at most %d fit into the metadata of a call: remove the keys that the driver does not need",
			len(text), MaxBytes)
	}
	return outgoing(ctx, string(text)), nil
}

// Forward returns a context whose outgoing calls have the Secret of the incoming call, for a program between the sidecar and
// the driver.
func Forward(ctx context.Context) context.Context {
	if headers := metadata.ValueFromIncomingContext(ctx, MetadataKey); len(headers) > 0 {
		return outgoing(ctx, headers...)
	}
	return ctx
}

func outgoing(ctx context.Context, headers ...string) context.Context {
	md, _ := metadata.FromOutgoingContext(ctx)
	md = md.Copy()
	md.Set(MetadataKey, headers...)
	return metadata.NewOutgoingContext(ctx, md)
}
