package command

import (
	"context"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/internal/instance"
	"github.com/cosi-emu/cosi-emu/internal/suggest"
)

// withNear adds the BucketAccess of a running emulator that --access probably means to an error of validate.
func (a *access) withNear(ctx context.Context, name string, err error) error {
	info, missing := instance.Get(name)
	if _, _, invalid := a.key(); invalid == nil || missing != nil || !info.Ready || info.StoreOnly {
		return err
	}
	c, unreachable := connect(info)
	if unreachable != nil {
		return err
	}
	return cli.Usage(withNearAccess(ctx, c, info.API, a.access, err))
}

// withNearAccess adds the BucketAccess that is probably meant to an error: one of that name in another namespace, or one
// with a similar name.
func withNearAccess(ctx context.Context, c client.Client, version objectstorage.Version, meant string, err error) error {
	limited, cancel := context.WithTimeout(ctx, apiTimeout)
	defer cancel()
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(version.GroupVersion().WithKind("BucketAccessList"))
	if c.List(limited, list) != nil {
		return err
	}
	var all []string
	for i := range list.Items {
		key := client.ObjectKeyFromObject(&list.Items[i])
		if key.Name == meant[strings.Index(meant, "/")+1:] {
			return fmt.Errorf("%w: did you mean %q?", err, key)
		}
		all = append(all, key.String())
	}
	if near, ok := suggest.Near(meant, all); ok {
		return fmt.Errorf("%w: did you mean %q?", err, near)
	}
	return err
}
