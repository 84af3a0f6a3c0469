package apiserver

import (
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensionsserver "k8s.io/apiextensions-apiserver/pkg/apiserver"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/storage/storagebackend"

	"github.com/cosi-emu/cosi-emu/internal/controlplane/embedded/scheme"
)

// registryPrefix is the prefix of all keys.
const registryPrefix = "/registry"

// restOptions are the options of registries that share a codec.
type restOptions struct {
	decorator generic.StorageDecorator
	codec     runtime.Codec
	// grouped has the keys of a resource begin with its group. Keys of the built-in kinds do
	// not, and messages show them.
	grouped bool
}

var _ generic.RESTOptionsGetter = restOptions{}

// GetRESTOptions implements generic.RESTOptionsGetter.
func (o restOptions) GetRESTOptions(resource schema.GroupResource, _ runtime.Object) (generic.RESTOptions, error) {
	prefix := resource.Resource
	if o.grouped {
		prefix = resource.Group + "/" + resource.Resource
	}
	return generic.RESTOptions{
		StorageConfig:           storagebackend.NewDefaultConfig(registryPrefix, o.codec).ForResource(resource),
		Decorator:               o.decorator,
		EnableGarbageCollection: true,
		DeleteCollectionWorkers: 1,
		ResourcePrefix:          prefix,
	}, nil
}

// builtinCodec stores the built-in kinds as protocol buffers.
func builtinCodec() runtime.Codec {
	stored := schema.GroupVersions{
		corev1.SchemeGroupVersion, rbacv1.SchemeGroupVersion, coordinationv1.SchemeGroupVersion,
		authenticationv1.SchemeGroupVersion, authorizationv1.SchemeGroupVersion, batchv1.SchemeGroupVersion,
	}
	return internalCodec{scheme.Codecs().CodecForVersions(protobuf.NewSerializer(scheme.Scheme(), scheme.Scheme()),
		scheme.Codecs().UniversalDeserializer(), stored, runtime.InternalGroupVersioner)}
}

// internalCodec reads objects without their apiVersion and kind, as they are after a
// conversion: the items of a list do not name them.
type internalCodec struct{ runtime.Codec }

// Decode implements runtime.Decoder.
func (c internalCodec) Decode(
	data []byte, defaults *schema.GroupVersionKind, into runtime.Object,
) (runtime.Object, *schema.GroupVersionKind, error) {
	object, kind, err := c.Codec.Decode(data, defaults, into)
	if err == nil {
		object.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	}
	return object, kind, err
}

// definitionCodec stores CustomResourceDefinitions.
func definitionCodec() runtime.Codec {
	return apiextensionsserver.Codecs.LegacyCodec(apiextensionsv1.SchemeGroupVersion)
}

// customCodec stores custom resources. Their registries replace it with codecs for their
// versions.
func customCodec() runtime.Codec { return unstructured.UnstructuredJSONScheme }
