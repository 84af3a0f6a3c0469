package environment

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// Field returns a field of a Pod, as the downward API has it.
func Field(pod *corev1.Pod, path string) (string, error) {
	if name, key, ok := subscript(path); ok {
		switch name {
		case "metadata.annotations":
			return pod.Annotations[key], nil
		case "metadata.labels":
			return pod.Labels[key], nil
		}
	}
	fields := map[string]string{
		"metadata.name": pod.Name, "metadata.namespace": pod.Namespace, "metadata.uid": string(pod.UID),
		"metadata.labels": formatMap(pod.Labels), "metadata.annotations": formatMap(pod.Annotations),
		"spec.nodeName": pod.Spec.NodeName, "spec.serviceAccountName": pod.Spec.ServiceAccountName,
		"status.hostIP": Address, "status.hostIPs": Address, "status.podIP": Address, "status.podIPs": Address,
	}
	value, ok := fields[path]
	if !ok {
		return "", missing("unsupported fieldPath: %s", path)
	}
	return value, nil
}

// Address is the IP address of the node and of all Pods.
const Address = "127.0.0.1"

// subscript divides NAME['KEY'].
func subscript(path string) (name, key string, ok bool) {
	name, key, ok = strings.Cut(path, "['")
	key, closed := strings.CutSuffix(key, "']")
	return name, key, ok && closed
}

func formatMap(values map[string]string) string {
	var lines []string
	for _, key := range slices.Sorted(maps.Keys(values)) {
		lines = append(lines, fmt.Sprintf("%s=%q", key, values[key]))
	}
	return strings.Join(lines, "\n")
}

// Resource returns a resource of a container, rounded up to the divisor. A limit that the container lacks is the
// capacity of the node.
func Resource(pod *corev1.Pod, container *corev1.Container, ref *corev1.ResourceFieldSelector) (string, error) {
	if ref.ContainerName != "" {
		named := Container(pod, ref.ContainerName)
		if named == nil {
			return "", missing("container %s not found", ref.ContainerName)
		}
		container = named
	}
	kind, name, _ := strings.Cut(ref.Resource, ".")
	quantity, ok := container.Resources.Limits[corev1.ResourceName(name)]
	switch {
	case kind == "requests":
		quantity = container.Resources.Requests[corev1.ResourceName(name)]
	case kind != "limits":
		return "", missing("unsupported container resource : %s", ref.Resource)
	case !ok:
		quantity = Capacity()[corev1.ResourceName(name)]
	}
	divisor := ref.Divisor
	if divisor.IsZero() {
		divisor = resource.MustParse("1")
	}
	scale := func(q resource.Quantity) int64 {
		if name == string(corev1.ResourceCPU) {
			return q.MilliValue()
		}
		return q.Value()
	}
	unit := scale(divisor)
	return strconv.FormatInt((scale(quantity)+unit-1)/unit, 10), nil
}

// Container returns a container of a Pod by its name, or nil.
func Container(pod *corev1.Pod, name string) *corev1.Container {
	for _, list := range [][]corev1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for i := range list {
			if list[i].Name == name {
				return &list[i]
			}
		}
	}
	return nil
}
