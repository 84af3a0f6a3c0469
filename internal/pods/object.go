package pods

import (
	"runtime"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/internal/pods/environment"
)

// newNode returns the Node, with the port of its server.
func newNode(port int) *corev1.Node {
	labels := map[string]string{
		corev1.LabelHostname: Name, corev1.LabelOSStable: runtime.GOOS, corev1.LabelArchStable: runtime.GOARCH,
		"node.kubernetes.io/instance-type": "process",
	}
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: Name, Labels: labels},
		Status: corev1.NodeStatus{
			Capacity: environment.Capacity(), Allocatable: environment.Capacity(),
			Addresses: []corev1.NodeAddress{
				{Type: corev1.NodeInternalIP, Address: environment.Address}, {Type: corev1.NodeHostName, Address: Name},
			},
			DaemonEndpoints: corev1.NodeDaemonEndpoints{KubeletEndpoint: corev1.DaemonEndpoint{Port: int32(port)}}, //nolint:gosec // a port
			NodeInfo: corev1.NodeSystemInfo{
				OperatingSystem: runtime.GOOS, Architecture: runtime.GOARCH, ContainerRuntimeVersion: "process://" + runtime.Version(),
				OSImage: "processes of this machine", KubeletVersion: kubeletVersion,
			},
			Conditions: []corev1.NodeCondition{
				condition(corev1.NodeReady, corev1.ConditionTrue, "KubeletReady", "The node runs containers as processes of this machine"),
				condition(corev1.NodeMemoryPressure, corev1.ConditionFalse, "KubeletHasSufficientMemory", "Nothing limits the memory of Pods"),
				condition(corev1.NodeDiskPressure, corev1.ConditionFalse, "KubeletHasNoDiskPressure", "Nothing limits the disk space of Pods"),
				condition(corev1.NodePIDPressure, corev1.ConditionFalse, "KubeletHasSufficientPID", "Nothing limits the processes of Pods"),
			},
		},
	}
}

// kubeletVersion is the version of Kubernetes whose kubelet the node behaves like.
const kubeletVersion = "v1.37.0"

func condition(kind corev1.NodeConditionType, status corev1.ConditionStatus, reason, message string) corev1.NodeCondition {
	now := metav1.Now()
	return corev1.NodeCondition{
		Type: kind, Status: status, Reason: reason, Message: message, LastTransitionTime: now, LastHeartbeatTime: now,
	}
}
