package planetest

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The states of containers.
func waits(reason string) corev1.ContainerState {
	return corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason}}
}

func runs() corev1.ContainerState {
	return corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.Now()}}
}

func ended(code int32, reason string) corev1.ContainerState {
	return corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: code, Reason: reason}}
}

// testPodTable has the columns READY, STATUS and RESTARTS of `kubectl get pods`.
func (f *fixture) testPodTable(t *testing.T) {
	ctx, namespace := testContext(t), f.namespace(t)
	pods := f.kube.CoreV1().Pods(namespace)
	initialized := []corev1.PodCondition{{Type: corev1.PodInitialized, Status: corev1.ConditionTrue}}
	ready := []corev1.PodCondition{initialized[0], {Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	restarted := corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
		ExitCode: 1, Reason: "Error", FinishedAt: metav1.NewTime(time.Now().Add(-time.Hour)),
	}}
	for name, test := range map[string]struct {
		sidecar    bool
		phase      corev1.PodPhase
		conditions []corev1.PodCondition
		first      corev1.ContainerStatus // of two init containers
		second     corev1.ContainerStatus
		app        corev1.ContainerStatus
		want       string
	}{
		"new":       {phase: corev1.PodPending, want: "0/1 Init:0/2 0"},
		"first":     {phase: corev1.PodPending, first: corev1.ContainerStatus{State: runs()}, want: "0/1 Init:0/2 0"},
		"second":    {phase: corev1.PodPending, first: corev1.ContainerStatus{State: ended(0, "Completed")}, second: corev1.ContainerStatus{State: waits("PodInitializing")}, want: "0/1 Init:1/2 0"},                                                                                                                                     //nolint:lll // one case a line
		"image":     {phase: corev1.PodPending, first: corev1.ContainerStatus{State: waits("ErrImageNeverPull")}, want: "0/1 Init:ErrImageNeverPull 0"},                                                                                                                                                                                   //nolint:lll // as above
		"loop":      {phase: corev1.PodPending, first: corev1.ContainerStatus{State: waits("CrashLoopBackOff"), RestartCount: 3, LastTerminationState: restarted}, want: "0/1 Init:CrashLoopBackOff 3 (60m ago)"},                                                                                                                         //nolint:lll // as above
		"fails":     {phase: corev1.PodFailed, first: corev1.ContainerStatus{State: ended(3, "Error")}, want: "0/1 Init:Error 0"},                                                                                                                                                                                                         //nolint:lll // as above
		"code":      {phase: corev1.PodFailed, first: corev1.ContainerStatus{State: ended(3, "")}, want: "0/1 Init:ExitCode:3 0"},                                                                                                                                                                                                         //nolint:lll // as above
		"begins":    {phase: corev1.PodPending, conditions: initialized, first: corev1.ContainerStatus{State: ended(0, "Completed")}, second: corev1.ContainerStatus{State: ended(0, "Completed")}, app: corev1.ContainerStatus{State: waits("PodInitializing")}, want: "0/1 PodInitializing 0"},                                          //nolint:lll // as above
		"sidecar":   {sidecar: true, phase: corev1.PodRunning, conditions: ready, first: corev1.ContainerStatus{State: runs(), Started: new(true), Ready: true, RestartCount: 1}, second: corev1.ContainerStatus{State: ended(0, "Completed")}, app: corev1.ContainerStatus{State: runs(), Ready: true}, want: "2/2 Running 1"},           //nolint:lll // as above
		"runs":      {phase: corev1.PodRunning, conditions: ready, first: corev1.ContainerStatus{State: ended(0, "Completed")}, second: corev1.ContainerStatus{State: ended(0, "Completed")}, app: corev1.ContainerStatus{State: runs(), Ready: true, RestartCount: 2, LastTerminationState: restarted}, want: "1/1 Running 2 (60m ago)"}, //nolint:lll // as above
		"completed": {phase: corev1.PodSucceeded, conditions: initialized, first: corev1.ContainerStatus{State: ended(0, "Completed")}, second: corev1.ContainerStatus{State: ended(0, "Completed")}, app: corev1.ContainerStatus{State: ended(0, "Completed")}, want: "0/1 Completed 0"},                                                 //nolint:lll // as above
	} {
		t.Run(name, func(t *testing.T) {
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.PodSpec{
				InitContainers: []corev1.Container{{Name: "first", Image: "i"}, {Name: "second", Image: "i"}},
				Containers:     []corev1.Container{{Name: "app", Image: "i"}},
			}}
			if test.sidecar {
				pod.Spec.InitContainers[0].RestartPolicy = new(corev1.ContainerRestartPolicyAlways)
			}
			made := must(pods.Create(ctx, pod, metav1.CreateOptions{}))(t)
			test.first.Name, test.second.Name, test.app.Name = "first", "second", "app"
			made.Status = corev1.PodStatus{
				Phase: test.phase, Conditions: test.conditions, ContainerStatuses: []corev1.ContainerStatus{test.app},
				InitContainerStatuses: []corev1.ContainerStatus{test.first, test.second},
			}
			must(pods.UpdateStatus(ctx, made, metav1.UpdateOptions{}))(t)
			data := must(f.kube.CoreV1().RESTClient().Get().Namespace(namespace).Resource("pods").Name(name).
				SetHeader("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io").DoRaw(ctx))(t)
			table := &metav1.Table{}
			if err := json.Unmarshal(data, table); err != nil {
				t.Fatal(err)
			}
			cells := table.Rows[0].Cells
			if got := fmt.Sprint(cells[1], " ", cells[2], " ", cells[3]); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
