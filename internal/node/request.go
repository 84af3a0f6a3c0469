package node

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Attributes of a volume that users set in volumeAttributes.
const (
	// AttributeAccess is the name of the BucketAccess, in the namespace of the Pod. It is required.
	AttributeAccess = "bucketAccess"
	// AttributeClaim selects one bucket of an access to several, by the name of its BucketClaim.
	AttributeClaim = "bucketClaim"
	// AttributeMode is the mode of the files, in octal digits.
	AttributeMode = "mode"
)

// Attributes that the kubelet adds.
const (
	kubeletPrefix      = "csi.storage.k8s.io/"
	attributeEphemeral = kubeletPrefix + "ephemeral"
	attributePod       = kubeletPrefix + "pod.name"
	attributeNamespace = kubeletPrefix + "pod.namespace"
	attributePodUID    = kubeletPrefix + "pod.uid"
	attributeTokens    = kubeletPrefix + "serviceAccount.tokens"
)

// Modes of files without the attribute.
const (
	ownerMode = 0o600 // for the user of the Pod that is root
	groupMode = 0o640 // with a group
)

// publishRequest is what a NodePublishVolume asks for.
type publishRequest struct {
	volumeID, target string
	access           client.ObjectKey
	claim            string // empty for all
	pod              string
	podUID           types.UID
	token            string
	mode             fs.FileMode
	gid              *int
}

// parsePublish returns all errors of a request at once.
func parsePublish(req *csi.NodePublishVolumeRequest) (*publishRequest, error) {
	attributes := req.GetVolumeContext()
	r := &publishRequest{
		volumeID: req.GetVolumeId(), target: req.GetTargetPath(), claim: attributes[AttributeClaim],
		access: client.ObjectKey{Namespace: attributes[attributeNamespace], Name: attributes[AttributeAccess]},
		pod:    attributes[attributePod], podUID: types.UID(attributes[attributePodUID]),
	}
	errs := []error{validateVolume(r.volumeID, r.target), validateAttributes(attributes)}
	var err error
	if r.gid, err = parseGroup(req.GetVolumeCapability()); err != nil {
		errs = append(errs, err)
	}
	if r.mode, err = parseMode(attributes[AttributeMode], r.gid != nil); err != nil {
		errs = append(errs, err)
	}
	if r.token, err = parseToken(req); err != nil {
		errs = append(errs, err)
	}
	return r, errors.Join(errs...)
}

// validateVolume checks what each RPC about a volume has.
func validateVolume(volumeID, target string) error {
	switch {
	case volumeID == "":
		return errors.New("volume_id is required")
	case target == "":
		return errors.New("target_path is required")
	case !filepath.IsAbs(target) || filepath.Dir(filepath.Clean(target)) == filepath.Clean(target):
		return fmt.Errorf("target_path %q must be an absolute path below the root directory", target)
	default:
		return nil
	}
}

func validateAttributes(attributes map[string]string) error {
	var errs []error
	if attributes[attributeEphemeral] != "true" {
		errs = append(errs, errors.New(
			"only ephemeral inline volumes are supported: use the field csi of a volume of the Pod, and no PersistentVolume"))
	}
	for _, required := range []string{attributePod, attributeNamespace, attributePodUID} {
		if attributes[required] == "" {
			errs = append(errs, fmt.Errorf("the volume context has no %s: set spec.podInfoOnMount of the CSIDriver", required))
		}
	}
	if attributes[AttributeAccess] == "" {
		errs = append(errs, fmt.Errorf("volumeAttributes.%s is required: it names a BucketAccess in the namespace of the Pod", AttributeAccess))
	}
	for name := range attributes {
		if name != AttributeAccess && name != AttributeClaim && name != AttributeMode && !strings.HasPrefix(name, kubeletPrefix) {
			errs = append(errs, fmt.Errorf("unknown volumeAttributes.%s: it must be %s, %s or %s",
				name, AttributeAccess, AttributeClaim, AttributeMode))
		}
	}
	return errors.Join(errs...)
}

// parseGroup returns the fsGroup of the Pod, or nil.
func parseGroup(capability *csi.VolumeCapability) (*int, error) {
	switch {
	case capability == nil:
		return nil, errors.New("volume_capability is required")
	case capability.GetBlock() != nil:
		return nil, errors.New("volumes are directories with files; block devices are unsupported")
	}
	group := capability.GetMount().GetVolumeMountGroup()
	if group == "" {
		return nil, nil
	}
	gid, err := strconv.ParseUint(group, 10, 31)
	if err != nil {
		return nil, fmt.Errorf("volume_mount_group %q must be the number of a group", group)
	}
	return new(int(gid)), nil
}

func parseMode(mode string, hasGroup bool) (fs.FileMode, error) {
	switch {
	case mode == "" && hasGroup:
		return groupMode, nil
	case mode == "":
		return ownerMode, nil
	}
	bits, err := strconv.ParseUint(mode, 8, 32)
	if err != nil || bits > 0o777 || bits&0o400 == 0 {
		return 0, fmt.Errorf("volumeAttributes.%s %q must be octal digits between 0400 and 0777 that let the owner read", AttributeMode, mode)
	}
	return fs.FileMode(bits), nil
}
