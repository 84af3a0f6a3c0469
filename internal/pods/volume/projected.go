package volume

import (
	"context"
	"errors"
	"maps"
	"path"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/cosi-emu/cosi-emu/internal/atomicvolume"
)

// projected returns the files of all sources in one directory.
func (v *Volumes) projected(ctx context.Context, volume string, projected *corev1.ProjectedVolumeSource) (files, error) {
	all := files{}
	for i := range projected.Sources {
		some, err := v.projection(ctx, volume, &projected.Sources[i], v.mode(projected.DefaultMode))
		if err != nil {
			return nil, err
		}
		maps.Copy(all, some)
	}
	return all, nil
}

func (v *Volumes) projection(ctx context.Context, volume string, source *corev1.VolumeProjection, mode atomicvolume.File) (files, error) {
	switch {
	case source.Secret != nil:
		return v.secret(ctx, source.Secret.Name, source.Secret.Items, mode, source.Secret.Optional)
	case source.ConfigMap != nil:
		return v.configMap(ctx, source.ConfigMap.Name, source.ConfigMap.Items, mode, source.ConfigMap.Optional)
	case source.DownwardAPI != nil:
		return v.downward(source.DownwardAPI.Items, mode)
	case source.ServiceAccountToken != nil:
		return v.token(ctx, volume, source.ServiceAccountToken, mode)
	default:
		return nil, errors.New("this node does not serve projections of this kind: use secret, configMap, downwardAPI or serviceAccountToken")
	}
}

// token returns the file of a token.
func (v *Volumes) token(
	ctx context.Context, volume string, source *corev1.ServiceAccountTokenProjection, mode atomicvolume.File,
) (files, error) {
	found, err := v.tokenFor(ctx, volume+"/"+source.Path, source.Audience, source.ExpirationSeconds)
	if err != nil {
		return nil, err
	}
	return files{path.Clean(source.Path): withData(mode, []byte(found.value))}, nil
}

// tokenFor returns a token, which is renewed after four fifths of its life, as a kubelet does.
func (v *Volumes) tokenFor(ctx context.Context, key, audience string, expirationSeconds *int64) (token, error) {
	if known := v.tokens[key]; time.Now().Before(known.renew) {
		return known, nil
	}
	lifetime := time.Hour
	if expirationSeconds != nil {
		lifetime = time.Duration(*expirationSeconds) * time.Second
	}
	value, expires, err := v.sources.Token(ctx, v.pod, audience, lifetime)
	if err != nil {
		return token{}, err
	}
	v.tokens[key] = token{value: value, expires: expires, renew: time.Now().Add(time.Until(expires) * 4 / 5)}
	return v.tokens[key], nil
}
