package env

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator/description"
	"github.com/cosi-emu/cosi-emu/internal/hub"
)

// WithoutProtocol adds to the error of WaitAccess how to start an emulator with the protocol that the access or one of its
// claims requests, if the fake driver can serve it, and does not.
func WithoutProtocol(ctx context.Context, c client.Client, info description.Info, key client.ObjectKey, err error) error {
	access, readErr := hub.ReadAccess(ctx, c, info.API, key)
	if readErr != nil {
		return err // which has a cause of its own
	}
	requested := []v1alpha2.Protocol{access.Spec.Protocol}
	lists, readErr := hub.Read(ctx, c, info.API, hub.Options{Namespace: key.Namespace})
	if readErr != nil {
		return err
	}
	for i := range lists.Claims {
		claim := &lists.Claims[i]
		if slices.ContainsFunc(access.Spec.BucketClaims, func(a v1alpha2.BucketClaimAccess) bool { return a.BucketClaimName == claim.Name }) {
			requested = append(requested, claim.Spec.Protocols...)
		}
	}
	for _, protocol := range requested {
		if advice := turnOn(info, protocol); advice != "" {
			return fmt.Errorf("%w; %s", err, advice)
		}
	}
	return err
}

// OtherProtocol describes that an access has credentials for another protocol than it requests, which only v1alpha1 allows;
// otherwise it is empty.
func OtherProtocol(
	ctx context.Context, c client.Client, info description.Info, key client.ObjectKey, variables []Variable,
) (string, error) {
	at := slices.IndexFunc(variables, func(v Variable) bool { return v.Name == v1alpha2.SecretKeyProtocol })
	if info.API != objectstorage.V1alpha1 || at < 0 {
		return "", nil
	}
	access, err := hub.ReadAccess(ctx, c, info.API, key)
	if err != nil {
		return "", fmt.Errorf("BucketAccess %s: %w", key, err)
	}
	wanted, got := access.Spec.Protocol, variables[at].Value
	if wanted == "" || string(wanted) == got {
		return "", nil
	}
	text := fmt.Sprintf("BucketAccess %s requests %s, and the driver returned credentials for %s", key, wanted, got)
	if advice := turnOn(info, wanted); advice != "" {
		text += "; " + advice
	}
	return text, nil
}

// turnOn returns how to start an emulator with a protocol that its fake driver can serve, and does not; otherwise "".
func turnOn(info description.Info, protocol v1alpha2.Protocol) string {
	services := []struct {
		protocol v1alpha2.Protocol
		endpoint string
	}{
		{v1alpha2.ProtocolS3, info.S3Endpoint}, {v1alpha2.ProtocolGCS, info.GCSEndpoint}, {v1alpha2.ProtocolAzure, info.AzureEndpoint},
	}
	if info.S3Endpoint == "" { // there is no fake driver
		return ""
	}
	var on []string
	isOff := false
	for _, s := range services {
		isOff = isOff || s.protocol == protocol && s.endpoint == ""
		if s.endpoint != "" || s.protocol == protocol {
			on = append(on, string(s.protocol))
		}
	}
	switch {
	case !isOff:
		return ""
	case info.API == objectstorage.V1alpha1 && protocol == v1alpha2.ProtocolGCS:
		return "" // that version has no driver for it
	case info.API == objectstorage.V1alpha1:
		return fmt.Sprintf("start the emulator with --protocols %s; a driver of v1alpha1 has one protocol", protocol)
	default:
		return "start the emulator with --protocols " + strings.Join(on, ",")
	}
}
