package v1alpha2

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// VolumeAnnotationPrefix starts the annotations with which node adapters mark a BucketAccess, of any
// version, that a Pod uses in a volume. Each volume has one annotation: its key ends with a hash of
// the volume's ID, and its value is a VolumeUser. The sidecar does not revoke an access with such an
// annotation. The KEP has no node adapter, so the names of this file are not the KEP's.
const VolumeAnnotationPrefix = "volume.objectstorage.k8s.io/"

// ConditionInUse of a BucketAccess is True while Pods use it in volumes of node adapters. It is
// missing in an access that never had such a volume.
const ConditionInUse = "InUse"

// Reasons of the condition InUse.
const (
	// ReasonVolumePublished: at least one Pod has a volume with the access.
	ReasonVolumePublished = "VolumePublished"
	// ReasonNoVolume: no Pod has a volume with the access any more.
	ReasonNoVolume = "NoVolume"
)

// ErrVolumeUser is the error of an annotation whose value is no VolumeUser.
var ErrVolumeUser = errors.New("not of the form <node>/<pod>/<uid of the pod>")

// VolumeUser is the Pod that uses an access in a volume. It is in the namespace of the BucketAccess.
//
// +kubebuilder:object:generate=false
type VolumeUser struct {
	Node, Pod string
	PodUID    types.UID
}

// String returns the value of the annotation.
func (u VolumeUser) String() string { return u.Node + "/" + u.Pod + "/" + string(u.PodUID) }

// ParseVolumeUser reads the value of an annotation. The error wraps ErrVolumeUser.
func ParseVolumeUser(value string) (VolumeUser, error) {
	parts := strings.Split(value, "/")
	if len(parts) != 3 || slices.Contains(parts, "") {
		return VolumeUser{}, fmt.Errorf("%q is %w", value, ErrVolumeUser)
	}
	return VolumeUser{Node: parts[0], Pod: parts[1], PodUID: types.UID(parts[2])}, nil
}

// PodsWithVolumes returns the names of the Pods that use an access in volumes, sorted. A value that
// is no VolumeUser counts as the name of a Pod, so that it protects the access.
func PodsWithVolumes(access metav1.Object) []string {
	var pods []string
	for key, value := range access.GetAnnotations() {
		if !strings.HasPrefix(key, VolumeAnnotationPrefix) {
			continue
		}
		if user, err := ParseVolumeUser(value); err == nil {
			value = user.Pod
		}
		pods = append(pods, value)
	}
	slices.Sort(pods)
	return slices.Compact(pods)
}
