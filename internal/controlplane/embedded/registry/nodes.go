package registry

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func nodes() *kind[corev1.Node, *corev1.Node] {
	return &kind[corev1.Node, *corev1.Node]{
		resource: corev1.Resource("nodes"), singular: "node", shortNames: []string{"no"}, cluster: true,
		list: func() runtime.Object { return &corev1.NodeList{} },
		prepareCreate: func(n *corev1.Node) {
			n.Spec.ConfigSource, n.Status.Config = nil, nil //nolint:staticcheck // a kube-apiserver drops it
			addNotReady(&n.Spec)
		},
		prepareUpdate: func(n, old *corev1.Node) {
			n.Status = old.Status
			if old.Spec.ConfigSource == nil { //nolint:staticcheck // as above
				n.Spec.ConfigSource = nil //nolint:staticcheck // as above
			}
		},
		validate: func(_ context.Context, n *corev1.Node) field.ErrorList { return validateNode(n) },
		validateUpdate: func(_ context.Context, n, old *corev1.Node) field.ErrorList {
			return append(validateNode(n), validateNodeUpdate(n, old)...)
		},
		warn:  warnNode,
		reset: resetFields("status"),
		selectable: func(n *corev1.Node) fields.Set {
			return fields.Set{"spec.unschedulable": strconv.FormatBool(n.Spec.Unschedulable)}
		},
		columns: []metav1.TableColumnDefinition{
			nameColumn(),
			column("Status", "The status of the node"),
			column("Roles", "The roles of the node"),
			ageColumn(),
			column("Version", corev1.NodeSystemInfo{}.SwaggerDoc()["kubeletVersion"]),
			wideColumn("Internal-IP", corev1.NodeStatus{}.SwaggerDoc()["addresses"]),
			wideColumn("External-IP", corev1.NodeStatus{}.SwaggerDoc()["addresses"]),
			wideColumn("OS-Image", corev1.NodeSystemInfo{}.SwaggerDoc()["osImage"]),
			wideColumn("Kernel-Version", corev1.NodeSystemInfo{}.SwaggerDoc()["kernelVersion"]),
			wideColumn("Container-Runtime", corev1.NodeSystemInfo{}.SwaggerDoc()["containerRuntimeVersion"]),
		},
		row: nodeRow,
	}
}

// nodeStatus are the rules of the subresource status.
func nodeStatus() *kind[corev1.Node, *corev1.Node] {
	k := nodes()
	k.prepareUpdate = func(n, old *corev1.Node) {
		n.Spec = old.Spec
		if old.Status.Config == nil {
			n.Status.Config = nil
		}
	}
	k.validateUpdate = func(_ context.Context, n, old *corev1.Node) field.ErrorList { return validateNodeUpdate(n, old) }
	k.warn = nil
	k.reset = resetFields("spec")
	return k
}

// addNotReady taints a new node as the admission plugins of a kube-apiserver do. A controller removes
// the taint when the node is ready.
func addNotReady(spec *corev1.NodeSpec) {
	taint := corev1.Taint{Key: corev1.TaintNodeNotReady, Effect: corev1.TaintEffectNoSchedule}
	if !slices.ContainsFunc(spec.Taints, func(t corev1.Taint) bool { return t.MatchTaint(&taint) }) {
		spec.Taints = append(spec.Taints, taint)
	}
}

func warnNode(n *corev1.Node) []string {
	var warnings []string
	if n.Spec.ConfigSource != nil { //nolint:staticcheck // older clients send it
		warnings = append(warnings, "spec.configSource: the feature is removed")
	}
	if n.Spec.DoNotUseExternalID != "" {
		warnings = append(warnings, "spec.externalID: this field is deprecated, and is unused by Kubernetes")
	}
	return warnings
}

func nodeRow(n *corev1.Node) []any {
	none := func(text string) string { return cmp.Or(text, "<none>") }
	unknown := func(text string) string { return cmp.Or(text, "<unknown>") }
	info := &n.Status.NodeInfo
	kernel := unknown(info.KernelVersion)
	if info.Architecture != "" {
		kernel += " (" + info.Architecture + ")"
	}
	return []any{
		n.Name, nodeReadiness(n), none(strings.Join(nodeRoles(n), ",")), age(n), info.KubeletVersion,
		none(nodeAddress(n, corev1.NodeInternalIP)), none(nodeAddress(n, corev1.NodeExternalIP)),
		unknown(info.OSImage), kernel, unknown(info.ContainerRuntimeVersion),
	}
}

func nodeReadiness(n *corev1.Node) string {
	status := "Unknown"
	for _, condition := range n.Status.Conditions {
		if condition.Type == corev1.NodeReady {
			status = "NotReady"
			if condition.Status == corev1.ConditionTrue {
				status = "Ready"
			}
		}
	}
	if n.Spec.Unschedulable {
		status += ",SchedulingDisabled"
	}
	return status
}

// nodeRoles returns the roles that the labels of a node name, sorted.
func nodeRoles(n *corev1.Node) []string {
	const prefix, older = "node-role.kubernetes.io/", "kubernetes.io/role"
	var roles []string
	for key, value := range n.Labels {
		role, isRole := strings.CutPrefix(key, prefix)
		if key == older {
			role, isRole = value, true
		}
		if isRole && role != "" {
			roles = append(roles, role)
		}
	}
	slices.Sort(roles)
	return slices.Compact(roles)
}

func nodeAddress(n *corev1.Node, of corev1.NodeAddressType) string {
	for _, address := range n.Status.Addresses {
		if address.Type == of {
			return address.Address
		}
	}
	return ""
}
