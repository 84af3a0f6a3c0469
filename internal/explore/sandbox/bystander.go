package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/eventscope"
	"github.com/cosi-emu/cosi-emu/internal/explore/run"
	"github.com/cosi-emu/cosi-emu/internal/hub"
	"github.com/cosi-emu/cosi-emu/internal/oracle/checks"
	"github.com/cosi-emu/cosi-emu/internal/oracle/observed"
)

// bystanderTimeout limits the provisioning of the bystander.
const bystanderTimeout = time.Minute

// bystander is a claim and an access that live as long as their sandbox. No run and no interference
// concerns them, so nothing of them may change. Their bucket exists before them, so that their
// Bucket has a name of its own.
type bystander struct {
	// account is the ID of the account in the backend.
	account string
	words   []string
	before  map[string]string
}

// isBystander reports whether an object of a namespace, or a Bucket for a claim in it,
// belongs to the bystander.
func isBystander(namespace string) bool { return namespace == run.Bystander }

// addBystander creates the bystander. A sandbox with an external driver has none.
func (sb *Sandbox) addBystander(ctx context.Context) (err error) {
	backend := sb.Emulator.Store()
	if backend == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, bystanderTimeout)
	defer cancel()
	_, err = backend.CreateBucket(ctx, fakedriver.BucketSpec{Name: run.Bystander, Owner: emulator.RootAccount})
	for _, o := range bystanderObjects(sb.Emulator.Info().API, sb.Emulator.Info().DriverName) {
		if err == nil {
			err = sb.Emulator.Client().Create(ctx, o)
		}
	}
	added := &bystander{}
	if err == nil {
		err = added.awaitReady(ctx, sb.Emulator)
	}
	if err == nil {
		added.before, err = added.look(ctx, sb.Emulator)
	}
	if err != nil {
		return fmt.Errorf("make the bystander of a sandbox: %w", err)
	}
	sb.bystander = added
	return nil
}

func bystanderObjects(version objectstorage.Version, driver string) []client.Object {
	meta := metav1.ObjectMeta{Name: run.Bystander, Namespace: run.Bystander}
	cluster := metav1.ObjectMeta{Name: run.Bystander}
	namespace := &corev1.Namespace{ObjectMeta: cluster}
	if version == objectstorage.V1alpha1 {
		return []client.Object{
			namespace,
			&v1alpha1.Bucket{ObjectMeta: cluster, Spec: v1alpha1.BucketSpec{
				DriverName: driver, DeletionPolicy: v1alpha1.DeletionPolicyRetain, ExistingBucketID: run.Bystander,
				BucketClassName: emulator.ClassStandard, // upstream reads its parameters
				Protocols:       []v1alpha1.Protocol{v1alpha1.ProtocolS3},
				BucketClaim:     &corev1.ObjectReference{Namespace: run.Bystander, Name: run.Bystander},
			}},
			&v1alpha1.BucketClaim{ObjectMeta: meta, Spec: v1alpha1.BucketClaimSpec{
				ExistingBucketName: run.Bystander, Protocols: []v1alpha1.Protocol{v1alpha1.ProtocolS3},
			}},
			&v1alpha1.BucketAccess{ObjectMeta: meta, Spec: v1alpha1.BucketAccessSpec{
				BucketAccessClassName: emulator.ClassStandard, Protocol: v1alpha1.ProtocolS3,
				BucketClaimName: run.Bystander, CredentialsSecretName: run.Bystander,
			}},
		}
	}
	return []client.Object{
		namespace,
		&v1alpha2.Bucket{ObjectMeta: cluster, Spec: v1alpha2.BucketSpec{
			DriverName: driver, DeletionPolicy: v1alpha2.DeletionPolicyRetain, ExistingBucketID: run.Bystander,
			Protocols:      []v1alpha2.Protocol{v1alpha2.ProtocolS3},
			BucketClaimRef: v1alpha2.BucketClaimReference{Namespace: run.Bystander, Name: run.Bystander},
		}},
		&v1alpha2.BucketClaim{ObjectMeta: meta, Spec: v1alpha2.BucketClaimSpec{
			ExistingBucketName: run.Bystander, Protocols: []v1alpha2.Protocol{v1alpha2.ProtocolS3},
		}},
		&v1alpha2.BucketAccess{ObjectMeta: meta, Spec: v1alpha2.BucketAccessSpec{
			BucketAccessClassName: emulator.ClassStandard, Protocol: v1alpha2.ProtocolS3,
			BucketClaims: []v1alpha2.BucketClaimAccess{{
				BucketClaimName: run.Bystander, AccessSecretName: run.Bystander,
				AccessModes: v1alpha2.BucketAccessModes{ObjectData: v1alpha2.BucketAccessModeReadWrite},
			}},
		}},
	}
}

func (b *bystander) awaitReady(ctx context.Context, emu *emulator.Emulator) error {
	var last hub.Lists
	err := wait.PollUntilContextCancel(ctx, pollInterval, true, func(ctx context.Context) (bool, error) {
		lists, err := hub.Read(ctx, emu.Client(), emu.Info().API, hub.Options{Namespace: run.Bystander})
		if err != nil {
			return false, err
		}
		last = lists
		if len(lists.Accesses) != 1 || !lists.Accesses[0].Status.ReadyToUse {
			return false, nil
		}
		access := &lists.Accesses[0]
		b.account, b.words = access.Status.AccountID, []string{run.Bystander, string(access.UID)}
		return true, nil
	})
	if err != nil {
		return fmt.Errorf("%s: %w", missing(last), err)
	}
	return nil
}

