package pods

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	"github.com/cosi-emu/cosi-emu/internal/pods/volume"
)

// Unserved returns why the node cannot run a Pod, or the empty text.
func Unserved(pod *corev1.Pod) string {
	for _, find := range []func(*corev1.Pod) string{unmatched, unservedSpec, unservedVolumes, unservedContainers} {
		if reason := find(pod); reason != "" {
			return reason
		}
	}
	return ""
}

// unmatched compares the Pod's selectors with the Node.
func unmatched(pod *corev1.Pod) string {
	if matches, err := nodeaffinity.GetRequiredNodeAffinity(pod).Match(newNode(0)); err != nil || !matches {
		return "1 node(s) didn't match Pod's node affinity/selector"
	}
	return ""
}

const asProcesses = "node " + Name + " runs containers as processes of this machine"

func unservedSpec(pod *corev1.Pod) string {
	switch {
	case pod.Spec.HostPID || pod.Spec.HostIPC:
		return asProcesses + ", without namespaces: remove hostPID and hostIPC"
	case len(pod.Spec.ResourceClaims) > 0:
		return asProcesses + ", and has no devices for resourceClaims"
	case pod.Spec.RuntimeClassName != nil:
		return asProcesses + ", and has no runtime class " + *pod.Spec.RuntimeClassName
	case pod.Spec.OS != nil && pod.Spec.OS.Name == corev1.Windows:
		return asProcesses + ", not on Windows"
	}
	return ""
}

func unservedVolumes(pod *corev1.Pod) string {
	for i := range pod.Spec.Volumes {
		v := &pod.Spec.Volumes[i]
		switch {
		case v.Secret != nil, v.ConfigMap != nil, v.Projected != nil, v.DownwardAPI != nil, v.EmptyDir != nil, v.CSI != nil:
		case v.HostPath != nil:
			return fmt.Sprintf("%s: volume %q is a hostPath, and the files of this machine need no volume; %s", asProcesses, v.Name, volume.Served)
		default:
			return fmt.Sprintf("%s: it does not serve the kind of volume %q; %s", asProcesses, v.Name, volume.Served)
		}
	}
	return ""
}

func unservedContainers(pod *corev1.Pod) string {
	for _, list := range [][]corev1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for i := range list {
			if reason := unservedContainer(&list[i]); reason != "" {
				return reason
			}
		}
	}
	return ""
}

func unservedContainer(c *corev1.Container) string {
	if s := c.SecurityContext; s != nil && s.Privileged != nil && *s.Privileged {
		return fmt.Sprintf("%s, as the user of the emulator: container %q cannot be privileged", asProcesses, c.Name)
	}
	if len(c.VolumeDevices) > 0 {
		return fmt.Sprintf("%s: container %q cannot have volumeDevices", asProcesses, c.Name)
	}
	if c.TTY && c.Stdin {
		return fmt.Sprintf("%s, without terminals: container %q cannot have tty and stdin", asProcesses, c.Name)
	}
	for _, resources := range []corev1.ResourceList{c.Resources.Requests, c.Resources.Limits} {
		for name := range resources {
			if strings.Contains(string(name), "/") || strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix) {
				return "1 Insufficient " + string(name)
			}
		}
	}
	return ""
}
