package dialects

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	cosiv1alpha1 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// Dialect is the protocol of a driver: COSI v1alpha1, or one of the wire dialects that share the
// name of v1alpha2.
type Dialect string

// The dialects, the oldest first.
const (
	V1alpha1 Dialect = "v1alpha1"
	// NoModes is v1alpha2 as of 5 January 2026: as OneMode, but AccessMode has no field. Detect
	// cannot tell the two apart.
	NoModes Dialect = "no-modes"
	// OneMode is v1alpha2 as of 14 January 2026: DriverCreateBucket and DriverGrantBucketAccess
	// return the IDs, and a bucket has one access mode.
	OneMode Dialect = "one-mode"
	// OneModeGet is v1alpha2 as of August 2026: as OneMode, with DriverGetBucket in place of
	// DriverGetExistingBucket.
	OneModeGet Dialect = "one-mode-get"
	// BucketIDs has DriverGenerateBucketId and three access modes for a bucket, but not
	// DriverGenerateBucketAccessId.
	BucketIDs Dialect = "bucket-ids"
	// KEP is v1alpha2 as defined in the KEP.
	KEP Dialect = "kep"
)

// GetExistingBucket is the full name of a call that the KEP does not have.
const GetExistingBucket = "/sigs.k8s.io.cosi.v1alpha2.Provisioner/DriverGetExistingBucket"

// All returns all dialects, the oldest first.
func All() []Dialect { return []Dialect{V1alpha1, NoModes, OneMode, OneModeGet, BucketIDs, KEP} }

// Parse returns the dialect with a name.
func Parse(name string) (Dialect, error) {
	if slices.Contains(All(), Dialect(name)) {
		return Dialect(name), nil
	}
	return "", fmt.Errorf("%q: the dialects are %s", name, Names())
}

// Names lists the names of all dialects.
func Names() string {
	var names []string
	for _, dialect := range All() {
		names = append(names, string(dialect))
	}
	return strings.Join(names, ", ")
}

// Version returns the COSI version of the dialect: v1alpha1 or v1alpha2.
func (d Dialect) Version() string {
	if d == V1alpha1 {
		return string(V1alpha1)
	}
	return "v1alpha2"
}

// Protocol describes the dialect, such as "COSI v1alpha2, dialect one-mode".
func (d Dialect) Protocol() string {
	if d == V1alpha1 {
		return "COSI v1alpha1"
	}
	return "COSI v1alpha2, dialect " + string(d)
}

// GeneratesBucketIDs reports whether a driver returns the ID of a bucket from
// DriverGenerateBucketId, before the creation. Otherwise DriverCreateBucket returns the ID.
func (d Dialect) GeneratesBucketIDs() bool { return d == BucketIDs || d == KEP }

// Messages returns an empty request and response of a method, given as /SERVICE/METHOD, or nil
// if no driver of the dialect has it.
func (d Dialect) Messages(method string) (request, response proto.Message) {
	if d == V1alpha1 {
		return cosiv1alpha1.Messages(method)
	}
	request, response = cosiv1alpha2.Messages(method)
	if d == KEP {
		return request, response
	}
	switch method {
	case cosiv1alpha2.Provisioner_DriverCreateBucket_FullMethodName, cosiv1alpha2.Provisioner_DriverGetBucket_FullMethodName:
		response = &BucketResponse{}
	case GetExistingBucket:
		request, response = &cosiv1alpha2.DriverGetBucketRequest{}, &BucketResponse{}
	case cosiv1alpha2.Provisioner_DriverGrantBucketAccess_FullMethodName:
		response = &GrantBucketAccessResponse{}
		if d != BucketIDs {
			request = &GrantBucketAccessRequest{}
		}
	}
	return request, response
}

// Provisioner returns the description of the service Provisioner of a dialect of v1alpha2, for the
// registration of a OneCallServer, a BucketIDsServer, or for KEP a ProvisionerServer.
func (d Dialect) Provisioner() grpc.ServiceDesc {
	description, lacks := OneCall_ServiceDesc, "DriverGetBucket"
	switch d {
	case KEP:
		return cosiv1alpha2.Provisioner_ServiceDesc
	case BucketIDs:
		description, lacks = BucketIDs_ServiceDesc, ""
	case OneModeGet:
		lacks = "DriverGetExistingBucket"
	case V1alpha1, NoModes, OneMode:
	}
	description.ServiceName = cosiv1alpha2.Provisioner_ServiceDesc.ServiceName
	description.Methods = slices.DeleteFunc(slices.Clone(description.Methods), func(m grpc.MethodDesc) bool { return m.MethodName == lacks })
	for i := range description.Methods {
		description.Methods[i].Handler = named(description.Methods[i], "/"+description.ServiceName+"/"+description.Methods[i].MethodName)
	}
	return description
}

// named returns the handler of a method whose interceptors see the name on the wire, in place of
// the name in dialects.proto.
func named(method grpc.MethodDesc, name string) grpc.MethodHandler {
	return func(service any, ctx context.Context, decode func(any) error, intercept grpc.UnaryServerInterceptor) (any, error) {
		if intercept == nil {
			return method.Handler(service, ctx, decode, nil)
		}
		return method.Handler(service, ctx, decode,
			func(ctx context.Context, request any, info *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
				return intercept(ctx, request, &grpc.UnaryServerInfo{Server: info.Server, FullMethod: name}, handle)
			})
	}
}