// missing describes which object of the bystander the components have not made ready.
func missing(l hub.Lists) string {
	mine := func(b v1alpha2.Bucket) bool { return b.Name == run.Bystander && b.Status.ReadyToUse }
	switch {
	case !slices.ContainsFunc(l.Buckets, mine):
		return "the components have not made its static Bucket ready"
	case len(l.Claims) != 1 || !l.Claims[0].Status.ReadyToUse:
		return "the components have not made its BucketClaim ready"
	default:
		return "the components have not made its BucketAccess ready"
	}
}

// look returns the state of each object: its UID and its lasting contents in Kubernetes, or its contents in
// the backend.
func (b *bystander) look(ctx context.Context, emu *emulator.Emulator) (map[string]string, error) {
	key := client.ObjectKey{Namespace: run.Bystander, Name: run.Bystander}
	states := map[string]string{}
	for kind, o := range map[string]client.Object{
		"BucketClaim":  hub.Reference(emu.Info().API, &v1alpha2.BucketClaim{}),
		"BucketAccess": hub.Reference(emu.Info().API, &v1alpha2.BucketAccess{}),
		"Bucket":       hub.Reference(emu.Info().API, &v1alpha2.Bucket{}), "Secret": &corev1.Secret{},
	} {
		of := key
		if kind == "Bucket" {
			of.Namespace = ""
		}
		if err := client.IgnoreNotFound(emu.Client().Get(ctx, of, o)); err != nil {
			return nil, fmt.Errorf("look at the bystander: %w", err)
		}
		contents, err := stable(o)
		if err != nil {
			return nil, err
		}
		states[kind+"/"+run.Bystander] = string(o.GetUID()) + " " + contents
	}
	buckets, err := emu.Store().Buckets(ctx)
	accounts, err2 := emu.Store().Accounts(ctx)
	if err := errors.Join(err, err2); err != nil {
		return nil, fmt.Errorf("look at the bystander: %w", err)
	}
	for _, bucket := range buckets {
		if bucket.Name == run.Bystander {
			states["bucket "+run.Bystander], err = rendered(bucket)
		}
	}
	for _, account := range accounts {
		if account.ID == b.account {
			states["account of BucketAccess/"+run.Bystander], err2 = rendered(account)
		}
	}
	return states, errors.Join(err, err2)
}

// stable renders objects without their versions and times. A sidecar that has started grants an access again,
// and reports when a busy machine lets that call time out, until the next one.
func stable(o any) (string, error) {
	text, err := rendered(o)
	if err != nil {
		return "", err
	}
	var fields any
	if err := json.Unmarshal([]byte(text), &fields); err != nil {
		return "", err
	}
	return run.ShortText(run.Stable(fields)), nil
}

func rendered(o any) (string, error) {
	text, err := json.Marshal(o)
	return string(text), err
}

func (r *running) judgeBystander() error {
	b := r.sandbox.bystander
	if b == nil {
		return nil
	}
	var now map[string]string
	err := wait.PollUntilContextTimeout(r.context, pollInterval, settleTimeout, true, func(ctx context.Context) (same bool, err error) {
		seen, err := b.look(ctx, r.sandbox.Emulator)
		if err == nil {
			now = seen
		}
		return maps.Equal(now, b.before), err
	})
	if err != nil && (now == nil || !wait.Interrupted(err)) {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(b.before)) {
		if now[name] != b.before[name] {
			r.seen.Spoiled = true
			r.seen.Found = append(r.seen.Found, checks.Finding{
				Oracle: run.OracleInnocent, Subject: name,
				Message: name + ", which belongs to another claim, has changed without interference",
			})
		}
	}
	return nil
}

func (b *bystander) hide(m *observed.Observation) {
	b.hideObjects(&m.Objects)
	if b == nil || m.Backend == nil {
		return
	}
	m.Backend.Buckets = slices.DeleteFunc(m.Backend.Buckets, func(of fakedriver.Bucket) bool { return of.Name == run.Bystander })
	m.Backend.Accounts = slices.DeleteFunc(m.Backend.Accounts, func(a fakedriver.Account) bool { return a.ID == b.account })
}

func (*bystander) hideObjects(o *observed.Objects) {
	o.Claims = slices.DeleteFunc(o.Claims, func(c v1alpha2.BucketClaim) bool { return isBystander(c.Namespace) })
	o.Accesses = slices.DeleteFunc(o.Accesses, func(a v1alpha2.BucketAccess) bool { return isBystander(a.Namespace) })
	o.Buckets = slices.DeleteFunc(o.Buckets, func(b v1alpha2.Bucket) bool { return isBystander(b.Spec.BucketClaimRef.Namespace) })
}

// scope covers the whole sandbox, except for its bystander.
func (sb *Sandbox) scope() eventscope.Scope {
	s := eventscope.Scope{Alone: true, Namespaces: []string{run.Namespace}}
	if sb.bystander != nil {
		s.Others = sb.bystander.words
	}
	return s
}
