package fakedriver

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

// IDs are the form of the IDs that a driver of v1alpha1, or of an earlier dialect, returns for a bucket
// and an account. The protocols leave it to the driver.
type IDs string

const (
	// IDsNames are the names that COSI has given, wherever S3 allows that. They are the default.
	IDsNames IDs = "names"
	// IDsOwn differ from the names, as the IDs of many drivers do.
	IDsOwn IDs = "own"
	// IDsChanging are the names in the first answer of a driver's process, and others when a call is repeated.
	// The driver accepts both.
	IDsChanging IDs = "changing"
)

// AllIDs returns all forms, the default first.
func AllIDs() []IDs { return []IDs{IDsNames, IDsOwn, IDsChanging} }

// ValidateIDs returns an error if a driver of a dialect cannot have IDs of a form.
func ValidateIDs(ids IDs, dialect dialects.Dialect) error {
	switch {
	case ids == "", ids == IDsNames:
		return nil
	case ids != IDsOwn && ids != IDsChanging:
		return fmt.Errorf("IDs %q are unknown; they must be one of %v", ids, AllIDs())
	case dialect == "" || dialect == dialects.KEP:
		return fmt.Errorf("IDs %q need a driver behind a bridge, such as one of the dialect %s: the driver of the KEP returns names",
			ids, dialects.V1alpha1)
	default:
		return nil
	}
}

// ownPrefix begins an ID that is no name.
const ownPrefix = "id:own/"

// ownIDs translates the IDs in calls: callers have the driver's, and the backend has names. It is
// safe for concurrent use.
type ownIDs struct {
	form IDs

	mu       sync.Mutex
	returned map[string]bool
}

func (o *ownIDs) intercept(ctx context.Context, request any, _ *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
	asked := map[string]string{} // the IDs in the request, by the backend's
	if m, ok := request.(proto.Message); ok {
		replaceIDs(m.ProtoReflect(), func(id string) string {
			inBackend := strings.TrimPrefix(id, ownPrefix)
			asked[inBackend] = id
			return inBackend
		})
	}
	response, err := handle(ctx, request)
	if m, ok := response.(proto.Message); ok && err == nil {
		replaceIDs(m.ProtoReflect(), func(id string) string { return o.outward(id, asked) })
	}
	return response, err
}

// outward returns the ID for the response to a request, which has the request's own IDs.
func (o *ownIDs) outward(id string, asked map[string]string) string {
	if given, ok := asked[id]; ok {
		return given
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.form == IDsChanging && !o.returned[id] {
		o.returned[id] = true
		return id
	}
	return ownPrefix + id
}

// replaceIDs replaces each ID of a bucket or an account in a message and in its lists. What a client needs is
// in other messages within it, with the name of the bucket in S3.
func replaceIDs(m protoreflect.Message, with func(string) string) {
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		isID := f.Name() == "bucket_id" || f.Name() == "account_id"
		switch {
		case isID && f.Kind() == protoreflect.StringKind && !f.IsList():
			if v.String() != "" {
				m.Set(f, protoreflect.ValueOfString(with(v.String())))
			}
		case f.Kind() == protoreflect.MessageKind && f.IsList():
			for i := range v.List().Len() {
				replaceIDs(v.List().Get(i).Message(), with)
			}
		}
		return true
	})
}
