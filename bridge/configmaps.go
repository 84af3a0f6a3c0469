package bridge

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/util/retry"
)

const (
	// ConfigMapLabel is the label of the ConfigMaps of a bridge. Its value is their
	// prefix.
	ConfigMapLabel = "objectstorage.k8s.io/bridge"

	configMapKey   = "key"
	configMapValue = "value"
)

// ConfigMaps is a KeyStore in the ConfigMaps of a namespace: one for each key, since a
// ConfigMap for all of them could become too large.
type ConfigMaps struct {
	client corev1client.ConfigMapInterface
	prefix string
}

var _ KeyStore = &ConfigMaps{}

// NewConfigMaps returns a Store in the namespace of the client. Bridges with different
// prefixes share no keys.
func NewConfigMaps(client corev1client.ConfigMapInterface, prefix string) *ConfigMaps {
	return &ConfigMaps{client: client, prefix: prefix}
}

func (c *ConfigMaps) name(key string) string {
	hash := sha256.Sum256([]byte(key))
	return c.prefix + "-" + hex.EncodeToString(hash[:16])
}

// get returns the ConfigMap of a key, or nil.
func (c *ConfigMaps) get(ctx context.Context, key string) (*corev1.ConfigMap, error) {
	stored, err := c.client.Get(ctx, c.name(key), metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return nil, nil
	case err != nil:
		return nil, err
	case stored.Data[configMapKey] != key:
		return nil, fmt.Errorf("ConfigMap %s/%s is not that of %s: it was changed by another program; restore it from a backup",
			stored.Namespace, stored.Name, key)
	}
	return stored, nil
}

// Load implements Store.
func (c *ConfigMaps) Load(ctx context.Context, key string) (value string, found bool, err error) {
	stored, err := c.get(ctx, key)
	if err != nil || stored == nil {
		return "", false, err
	}
	return stored.Data[configMapValue], true, nil
}

// Keys implements KeyStore.
func (c *ConfigMaps) Keys(ctx context.Context) ([]string, error) {
	list, err := c.client.List(ctx, metav1.ListOptions{LabelSelector: labels.Set{ConfigMapLabel: c.prefix}.String()})
	if err != nil {
		return nil, err
	}
	keys := make([]string, len(list.Items))
	for i := range list.Items {
		keys[i] = list.Items[i].Data[configMapKey]
	}
	return keys, nil
}

// Save implements Store.
func (c *ConfigMaps) Save(ctx context.Context, key, value string) error {
	data := map[string]string{configMapKey: key, configMapValue: value}
	return retry.OnError(retry.DefaultBackoff, isRace, func() error {
		stored, err := c.get(ctx, key)
		switch {
		case err != nil:
			return err
		case stored == nil:
			_, err = c.client.Create(ctx, &corev1.ConfigMap{
				ObjectMeta: metav1.ObjectMeta{Name: c.name(key), Labels: map[string]string{ConfigMapLabel: c.prefix}},
				Data:       data,
			}, metav1.CreateOptions{})
		default:
			stored.Data = data
			_, err = c.client.Update(ctx, stored, metav1.UpdateOptions{})
		}
		return err
	})
}

func isRace(err error) bool {
	return apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) || apierrors.IsNotFound(err)
}

// Delete implements Store.
func (c *ConfigMaps) Delete(ctx context.Context, key string) error {
	err := c.client.Delete(ctx, c.name(key), metav1.DeleteOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
