package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	ctrl "sigs.k8s.io/controller-runtime"
	k8s "sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/env"
)

const (
	namespace    = "clients"
	readyTimeout = 2 * time.Minute
	readyPoll    = 20 * time.Millisecond
	// classS3 has what buckets of S3 alone have. The class of versioned buckets has the name of the access.
	classS3 = "s3"
)

// The accesses of a client, by the names that operations use.
const (
	readWrite = "rw"
	readOnly  = "ro"
	revoked   = "revoked"
	versioned = "versioned" // to a bucket with versions, which S3 alone has
	foreign   = "foreign"   // the keys of readWrite, and a bucket that they give no access to
)

// site is an emulator with all protocols.
type site struct {
	scheme   string // http or https
	emulator *emulator.Emulator
	// client sends the reference requests.
	client *http.Client
}

// startSite starts a site. URLs of S3 have the bucket where the addressing style puts it.
func startSite(ctx context.Context, scheme, addressing string) (*site, error) {
	ctrl.SetLogger(logr.Discard())
	e, err := emulator.Start(ctx, emulator.Options{
		ControlPlaneKind: emulator.ControlPlaneEmbedded, TLS: scheme == "https",
		Protocols: []fakedriver.Protocol{fakedriver.ProtocolS3, fakedriver.ProtocolGCS, fakedriver.ProtocolAzure},
	})
	if err != nil {
		return nil, err
	}
	s := &site{scheme: scheme, emulator: e}
	s.client, err = newHTTPClient(e.Info().S3CertificateAuthority)
	err = errors.Join(err, s.create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}))
	for class, parameters := range map[string]map[string]string{classS3: {}, versioned: {fakedriver.ParameterVersioning: "enabled"}} {
		parameters[fakedriver.ParameterAddressingStyle] = addressing
		spec := v1alpha2.BucketClassSpec{DriverName: e.Info().DriverName, DeletionPolicy: v1alpha2.DeletionPolicyDelete, Parameters: parameters}
		err = errors.Join(err, s.create(ctx, &v1alpha2.BucketClass{ObjectMeta: metav1.ObjectMeta{Name: class}, Spec: spec}))
	}
	if err != nil {
		return nil, errors.Join(err, s.stop(ctx))
	}
	return s, nil
}

func (s *site) stop(ctx context.Context) error { return s.emulator.Stop(context.WithoutCancel(ctx)) }

// create creates an object, if it does not exist.
func (s *site) create(ctx context.Context, object k8s.Object) error {
	if err := k8s.IgnoreAlreadyExists(s.emulator.Client().Create(ctx, object)); err != nil {
		return fmt.Errorf("create %T %s: %w", object, object.GetName(), err)
	}
	return nil
}

// accesses creates the objects that a client uses: its buckets, and an access of each name.
func (s *site) accesses(ctx context.Context, p protocol, name string) (map[string]environment, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, readyTimeout, fmt.Errorf("not ready after %s", readyTimeout))
	defer cancel()
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
	all[foreign] = all[readWrite].elsewhere(all[foreign][varBucket])
	gone := &v1alpha2.BucketAccess{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name + "-" + revoked}}
	if err := s.emulator.Client().Delete(ctx, gone); err != nil {
		return nil, err
	}
	return all, wait.PollUntilContextCancel(ctx, readyPoll, true, func(ctx context.Context) (bool, error) {
		err := s.emulator.Client().Get(ctx, k8s.ObjectKeyFromObject(gone), gone)
		return apierrors.IsNotFound(err), k8s.IgnoreNotFound(err)
	})
}

// elsewhere returns the environment with another bucket in the place of its own.
func (e environment) elsewhere(bucket string) environment {
	changed := environment{}
	for name, value := range e {
		changed[name] = strings.ReplaceAll(value, e[varBucket], bucket)
	}
	return changed
}

// access creates an access, and the bucket if it does not exist, and returns its variables.
func (s *site) access(ctx context.Context, p protocol, name, access string) (environment, error) {
	class, mode, bucket := emulator.ClassStandard, v1alpha2.BucketAccessModeReadWrite, name
	if p == s3 {
		class = classS3
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
		Spec:       v1alpha2.BucketClaimSpec{BucketClassName: class, Protocols: []v1alpha2.Protocol{p.cosi()}},
	}
	object := &v1alpha2.BucketAccess{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name + "-" + access},
		Spec: v1alpha2.BucketAccessSpec{
			BucketAccessClassName: emulator.ClassStandard, Protocol: p.cosi(),
			BucketClaims: []v1alpha2.BucketClaimAccess{{
				BucketClaimName: bucket, AccessSecretName: name + "-" + access,
				AccessModes: v1alpha2.BucketAccessModes{ObjectData: mode, ObjectMetadata: mode, BucketMetadata: mode},
			}},
		},
	}
	if err := errors.Join(s.create(ctx, claim), s.create(ctx, object)); err != nil {
		return nil, err
	}
	variables, err := env.WaitAccess(ctx, s.emulator.Client(), s.emulator.Info().API, k8s.ObjectKeyFromObject(object), "")
	return s.environment(variables), err
}

// environment has variables, and those that are for everyone.
func (s *site) environment(variables []env.Variable) environment {
	e := environment{}
	for _, v := range append(env.ForEmulator("clients", s.emulator.Info()), variables...) {
		e[v.Name] = v.Value
	}
	return e
}
