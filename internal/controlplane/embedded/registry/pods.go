package registry

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/registry/rest"
)

func pods() *kind[corev1.Pod, *corev1.Pod] {
	return &kind[corev1.Pod, *corev1.Pod]{
		resource: corev1.Resource("pods"), singular: "pod", shortNames: []string{"po"}, categories: []string{"all"},
		list: func() runtime.Object { return &corev1.PodList{} },
		prepareCreate: func(p *corev1.Pod) {
			p.Generation = 1
			p.Status = corev1.PodStatus{Phase: corev1.PodPending, QOSClass: qosClass(&p.Spec)}
			admitPod(&p.Spec)
		},
		prepareUpdate: func(p, old *corev1.Pod) {
			p.Status = old.Status
			p.Spec.Priority = cmp.Or(p.Spec.Priority, old.Spec.Priority)
			p.Spec.PreemptionPolicy = cmp.Or(p.Spec.PreemptionPolicy, old.Spec.PreemptionPolicy)
			admitPod(&p.Spec)
			if !equality.Semantic.DeepEqual(p.Spec, old.Spec) {
				p.Generation++
			}
		},
		validate:       validatePod,
		validateUpdate: validatePodUpdate,
		reset:          resetFields("status"),
		selectable:     podFields,
		columns: []metav1.TableColumnDefinition{
			nameColumn(),
			column("Ready", "The aggregate readiness state of this pod for accepting traffic."),
			column("Status", "The aggregate status of the containers in this pod."),
			column("Restarts", "The number of times the containers in this pod have been restarted "+
				"and when the last container in this pod has restarted."),
			ageColumn(),
			wideColumn("IP", corev1.PodStatus{}.SwaggerDoc()["podIP"]),
			wideColumn("Node", corev1.PodSpec{}.SwaggerDoc()["nodeName"]),
			wideColumn("Nominated Node", corev1.PodStatus{}.SwaggerDoc()["nominatedNodeName"]),
			wideColumn("Readiness Gates", corev1.PodSpec{}.SwaggerDoc()["readinessGates"]),
		},
		row: podRow, conditions: podCompleted,
	}
}

// tolerationSeconds is how long a Pod stays on a node that fails.
const tolerationSeconds = 300

// admitPod sets the same fields as the admission plugins of a kube-apiserver: the priority, and
// tolerations of nodes that fail.
func admitPod(spec *corev1.PodSpec) {
	if spec.Priority == nil {
		spec.Priority = new(int32(0))
	}
	if spec.PreemptionPolicy == nil {
		spec.PreemptionPolicy = new(corev1.PreemptLowerPriority)
	}
	for _, taint := range []string{corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable} {
		if slices.ContainsFunc(spec.Tolerations, func(t corev1.Toleration) bool {
			return (t.Key == taint || t.Key == "") && (t.Effect == corev1.TaintEffectNoExecute || t.Effect == "")
		}) {
			continue
		}
		spec.Tolerations = append(spec.Tolerations, corev1.Toleration{
			Key: taint, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: new(int64(tolerationSeconds)),
		})
	}
}

// podStatus are the rules of the subresource status.
func podStatus() *kind[corev1.Pod, *corev1.Pod] {
	k := pods()
	k.prepareUpdate = func(p, old *corev1.Pod) {
		p.Spec, p.DeletionTimestamp, p.OwnerReferences = old.Spec, nil, old.OwnerReferences
		p.Status.QOSClass = cmp.Or(p.Status.QOSClass, old.Status.QOSClass)
	}
	k.validateUpdate = validatePodStatus
	k.reset = resetFields("spec")
	return k
}

func podFields(p *corev1.Pod) fields.Set {
	set := fields.Set{
		"spec.nodeName":            p.Spec.NodeName,
		"spec.restartPolicy":       string(p.Spec.RestartPolicy),
		"spec.schedulerName":       p.Spec.SchedulerName,
		"spec.serviceAccountName":  p.Spec.ServiceAccountName,
		"spec.hostNetwork":         strconv.FormatBool(p.Spec.HostNetwork),
		"status.phase":             string(p.Status.Phase),
		"status.podIP":             "",
		"status.nominatedNodeName": p.Status.NominatedNodeName,
	}
	if len(p.Status.PodIPs) > 0 {
		set["status.podIP"] = p.Status.PodIPs[0].IP
	}
	return set
}

// qosClass returns the class that the processor and memory of the containers give.
func qosClass(spec *corev1.PodSpec) corev1.PodQOSClass {
	guaranteed, asks := true, false
	for _, c := range slices.Concat(spec.Containers, spec.InitContainers) {
		for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
			request, limit := c.Resources.Requests[name], c.Resources.Limits[name]
			asks = asks || !request.IsZero() || !limit.IsZero()
			guaranteed = guaranteed && !limit.IsZero() && request.Cmp(limit) == 0
		}
	}
	switch {
	case !asks:
		return corev1.PodQOSBestEffort
	case guaranteed:
		return corev1.PodQOSGuaranteed
	default:
		return corev1.PodQOSBurstable
	}
}

// podStrategy deletes Pods at once unless they have a node: nothing stops their
// containers.
type podStrategy struct {
	strategy[corev1.Pod, *corev1.Pod]
}

var _ rest.RESTGracefulDeleteStrategy = podStrategy{}

// CheckGracefulDelete implements rest.RESTGracefulDeleteStrategy.
func (podStrategy) CheckGracefulDelete(_ context.Context, obj runtime.Object, options *metav1.DeleteOptions) bool {
	if options == nil {
		return false
	}
	p := cast[corev1.Pod](obj)
	period := int64(0)
	if p.Spec.NodeName != "" && p.Status.Phase != corev1.PodFailed && p.Status.Phase != corev1.PodSucceeded {
		period = gracePeriod(p, options)
	}
	options.GracePeriodSeconds = &period
	return true
}

func gracePeriod(p *corev1.Pod, options *metav1.DeleteOptions) int64 {
	period := int64(0)
	switch {
	case options.GracePeriodSeconds != nil:
		period = *options.GracePeriodSeconds
	case p.Spec.TerminationGracePeriodSeconds != nil:
		period = *p.Spec.TerminationGracePeriodSeconds
	}
	if period < 0 {
		return 1
	}
	return period
}

func newPodREST(getter generic.RESTOptionsGetter) (*resourceREST, error) {
	k := pods()
	r, err := newREST(k, getter)
	if err != nil {
		return nil, err
	}
	r.DeleteStrategy = podStrategy{k.strategy()}
	r.ReturnDeletedObject = true
	return r, nil
}
