package registry

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// validatePod checks what users of Pods with COSI Secrets get wrong: names, images,
// volumes and their mounts, and the policies. It is not all that a kube-apiserver checks.
func validatePod(_ context.Context, p *corev1.Pod) field.ErrorList {
	errs := validateMeta(p, true, apivalidation.NameIsDNSSubdomain)
	return append(errs, validatePodSpec(&p.Spec, field.NewPath("spec"))...)
}

// validatePodSpec checks the spec of a Pod, or of a template.
func validatePodSpec(spec *corev1.PodSpec, path *field.Path) field.ErrorList {
	volumes, errs := validateVolumes(spec.Volumes, path.Child("volumes"))
	if len(spec.Containers) == 0 {
		errs = append(errs, required(path.Child("containers"))...)
	}
	names := sets.New[string]()
	errs = append(errs, validateContainers(spec.Containers, volumes, names, path.Child("containers"))...)
	errs = append(errs, validateContainers(spec.InitContainers, volumes, names, path.Child("initContainers"))...)
	errs = append(errs, validateOneOf(path.Child("restartPolicy"), spec.RestartPolicy,
		corev1.RestartPolicyAlways, corev1.RestartPolicyOnFailure, corev1.RestartPolicyNever)...)
	errs = append(errs, validateOneOf(path.Child("dnsPolicy"), spec.DNSPolicy,
		corev1.DNSClusterFirstWithHostNet, corev1.DNSClusterFirst, corev1.DNSDefault, corev1.DNSNone)...)
	if name := spec.ServiceAccountName; name != "" {
		for _, message := range apivalidation.ValidateServiceAccountName(name, false) {
			errs = append(errs, field.Invalid(path.Child("serviceAccountName"), name, message))
		}
	}
	if seconds := spec.ActiveDeadlineSeconds; seconds != nil && *seconds < 1 {
		errs = append(errs, field.Invalid(path.Child("activeDeadlineSeconds"), *seconds, validation.InclusiveRangeError(1, 1<<31-1)))
	}
	return errs
}

func validateOneOf[T ~string](path *field.Path, value T, allowed ...T) field.ErrorList {
	switch {
	case slices.Contains(allowed, value):
		return nil
	case value == "":
		return required(path)
	default:
		return field.ErrorList{field.NotSupported(path, value, allowed)}
	}
}

func validateVolumes(volumes []corev1.Volume, path *field.Path) (sets.Set[string], field.ErrorList) {
	var errs field.ErrorList
	names := sets.New[string]()
	for i := range volumes {
		errs = append(errs, validateLabel(volumes[i].Name, names, path.Index(i).Child("name"))...)
		source := &volumes[i].VolumeSource
		if source.Secret != nil && source.Secret.SecretName == "" {
			errs = append(errs, required(path.Index(i).Child("secret", "secretName"))...)
		}
		if source.ConfigMap != nil && source.ConfigMap.Name == "" {
			errs = append(errs, required(path.Index(i).Child("configMap", "name"))...)
		}
	}
	return names, errs
}

// validateLabel checks a name that is a label and unique.
func validateLabel(name string, seen sets.Set[string], path *field.Path) field.ErrorList {
	if name == "" {
		return required(path)
	}
	var errs field.ErrorList
	for _, message := range validation.IsDNS1123Label(name) {
		errs = append(errs, field.Invalid(path, name, message))
	}
	if seen.Has(name) {
		errs = append(errs, field.Duplicate(path, name))
	}
	seen.Insert(name)
	return errs
}

func validateContainers(containers []corev1.Container, volumes, names sets.Set[string], path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i := range containers {
		c, at := &containers[i], path.Index(i)
		errs = append(errs, validateLabel(c.Name, names, at.Child("name"))...)
		switch {
		case c.Image == "":
			errs = append(errs, required(at.Child("image"))...)
		case strings.TrimSpace(c.Image) != c.Image:
			errs = append(errs, field.Invalid(at.Child("image"), c.Image, "must not have leading or trailing whitespace"))
		}
		errs = append(errs, validateOneOf(at.Child("imagePullPolicy"), c.ImagePullPolicy,
			corev1.PullAlways, corev1.PullIfNotPresent, corev1.PullNever)...)
		errs = append(errs, validateEnvironment(c, at)...)
		errs = append(errs, validateMounts(c.VolumeMounts, volumes, at.Child("volumeMounts"))...)
		errs = append(errs, validatePorts(c.Ports, at.Child("ports"))...)
	}
	return errs
}

