package volume

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"

	"github.com/cosi-emu/cosi-emu/internal/pods/csi"
)

// republishInterval is how often a driver is called that requires it.
const republishInterval = time.Minute

// publish makes a volume by its CSI driver. It returns when the driver must be called again.
func (v *Volumes) publish(ctx context.Context, volume *corev1.Volume) (again time.Time, err error) {
	driver, err := v.drivers.Find(volume.CSI.Driver)
	if err != nil {
		return again, err
	}
	wanted := &csi.Volume{Pod: v.pod, Name: volume.Name, Source: volume.CSI, Target: v.target(volume.Name), Group: v.group()}
	if wanted.Tokens, err = v.requestedTokens(ctx, volume.Name, driver.Object.Spec.TokenRequests); err != nil {
		return again, err
	}
	if ref := volume.CSI.NodePublishSecretRef; ref != nil {
		secret, err := v.sources.Secret(ctx, v.pod.Namespace, ref.Name)
		if err != nil {
			return again, err
		}
		wanted.Secrets = map[string]string{}
		for key, value := range secret.Data {
			wanted.Secrets[key] = string(value)
		}
	}
	if err := driver.Publish(ctx, wanted); err != nil {
		return again, err
	}
	if repeat := driver.Object.Spec.RequiresRepublish; repeat != nil && *repeat {
		again = time.Now().Add(republishInterval)
	}
	return again, nil
}

func (v *Volumes) requestedTokens(ctx context.Context, volume string, requests []storagev1.TokenRequest) (map[string]csi.Token, error) {
	tokens := map[string]csi.Token{}
	for _, request := range requests {
		found, err := v.tokenFor(ctx, volume+"/csi/"+request.Audience, request.Audience, request.ExpirationSeconds)
		if err != nil {
			return nil, err
		}
		tokens[request.Audience] = csi.Token{Token: found.value, Expires: found.expires}
	}
	return tokens, nil
}

// unpublish removes the volumes that CSI drivers have made.
func (v *Volumes) unpublish(ctx context.Context) error {
	var failed []error
	for i := range v.pod.Spec.Volumes {
		volume := &v.pod.Spec.Volumes[i]
		if volume.CSI == nil {
			continue
		}
		driver, err := v.drivers.Find(volume.CSI.Driver)
		if err != nil {
			continue // it has made nothing
		}
		if err := driver.Unpublish(ctx, v.pod.UID, volume.Name, v.target(volume.Name)); err != nil {
			failed = append(failed, &UnmountError{volume.Name, err})
		}
	}
	return errors.Join(failed...)
}

// target is the path of a volume that a CSI driver makes.
func (v *Volumes) target(volume string) string { return filepath.Join(v.path(volume), "mount") }

// group returns the group of files; nil if the Pod has none, or this process cannot give files away.
func (v *Volumes) group() *int64 {
	if context := v.pod.Spec.SecurityContext; context != nil && os.Geteuid() == 0 {
		return context.FSGroup
	}
	return nil
}
