package dialects

import (
	"google.golang.org/protobuf/proto"

	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// Named returns a request of a method, given as /SERVICE/METHOD, with the names that its fields have
// in the dialect. It returns a request unchanged if its type has these names already, or if the dialect
// does not have the request.
func (d Dialect) Named(method string, request proto.Message) proto.Message {
	var named proto.Message
	switch {
	case d == V1alpha1 || d == KEP:
		return request
	case method == cosiv1alpha2.Provisioner_DriverCreateBucket_FullMethodName && !d.GeneratesBucketIDs():
		named = &NamedBucketRequest{}
	case method == GetExistingBucket:
		named = &ExistingBucketRequest{}
	case method == cosiv1alpha2.Provisioner_DriverGrantBucketAccess_FullMethodName && d == BucketIDs:
		named = &NamedAccountRequest{}
	default:
		return request
	}
	content, err := proto.Marshal(request)
	if err == nil {
		err = proto.Unmarshal(content, named)
	}
	if err != nil {
		return request
	}
	return named
}
