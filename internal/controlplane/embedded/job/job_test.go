package job

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestIndexes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "", "3": "3", "1-3": "1-3", "0,2-3": "0,2,3", "5,0-1,2": "0-2,5", "x,1-y,4": "4",
	} {
		if got := parseIndexes(text, 10).String(); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	all := parseIndexes("0-4", 10)
	if all.add(3, 10) || all.add(10, 10) || all.add(-1, 10) || !all.add(6, 10) {
		t.Error("only a new index within the completions can be added")
	}
	if all := parseIndexes("0-4000000000", 4); all.String() != "0-3" || all.total() != 4 {
		t.Errorf("got %s", all)
	}
}

func TestBackOff(t *testing.T) {
	t.Parallel()
	start := time.Unix(1700000000, 0)
	ended := func(seconds ...int) []*corev1.Pod {
		var pods []*corev1.Pod
		for _, s := range seconds {
			at := metav1.NewTime(start.Add(time.Duration(s) * time.Second))
			terminated := corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{FinishedAt: at}}
			pods = append(pods, &corev1.Pod{Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{State: terminated}}}})
		}
		return pods
	}
	const none = -1700000000 * time.Second
	for name, test := range map[string]struct {
		reason string
		rounds [][2][]*corev1.Pod // Pods that succeeded, and that failed
		want   time.Duration      // after the start
	}{
		"None":     {"without failures there is no pause", nil, none},
		"First":    {"the pause begins at the end of the Pod", [][2][]*corev1.Pod{{nil, ended(1)}}, 11 * time.Second},
		"Doubled":  {"further failures double it", [][2][]*corev1.Pod{{nil, ended(1)}, {nil, ended(12, 14)}}, 54 * time.Second},
		"Longest":  {"the pause has a limit", [][2][]*corev1.Pod{{nil, ended(0, 0, 0, 0, 0, 0, 0, 0, 0, 0)}}, 600 * time.Second},
		"Reset":    {"a success ends it", [][2][]*corev1.Pod{{nil, ended(1)}, {ended(20), nil}}, none},
		"Together": {"only failures after the success count", [][2][]*corev1.Pod{{ended(20), ended(10, 25)}}, 35 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var f failures
			for _, round := range test.rounds {
				f.add(round[0], round[1])
			}
			end := f.pauseEnd(DefaultBackOff, DefaultMaxBackOff)
			got := none
			if !end.IsZero() {
				got = end.Sub(start)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("%s: -want +got\n%s", test.reason, diff)
			}
		})
	}
}
