package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
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

// The schemes. With https, URLs of S3 have the bucket in the host name.
const (
	schemeHTTP  = "http"
	schemeHTTPS = "https"
)

// site is an emulator with all protocols.
type site struct {
	scheme   string
	emulator *emulator.Emulator
	// client is that of the references.
	client *http.Client
}

func startSite(ctx context.Context, scheme string) (*site, error) {
	ctrl.SetLogger(logr.Discard())
	e, err := emulator.Start(ctx, emulator.Options{
		ControlPlaneKind: emulator.ControlPlaneEmbedded, TLS: scheme == schemeHTTPS,
		Protocols: []fakedriver.Protocol{fakedriver.ProtocolS3, fakedriver.ProtocolGCS, fakedriver.ProtocolAzure},
	})
	if err != nil {
		return nil, err
	}
	s := &site{scheme: scheme, emulator: e}
	style := fakedriver.AddressingPath
	if scheme == schemeHTTPS {
		style = fakedriver.AddressingVirtual
	}
	class := func(name string, parameters map[string]string) *v1alpha2.BucketClass {
		parameters[fakedriver.ParameterAddressingStyle] = style
		spec := v1alpha2.BucketClassSpec{DriverName: e.Info().DriverName, DeletionPolicy: v1alpha2.DeletionPolicyDelete, Parameters: parameters}
		return &v1alpha2.BucketClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: spec}
	}
	s.client, err = newHTTPClient(e.Info().S3CertificateAuthority)
	if err == nil {
		err = s.create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, class(classS3, map[string]string{}),
			class(versioned, map[string]string{fakedriver.ParameterVersioning: "enabled"}))
	}
	if err != nil {
		return nil, errors.Join(err, s.stop(ctx))
	}
	return s, nil
}

func (s *site) stop(ctx context.Context) error {
	s.client.CloseIdleConnections()
	return s.emulator.Stop(context.WithoutCancel(ctx))
}

// create creates objects, if they do not exist.
func (s *site) create(ctx context.Context, objects ...k8s.Object) error {
	for _, object := range objects {
		if err := k8s.IgnoreAlreadyExists(s.emulator.Client().Create(ctx, object)); err != nil {
			return fmt.Errorf("create %T %s: %w", object, object.GetName(), err)
		}
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
	all[foreign] = all[readWrite].elsewhere(all[foreign])
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
func (e environment) elsewhere(other environment) environment {
	changed := maps.Clone(e)
	changed[varBucket] = other[varBucket]
	if there, _, ok := strings.Cut(other[varSAS], "?"); ok {
		_, signature, _ := strings.Cut(e[varSAS], "?")
		changed[varSAS] = there + "?" + signature
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
	if err := s.create(ctx, claim, object); err != nil {
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
