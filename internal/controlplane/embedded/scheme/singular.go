package scheme

import corev1 "k8s.io/api/core/v1"

// singular keeps the older field with one value, and the newer list that begins with it, equal. If they
// differ, the older one decides.
func singular[T comparable](older *string, list *[]T, value func(string) T, text func(T) string) {
	if *older != "" && (len(*list) == 0 || text((*list)[0]) != *older) {
		*list = []T{value(*older)}
	}
	*older = ""
	if len(*list) > 0 {
		*older = text((*list)[0])
	}
}

func defaultNode(n *corev1.Node) {
	same := func(cidr string) string { return cidr }
	singular(&n.Spec.PodCIDR, &n.Spec.PodCIDRs, same, same)
	if n.Status.Allocatable == nil {
		n.Status.Allocatable = n.Status.Capacity.DeepCopy()
	}
}

func defaultPodAddress(status *corev1.PodStatus) {
	singular(&status.PodIP, &status.PodIPs,
		func(ip string) corev1.PodIP { return corev1.PodIP{IP: ip} }, func(ip corev1.PodIP) string { return ip.IP })
}
