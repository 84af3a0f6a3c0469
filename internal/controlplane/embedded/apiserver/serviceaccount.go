package apiserver

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/storage/names"
)

const (
	defaultAccount = "default"
	// accountInterval and accountTimeout bound the wait for the default ServiceAccount, which a
	// controller creates.
	accountInterval = 20 * time.Millisecond
	accountTimeout  = 2 * time.Second

	accessVolumePrefix = "kube-api-access-"
	accessMountPath    = "/var/run/secrets/kubernetes.io/serviceaccount"
	// tokenSeconds is the lifetime of the token. Its odd seconds mark a token that was not asked for.
	tokenSeconds = 3607
)

// accountReader reads a ServiceAccount.
type accountReader interface {
	ServiceAccount(ctx context.Context, namespace, name string) (*corev1.ServiceAccount, error)
}

// serviceAccount gives new Pods their ServiceAccount, its token and its pull Secrets.
type serviceAccount struct {
	accounts accountReader
}

var _ admission.MutationInterface = &serviceAccount{}

// Handles implements admission.Interface.
func (*serviceAccount) Handles(operation admission.Operation) bool {
	return operation == admission.Create
}

// Admit implements admission.MutationInterface.
func (s *serviceAccount) Admit(ctx context.Context, a admission.Attributes, _ admission.ObjectInterfaces) error {
	pod, isPod := a.GetObject().(*corev1.Pod)
	if !isPod || a.GetSubresource() != "" {
		return nil
	}
	if _, isMirror := pod.Annotations[corev1.MirrorPodAnnotationKey]; isMirror {
		return validateMirror(a, pod)
	}
	spec := &pod.Spec
	if spec.ServiceAccountName == "" {
		spec.ServiceAccountName, spec.DeprecatedServiceAccount = defaultAccount, defaultAccount
	}
	account, err := s.find(ctx, a.GetNamespace(), spec.ServiceAccountName)
	if err != nil {
		return admission.NewForbidden(a,
			fmt.Errorf("error looking up service account %s/%s: %w", a.GetNamespace(), spec.ServiceAccountName, err))
	}
	if mountsToken(account, spec) {
		mountToken(spec)
	}
	if len(spec.ImagePullSecrets) == 0 {
		spec.ImagePullSecrets = slices.Clone(account.ImagePullSecrets)
	}
	return nil
}

func validateMirror(a admission.Attributes, pod *corev1.Pod) error {
	if pod.Spec.ServiceAccountName != "" {
		return admission.NewForbidden(a, fmt.Errorf("a mirror pod may not reference service accounts"))
	}
	return nil
}

func (s *serviceAccount) find(ctx context.Context, namespace, name string) (*corev1.ServiceAccount, error) {
	account, err := s.accounts.ServiceAccount(ctx, namespace, name)
	if name == defaultAccount && apierrors.IsNotFound(err) {
		_ = wait.PollUntilContextTimeout(ctx, accountInterval, accountTimeout, true, func(ctx context.Context) (bool, error) {
			account, err = s.accounts.ServiceAccount(ctx, namespace, name)
			return !apierrors.IsNotFound(err), nil
		}) // err has the reason
	}
	if apierrors.IsNotFound(err) {
		return nil, apierrors.NewNotFound(corev1.Resource("serviceaccount"), name)
	}
	return account, err
}

// mountsToken reports whether a Pod gets a token. The Pod decides before its ServiceAccount.
func mountsToken(account *corev1.ServiceAccount, spec *corev1.PodSpec) bool {
	for _, wanted := range []*bool{spec.AutomountServiceAccountToken, account.AutomountServiceAccountToken} {
		if wanted != nil {
			return *wanted
		}
	}
	return true
}

// mountToken mounts the token in all containers that mount nothing at its path.
func mountToken(spec *corev1.PodSpec) {
	name := ""
	for i := range spec.Volumes {
		if strings.HasPrefix(spec.Volumes[i].Name, accessVolumePrefix) {
			name = spec.Volumes[i].Name
			break
		}
	}
	hasVolume, needsVolume := name != "", false
	if !hasVolume {
		name = names.SimpleNameGenerator.GenerateName(accessVolumePrefix)
	}
	for _, containers := range [][]corev1.Container{spec.InitContainers, spec.Containers} {
		for i := range containers {
			mounts := &containers[i].VolumeMounts
			if slices.ContainsFunc(*mounts, func(m corev1.VolumeMount) bool { return m.MountPath == accessMountPath }) {
				continue
			}
			*mounts = append(*mounts, corev1.VolumeMount{Name: name, ReadOnly: true, MountPath: accessMountPath})
			needsVolume = true
		}
	}
	if needsVolume && !hasVolume {
		spec.Volumes = append(spec.Volumes, corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{Projected: tokenSource()}})
	}
}

// tokenSource is a volume with the token, the certificate of the API server, and the namespace.
func tokenSource() *corev1.ProjectedVolumeSource {
	return &corev1.ProjectedVolumeSource{
		DefaultMode: new(corev1.ProjectedVolumeSourceDefaultMode),
		Sources: []corev1.VolumeProjection{
			{ServiceAccountToken: &corev1.ServiceAccountTokenProjection{Path: "token", ExpirationSeconds: new(int64(tokenSeconds))}},
			{ConfigMap: &corev1.ConfigMapProjection{
				LocalObjectReference: corev1.LocalObjectReference{Name: "kube-root-ca.crt"},
				Items:                []corev1.KeyToPath{{Key: "ca.crt", Path: "ca.crt"}},
			}},
			{DownwardAPI: &corev1.DownwardAPIProjection{Items: []corev1.DownwardAPIVolumeFile{{
				Path: "namespace", FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "metadata.namespace"},
			}}}},
		},
	}
}
