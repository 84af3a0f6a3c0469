package scale

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// errReplay means that the components make a write of a kind that cannot be
// repeated.
var errReplay = errors.New("a write of this kind cannot be repeated")

// replay is the writes that components have made for a batch, to be made once
// more without them: the same writes, by the same users, in the same order for
// each object, on objects of the same names in another namespace.
type replay struct {
	batch  batch
	chains [][]*bareWrite // for each of the batch
	uids   []uids
}

// uids are the UIDs of the claim and the access that writes were made for. They are in the names and
// references of other objects.
type uids struct{ claim, access string }

// bareWrite is a write that is ready to be repeated, but for UIDs and namespace.
type bareWrite struct {
	*write
	content string
}

// newReplay groups writes by the pairs that they were made for. The objects of the batch must still
// exist.
func (e *environment) newReplay(ctx context.Context, b batch, writes []*write) (*replay, error) {
	r := &replay{batch: b, chains: make([][]*bareWrite, b.count), uids: make([]uids, b.count)}
	index, err := r.identify(ctx, e.admin)
	if err != nil {
		return nil, err
	}
	for _, w := range writes {
		if !w.done {
			continue
		}
		bare, err := newBareWrite(w)
		if err != nil {
			return nil, err
		}
		i, ours := index[bare.owner()]
		if !ours {
			return nil, fmt.Errorf("%w: %s %s/%s is for none of the batch", errReplay, operation(w.verb, w.resource, w.sub), w.namespace, bare.name)
		}
		r.chains[i] = append(r.chains[i], bare)
	}
	return r, nil
}

// identify notes the UIDs of the batch, and returns which names stand for which
// of it.
func (r *replay) identify(ctx context.Context, c client.Client) (map[string]int, error) {
	index := map[string]int{}
	for i := range r.batch.count {
		for _, object := range r.batch.objects(i) {
			if err := c.Get(ctx, client.ObjectKeyFromObject(object), object); err != nil {
				return nil, err
			}
			index[object.GetName()] = i
			if claim, isClaim := object.(*v1alpha2.BucketClaim); isClaim {
				r.uids[i].claim = string(claim.UID)
				index[v1alpha2.BucketNameForClaim(claim.UID)] = i
			} else {
				r.uids[i].access = string(object.GetUID())
			}
		}
	}
	return index, nil
}

// newBareWrite takes out of a write what holds it to one version of one object.
func newBareWrite(w *write) (*bareWrite, error) {
	var content map[string]any
	if err := json.Unmarshal(w.body, &content); err != nil {
		return nil, fmt.Errorf("%w: %w", errReplay, err)
	}
	repeated := *w
	if metadata, ok := content["metadata"].(map[string]any); ok {
		for _, field := range []string{"resourceVersion", "uid", "creationTimestamp", "managedFields"} {
			delete(metadata, field)
		}
		if name, ok := metadata["name"].(string); ok && w.name == "" {
			repeated.name = name
		}
	}
	body, err := json.Marshal(content)
	return &bareWrite{write: &repeated, content: string(body)}, err
}

// owner is the name of the object that a write was made for. An Event has it in
// the beginning of its own.
func (w *bareWrite) owner() string {
	if w.resource != "events" {
		return w.name
	}
	return w.name[:max(0, strings.LastIndexByte(w.name, '.'))]
}

// run makes all the writes in a namespace of their own, with the user's writes that create the
// batch. It makes as many at the same time as there are workers.
func (r *replay) run(ctx context.Context, s *environment, namespace string, workers int) error {
	clients := map[string]client.Client{}
	for user, cfg := range s.users {
		c, err := client.New(cfg, client.Options{Scheme: s.scheme})
		if err != nil {
			return err
		}
		clients[user] = c
	}
	b := r.batch
	b.namespace = namespace
	return concurrently(ctx, workers, b.count, func(ctx context.Context, i int) error {
		replaced := []string{r.batch.namespace, namespace}
		for _, object := range b.objects(i) {
			if err := clients[admin].Create(ctx, object); err != nil {
				return err
			}
			old := r.uids[i].access
			if _, isClaim := object.(*v1alpha2.BucketClaim); isClaim {
				old = r.uids[i].claim
			}
			replaced = append(replaced, old, string(object.GetUID()))
		}
		adapt := strings.NewReplacer(replaced...)
		for _, w := range r.chains[i] {
			if err := w.repeat(ctx, clients[w.user], adapt); err != nil {
				return fmt.Errorf("repeat %s: %w", operation(w.verb, w.resource, w.sub), err)
			}
		}
		return nil
	})
}

// repeat makes one write.
func (w *bareWrite) repeat(ctx context.Context, c client.Client, adapt *strings.Replacer) error {
	object := w.object()
	if object == nil {
		return errReplay
	}
	body := []byte(adapt.Replace(w.content))
	if w.verb == "create" || w.verb == "update" {
		if err := json.Unmarshal(body, object); err != nil {
			return err
		}
	}
	object.SetNamespace(adapt.Replace(w.namespace))
	object.SetName(adapt.Replace(w.name))
	switch {
	case w.verb == "create" && w.sub == "":
		return c.Create(ctx, object)
	case w.verb == "update" && w.sub == "":
		return c.Update(ctx, object)
	case w.verb == "patch" && w.sub == "":
		return c.Patch(ctx, object, client.RawPatch(types.PatchType(w.contentType), body))
	case w.verb == "patch":
		return c.SubResource(w.sub).Patch(ctx, object, client.RawPatch(types.PatchType(w.contentType), body))
	default:
		return errReplay
	}
}

// object returns an empty object of the kind that is written.
func (w *bareWrite) object() client.Object {
	switch w.resource {
	case "bucketclaims":
		return &v1alpha2.BucketClaim{}
	case "buckets":
		return &v1alpha2.Bucket{}
	case "bucketaccesses":
		return &v1alpha2.BucketAccess{}
	case "secrets":
		return &corev1.Secret{}
	case "events":
		return &eventsv1.Event{}
	default:
		return nil
	}
}

// size returns how many writes are made, with the user's writes.
func (r *replay) size() int {
	writes := 0
	for i, chain := range r.chains {
		writes += len(chain) + len(r.batch.objects(i))
	}
	return writes
}
