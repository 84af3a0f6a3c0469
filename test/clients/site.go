package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/emulator/env"
	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	ctrl "sigs.k8s.io/controller-runtime"
	k8s "sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	namespace    = "clients"
	readyTimeout = time.Minute
	readyPoll    = 20 * time.Millisecond
)

// The buckets and accesses of a client, by the names that operations use.
const (
	readWrite = "rw"
	readOnly  = "ro"
	revoked   = "revoked"
	versioned = "versioned"
	foreign   = "foreign" // the keys of readWrite, and a bucket that they give no access to
)

// variant is a way to reach a service.
type variant struct {
	scheme string
	// virtual puts the bucket into the host name, which S3 alone has.
	virtual bool
}

func variants() []variant { return []variant{{"http", false}, {"https", true}} }

func (v variant) String() string {
	if v.virtual {
		return v.scheme + ", with S3 by virtual hosts"
	}
	return v.scheme
}

// site is an emulator with all protocols.
type site struct {
	variant

	emulator *emulator.Emulator
}

func startSite(ctx context.Context, v variant) (*site, error) {
	ctrl.SetLogger(logr.Discard())
	e, err := emulator.Start(ctx, emulator.Options{
		ControlPlaneKind: emulator.ControlPlaneEmbedded, TLS: v.scheme == "https",
		Protocols: []fakedriver.Protocol{fakedriver.ProtocolS3, fakedriver.ProtocolGCS, fakedriver.ProtocolAzure},
	})
	if err != nil {
		return nil, err
	}
	s := &site{v, e}
	err = s.create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}})
	for class, parameters := range v.classes() {
		err = errors.Join(err, s.create(ctx, &v1alpha2.BucketClass{
			ObjectMeta: metav1.ObjectMeta{Name: class},
			Spec: v1alpha2.BucketClassSpec{
				DriverName: e.Info().DriverName, DeletionPolicy: v1alpha2.DeletionPolicyDelete, Parameters: parameters,
			},
		}))
	}
	if err != nil {
		return nil, errors.Join(err, s.stop(ctx))
	}
	return s, nil
}

// classes are the parameters of the BucketClasses.
func (v variant) classes() map[string]map[string]string {
	style := "path"
	if v.virtual {
		style = "virtual"
	}
	return map[string]map[string]string{
		"plain": {"nonEmptyDeletion": "purge"}, "s3": {"nonEmptyDeletion": "purge", "addressingStyle": style},
		versioned: {"nonEmptyDeletion": "purge", "addressingStyle": style, "versioning": "enabled"},
	}
}

func (s *site) stop(ctx context.Context) error { return s.emulator.Stop(context.WithoutCancel(ctx)) }

func (s *site) create(ctx context.Context, object k8s.Object) error {
	if err := k8s.IgnoreAlreadyExists(s.emulator.Client().Create(ctx, object)); err != nil {
		return fmt.Errorf("create %T %s: %w", object, object.GetName(), err)
	}
	return nil
}

// accesses creates what a client uses: its buckets, and an access of each name.
func (s *site) accesses(ctx context.Context, p protocol, name string) (map[string]environment, error) {
	all := map[string]environment{}
	for _, access := range []string{readWrite, readOnly, revoked, versioned, foreign} {
		if access == versioned && p != s3 {
			continue
		}
		e, err := s.access(ctx, p, name, access)
		if err != nil {
			return nil, err
		}
		all[access] = e
	}
	all[foreign] = all[readWrite].elsewhere(p, all[foreign])
	gone := &v1alpha2.BucketAccess{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name + "-" + revoked}}
	if err := s.emulator.Client().Delete(ctx, gone); err != nil {
		return nil, err
	}
	return all, wait.PollUntilContextTimeout(ctx, readyPoll, readyTimeout, true, func(ctx context.Context) (bool, error) {
		err := s.emulator.Client().Get(ctx, k8s.ObjectKeyFromObject(gone), gone)
		return apierrors.IsNotFound(err), k8s.IgnoreNotFound(err)
	})
}

// elsewhere returns the environment with the bucket of another.
func (e environment) elsewhere(p protocol, other environment) environment {
	changed := e.with(varBucket, other[varBucket])
	if p == azure {
		there, _, _ := strings.Cut(other[varSAS], "?")
		_, signature, _ := strings.Cut(e[varSAS], "?")
		changed = changed.with(varSAS, there+"?"+signature)
	}
	return changed
}

// access creates an access, and the bucket if it does not exist, and returns its variables.
func (s *site) access(ctx context.Context, p protocol, name, access string) (environment, error) {
	class, mode, bucket := "plain", v1alpha2.BucketAccessModeReadWrite, name
	if p == s3 {
		class = "s3"
	}
	switch access {
	case versioned:
		class, bucket = versioned, name+"-"+versioned
	case foreign:
		bucket = name + "-" + foreign
	case readOnly:
		mode = v1alpha2.BucketAccessModeReadOnly
	}
	claim := &v1alpha2.BucketClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: bucket},
		Spec:       v1alpha2.BucketClaimSpec{BucketClassName: class, Protocols: []v1alpha2.Protocol{v1alpha2.Protocol(p.cosi())}},
	}
	object := &v1alpha2.BucketAccess{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name + "-" + access},
		Spec: v1alpha2.BucketAccessSpec{
			BucketAccessClassName: emulator.ClassStandard, Protocol: v1alpha2.Protocol(p.cosi()),
			BucketClaims: []v1alpha2.BucketClaimAccess{{
				BucketClaimName: bucket, AccessSecretName: name + "-" + access,
				AccessModes: v1alpha2.BucketAccessModes{ObjectData: mode, ObjectMetadata: mode, BucketMetadata: mode},
			}},
		},
	}
	if err := errors.Join(s.create(ctx, claim), s.create(ctx, object)); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	variables, err := env.WaitAccess(ctx, s.emulator.Client(), s.emulator.Info().API, k8s.ObjectKeyFromObject(object), "")
	return s.environment(variables), err
}

// environment has variables, and those that are for everyone.
func (s *site) environment(variables []env.Variable) environment {
	e := environment{}
	for _, v := range append(env.ForEmulator(s.emulator.Info()), variables...) {
		e[v.Name] = v.Value
	}
	return e
}