func validateEnvironment(c *corev1.Container, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, env := range c.Env {
		at := path.Child("env").Index(i)
		if env.Name == "" {
			errs = append(errs, required(at.Child("name"))...)
		} else {
			for _, message := range validation.IsRelaxedEnvVarName(env.Name) {
				errs = append(errs, field.Invalid(at.Child("name"), env.Name, message))
			}
		}
		if env.ValueFrom == nil {
			continue
		}
		if env.Value != "" {
			errs = append(errs, field.Invalid(at.Child("valueFrom"), "", "may not be specified when `value` is not empty"))
		}
		if ref := env.ValueFrom.SecretKeyRef; ref != nil && ref.Key == "" {
			errs = append(errs, required(at.Child("valueFrom", "secretKeyRef", "key"))...)
		}
	}
	return errs
}

func validateMounts(mounts []corev1.VolumeMount, volumes sets.Set[string], path *field.Path) field.ErrorList {
	var errs field.ErrorList
	points := sets.New[string]()
	for i, mount := range mounts {
		at := path.Index(i)
		switch {
		case mount.Name == "":
			errs = append(errs, required(at.Child("name"))...)
		case !volumes.Has(mount.Name):
			errs = append(errs, field.NotFound(at.Child("name"), mount.Name))
		}
		switch {
		case mount.MountPath == "":
			errs = append(errs, required(at.Child("mountPath"))...)
		case points.Has(mount.MountPath):
			errs = append(errs, field.Invalid(at.Child("mountPath"), mount.MountPath, "must be unique"))
		}
		points.Insert(mount.MountPath)
	}
	return errs
}

func validatePorts(ports []corev1.ContainerPort, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, port := range ports {
		if port.ContainerPort == 0 {
			errs = append(errs, required(path.Index(i).Child("containerPort"))...)
			continue
		}
		for _, message := range validation.IsValidPortNum(int(port.ContainerPort)) {
			errs = append(errs, field.Invalid(path.Index(i).Child("containerPort"), port.ContainerPort, message))
		}
	}
	return errs
}

// validatePodUpdate allows the changes of the spec that a kube-apiserver allows.
func validatePodUpdate(ctx context.Context, p, old *corev1.Pod) field.ErrorList {
	errs := append(validateMetaUpdate(p, old), validatePod(ctx, p)...)
	changed := p.Spec.DeepCopy()
	if len(changed.Containers) != len(old.Spec.Containers) || len(changed.InitContainers) != len(old.Spec.InitContainers) {
		return append(errs, field.Forbidden(field.NewPath("spec", "containers"), "pod updates may not add or remove containers"))
	}
	for i := range changed.Containers {
		changed.Containers[i].Image = old.Spec.Containers[i].Image
	}
	for i := range changed.InitContainers {
		changed.InitContainers[i].Image = old.Spec.InitContainers[i].Image
	}
	changed.ActiveDeadlineSeconds = old.Spec.ActiveDeadlineSeconds
	if addsOnly(p.Spec.Tolerations, old.Spec.Tolerations) {
		changed.Tolerations = old.Spec.Tolerations
	}
	if !equality.Semantic.DeepEqual(*changed, old.Spec) {
		errs = append(errs, field.Forbidden(field.NewPath("spec"), "pod updates may not change fields other than "+
			"`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,"+
			"`spec.tolerations` (only additions to existing tolerations),"+
			"`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"))
	}
	return errs
}

func addsOnly(now, before []corev1.Toleration) bool {
	return !slices.ContainsFunc(before, func(t corev1.Toleration) bool {
		return !slices.ContainsFunc(now, func(other corev1.Toleration) bool { return equality.Semantic.DeepEqual(t, other) })
	})
}

func validatePodStatus(_ context.Context, p, old *corev1.Pod) field.ErrorList {
	errs, path := validateMetaUpdate(p, old), field.NewPath("status")
	for i, condition := range p.Status.Conditions {
		for _, message := range validation.IsQualifiedName(string(condition.Type)) {
			errs = append(errs, field.Invalid(path.Child("conditions").Index(i).Child("Type"), string(condition.Type), message))
		}
	}
	for i, ip := range p.Status.PodIPs {
		if !slices.Contains(old.Status.PodIPs, ip) {
			errs = append(errs, validation.IsValidIP(path.Child("podIPs").Index(i), ip.IP)...)
		}
	}
	if p.Spec.NodeName != old.Spec.NodeName {
		errs = append(errs, field.Forbidden(field.NewPath("status", "nodeName"), fmt.Sprintf("may not be changed from %q", old.Spec.NodeName)))
	}
	return errs
}
