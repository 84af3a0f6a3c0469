package scheme

import (
	"reflect"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// defaultPod sets the defaults of a Pod that users see when they read it back.
func defaultPod(pod *corev1.Pod) {
	defaultPodAddress(&pod.Status)
	pointerDefault(&pod.Spec.EnableServiceLinks, corev1.DefaultEnableServiceLinks)
	defaultPodSpec(&pod.Spec)
	for _, containers := range [][]corev1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for i := range containers {
			defaultRequests(&containers[i].Resources)
		}
	}
}

// defaultPodSpec sets the defaults that Pods and their templates have.
func defaultPodSpec(spec *corev1.PodSpec) {
	setDefault(&spec.DNSPolicy, corev1.DNSClusterFirst)
	setDefault(&spec.RestartPolicy, corev1.RestartPolicyAlways)
	setDefault(&spec.SchedulerName, corev1.DefaultSchedulerName)
	pointerDefault(&spec.TerminationGracePeriodSeconds, corev1.DefaultTerminationGracePeriodSeconds)
	pointerDefault(&spec.SecurityContext, corev1.PodSecurityContext{})
	// The second is the older name of the first.
	setDefault(&spec.ServiceAccountName, spec.DeprecatedServiceAccount)
	spec.DeprecatedServiceAccount = spec.ServiceAccountName
	for _, containers := range [][]corev1.Container{spec.InitContainers, spec.Containers} {
		for i := range containers {
			defaultContainer(&containers[i], spec.HostNetwork)
		}
	}
	for i := range spec.Volumes {
		defaultVolume(&spec.Volumes[i].VolumeSource)
	}
}

func setDefault[T comparable](value *T, fallback T) {
	var zero T
	if *value == zero {
		*value = fallback
	}
}

func pointerDefault[T any](value **T, fallback T) {
	if *value == nil {
		*value = &fallback
	}
}

func defaultContainer(c *corev1.Container, hostNetwork bool) {
	setDefault(&c.ImagePullPolicy, pullPolicy(c.Image))
	setDefault(&c.TerminationMessagePath, corev1.TerminationMessagePathDefault)
	setDefault(&c.TerminationMessagePolicy, corev1.TerminationMessageReadFile)
	for i := range c.Ports {
		port := &c.Ports[i]
		setDefault(&port.Protocol, corev1.ProtocolTCP)
		if hostNetwork {
			setDefault(&port.HostPort, port.ContainerPort)
		}
	}
	for i := range c.Env {
		if from := c.Env[i].ValueFrom; from != nil && from.FieldRef != nil {
			setDefault(&from.FieldRef.APIVersion, "v1")
		}
	}
	for _, probe := range []*corev1.Probe{c.LivenessProbe, c.ReadinessProbe, c.StartupProbe} {
		defaultProbe(probe)
	}
	if c.Lifecycle != nil {
		for _, handler := range []*corev1.LifecycleHandler{c.Lifecycle.PostStart, c.Lifecycle.PreStop} {
			if handler != nil {
				defaultHTTPGet(handler.HTTPGet)
			}
		}
	}
}

// pullPolicy returns the policy for an image: Always for the tag latest, which is the default
// of an image without tag and digest.
func pullPolicy(image string) corev1.PullPolicy {
	name, _, digest := strings.Cut(image, "@")
	_, tag, tagged := strings.Cut(name[strings.LastIndex(name, "/")+1:], ":")
	if tag == "latest" || !tagged && !digest {
		return corev1.PullAlways
	}
	return corev1.PullIfNotPresent
}

// defaultRequests sets requests that are missing to the limits.
func defaultRequests(r *corev1.ResourceRequirements) {
	for name, limit := range r.Limits {
		if r.Requests == nil {
			r.Requests = corev1.ResourceList{}
		}
		if _, ok := r.Requests[name]; !ok {
			r.Requests[name] = limit.DeepCopy()
		}
	}
}

func defaultProbe(p *corev1.Probe) {
	if p == nil {
		return
	}
	setDefault(&p.TimeoutSeconds, 1)
	setDefault(&p.PeriodSeconds, 10)
	setDefault(&p.SuccessThreshold, 1)
	setDefault(&p.FailureThreshold, 3)
	defaultHTTPGet(p.HTTPGet)
	if p.GRPC != nil {
		pointerDefault(&p.GRPC.Service, "")
	}
}

func defaultHTTPGet(get *corev1.HTTPGetAction) {
	if get != nil {
		setDefault(&get.Path, "/")
		setDefault(&get.Scheme, corev1.URISchemeHTTP)
	}
}

func defaultVolume(v *corev1.VolumeSource) {
	if reflect.ValueOf(*v).IsZero() {
		v.EmptyDir = &corev1.EmptyDirVolumeSource{}
	}
	if v.Secret != nil {
		pointerDefault(&v.Secret.DefaultMode, corev1.SecretVolumeSourceDefaultMode)
	}
	if v.ConfigMap != nil {
		pointerDefault(&v.ConfigMap.DefaultMode, corev1.ConfigMapVolumeSourceDefaultMode)
	}
	if v.DownwardAPI != nil {
		pointerDefault(&v.DownwardAPI.DefaultMode, corev1.DownwardAPIVolumeSourceDefaultMode)
		defaultDownwardItems(v.DownwardAPI.Items)
	}
	if v.HostPath != nil {
		pointerDefault(&v.HostPath.Type, corev1.HostPathUnset)
	}
	if v.Projected != nil {
		defaultProjected(v.Projected)
	}
}

func defaultDownwardItems(items []corev1.DownwardAPIVolumeFile) {
	for i := range items {
		if items[i].FieldRef != nil {
			setDefault(&items[i].FieldRef.APIVersion, "v1")
		}
	}
}

func defaultProjected(p *corev1.ProjectedVolumeSource) {
	pointerDefault(&p.DefaultMode, corev1.ProjectedVolumeSourceDefaultMode)
	for i := range p.Sources {
		if token := p.Sources[i].ServiceAccountToken; token != nil {
			pointerDefault(&token.ExpirationSeconds, defaultTokenSeconds)
		}
		if p.Sources[i].DownwardAPI != nil {
			defaultDownwardItems(p.Sources[i].DownwardAPI.Items)
		}
	}
}
