package volume

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"path"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/cosi-emu/cosi-emu/internal/atomicvolume"
	"github.com/cosi-emu/cosi-emu/internal/pods/environment"
)

type files = map[string]atomicvolume.File

// files returns the files of a volume that is made of objects.
func (v *Volumes) files(ctx context.Context, volume *corev1.Volume) (files, error) {
	switch {
	case volume.Secret != nil:
		s := volume.Secret
		return v.secret(ctx, s.SecretName, s.Items, v.mode(s.DefaultMode), s.Optional)
	case volume.ConfigMap != nil:
		c := volume.ConfigMap
		return v.configMap(ctx, c.Name, c.Items, v.mode(c.DefaultMode), c.Optional)
	case volume.DownwardAPI != nil:
		return v.downward(volume.DownwardAPI.Items, v.mode(volume.DownwardAPI.DefaultMode))
	case volume.Projected != nil:
		return v.projected(ctx, volume.Name, volume.Projected)
	default:
		return nil, fmt.Errorf("this node does not serve volumes of this kind: %s", Served)
	}
}

// Served names the kinds of volumes.
const Served = "use secret, configMap, projected, downwardAPI, emptyDir or csi"

// defaultMode is the mode of files by default in the API.
const defaultMode = 0o644

// mode returns the mode and group of files. With an fsGroup, its members may read them.
func (v *Volumes) mode(mode *int32) atomicvolume.File {
	file := atomicvolume.File{Mode: defaultMode}
	if mode != nil {
		file.Mode = fs.FileMode(*mode) //nolint:gosec // the API has permission bits only
	}
	if context := v.pod.Spec.SecurityContext; context != nil && context.FSGroup != nil {
		file.Mode |= 0o440
	}
	if group := v.group(); group != nil {
		file.GID = new(int(*group))
	}
	return file
}

func (v *Volumes) secret(
	ctx context.Context, name string, items []corev1.KeyToPath, mode atomicvolume.File, optional *bool,
) (files, error) {
	secret, err := v.sources.Secret(ctx, v.pod.Namespace, name)
	if apierrors.IsNotFound(err) {
		if optional != nil && *optional {
			return files{}, nil
		}
		return nil, fmt.Errorf("secret %q not found", name)
	}
	if err != nil {
		return nil, err
	}
	return project(secret.Data, items, mode, optional, "secret")
}

func (v *Volumes) configMap(
	ctx context.Context, name string, items []corev1.KeyToPath, mode atomicvolume.File, optional *bool,
) (files, error) {
	configMap, err := v.sources.ConfigMap(ctx, v.pod.Namespace, name)
	if apierrors.IsNotFound(err) {
		if optional != nil && *optional {
			return files{}, nil
		}
		return nil, fmt.Errorf("configmap %q not found", name)
	}
	if err != nil {
		return nil, err
	}
	data := maps.Clone(configMap.BinaryData)
	if data == nil {
		data = map[string][]byte{}
	}
	for key, value := range configMap.Data {
		data[key] = []byte(value)
	}
	return project(data, items, mode, optional, "config")
}

// project returns the items of an object, or all its keys without items.
func project(data map[string][]byte, items []corev1.KeyToPath, mode atomicvolume.File, optional *bool, kind string) (files, error) {
	all := files{}
	if len(items) == 0 {
		for key, value := range data {
			all[key] = withData(mode, value)
		}
		return all, nil
	}
	for _, item := range items {
		value, ok := data[item.Key]
		if !ok {
			if optional != nil && *optional {
				continue
			}
			return nil, fmt.Errorf("references non-existent %s key: %s", kind, item.Key)
		}
		all[path.Clean(item.Path)] = withData(withMode(mode, item.Mode), value)
	}
	return all, nil
}

func withData(file atomicvolume.File, data []byte) atomicvolume.File {
	file.Data = data
	return file
}

func withMode(file atomicvolume.File, mode *int32) atomicvolume.File {
	if mode != nil {
		file.Mode = fs.FileMode(*mode) //nolint:gosec // the API has permission bits only
	}
	return file
}

func (v *Volumes) downward(items []corev1.DownwardAPIVolumeFile, mode atomicvolume.File) (files, error) {
	all := files{}
	for i := range items {
		item := &items[i]
		var value string
		var err error
		if item.FieldRef != nil {
			value, err = environment.Field(v.pod, item.FieldRef.FieldPath)
		} else {
			value, err = environment.Resource(v.pod, nil, item.ResourceFieldRef)
		}
		if err != nil {
			return nil, err
		}
		all[path.Clean(item.Path)] = withData(withMode(mode, item.Mode), []byte(value))
	}
	return all, nil
}
