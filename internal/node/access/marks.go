package access

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// Marks are the annotations that keep accesses from being revoked. They are read and written with the rights of the
// node adapter, which read no Secret.
type Marks struct {
	client  client.Client
	version objectstorage.Version
}

// Mark is the annotation of one volume.
type Mark struct {
	Access client.ObjectKey
	UID    types.UID // of the access
	// Volume is the end of the annotation's key.
	Volume string
	User   v1alpha2.VolumeUser
	// Deleting is true if the access is being deleted.
	Deleting bool
}

// NewMarks returns the marks of a cluster.
func NewMarks(cfg *rest.Config, version objectstorage.Version) (*Marks, error) {
	c, err := newClient(cfg, version)
	if err != nil {
		return nil, err
	}
	return &Marks{client: c, version: version}, nil
}

// Has reports whether an access has the mark.
func Has(access *Access, m Mark) bool {
	return access.Object.GetAnnotations()[v1alpha2.VolumeAnnotationPrefix+m.Volume] == m.User.String()
}

// Add adds a mark, and reports whether the access is being deleted. Then the mark does not count, and has to be
// removed: the sidecar may have read the access before. A vanished access is an error, which is NotFound or Conflict.
func (s *Marks) Add(ctx context.Context, m Mark) (deleting bool, err error) {
	value := m.User.String()
	object, err := s.patch(ctx, m, &value)
	if err != nil {
		return false, fmt.Errorf("mark BucketAccess %s as used: %w", m.Access, err)
	}
	return !object.GetDeletionTimestamp().IsZero(), nil
}

// Remove removes a mark. A vanished access has none.
func (s *Marks) Remove(ctx context.Context, m Mark) error {
	_, err := s.patch(ctx, m, nil)
	if err == nil || IsVanished(err) {
		return nil
	}
	return fmt.Errorf("release BucketAccess %s: %w", m.Access, err)
}

// IsVanished reports whether an error of Add means that the access does not exist any more. If another access has its
// name, the API server rejects the patch for the UID in it.
func IsVanished(err error) bool {
	return apierrors.IsNotFound(err) || apierrors.IsConflict(err) || apierrors.IsInvalid(err)
}

// patch writes one annotation, which needs no lock: no other writer has that key.
func (s *Marks) patch(ctx context.Context, m Mark, value *string) (client.Object, error) {
	data, err := json.Marshal(map[string]any{"metadata": map[string]any{
		"uid":         m.UID,
		"annotations": map[string]*string{v1alpha2.VolumeAnnotationPrefix + m.Volume: value},
	}})
	if err != nil {
		return nil, err
	}
	object := s.metadata()
	object.Namespace, object.Name = m.Access.Namespace, m.Access.Name
	return object, s.client.Patch(ctx, object, client.RawPatch(types.MergePatchType, data))
}

func (s *Marks) metadata() *metav1.PartialObjectMetadata {
	object := &metav1.PartialObjectMetadata{}
	object.SetGroupVersionKind(s.version.GroupVersion().WithKind(kind))
	return object
}

// List returns all marks of the cluster whose value has the right form.
func (s *Marks) List(ctx context.Context) ([]Mark, error) {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(s.version.GroupVersion().WithKind(kind + "List"))
	if err := s.client.List(ctx, list); err != nil {
		return nil, fmt.Errorf("list BucketAccesses: %w", err)
	}
	var marks []Mark
	for i := range list.Items {
		object := &list.Items[i]
		for key, value := range object.Annotations {
			volume, ours := strings.CutPrefix(key, v1alpha2.VolumeAnnotationPrefix)
			user, err := v1alpha2.ParseVolumeUser(value)
			if ours && err == nil {
				marks = append(marks, Mark{
					Access: client.ObjectKeyFromObject(object), UID: object.UID, Volume: volume, User: user,
					Deleting: !object.DeletionTimestamp.IsZero(),
				})
			}
		}
	}
	return marks, nil
}

// IsPodGone reports whether a Pod does not exist any more.
func (s *Marks) IsPodGone(ctx context.Context, pod client.ObjectKey, uid types.UID) (bool, error) {
	object := &metav1.PartialObjectMetadata{}
	object.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Pod"))
	err := s.client.Get(ctx, pod, object)
	if apierrors.IsNotFound(err) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("get Pod %s: %w", pod, err)
	}
	return object.UID != uid, nil
}
