package job

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
)

// indexes are completion indexes. Their text is, for example, 0,3-5.
type indexes map[int]bool

// parseIndexes reads the indexes below completions. A user can write a status with any others, and make a Job smaller.
func parseIndexes(text string, completions int32) indexes {
	all := indexes{}
	for part := range strings.SplitSeq(text, ",") {
		first, last, isRange := strings.Cut(part, "-")
		from, err := strconv.Atoi(first)
		if err != nil {
			continue // no index, or of another controller
		}
		to := from
		if isRange {
			if to, err = strconv.Atoi(last); err != nil {
				continue
			}
		}
		for i := from; i <= min(to, int(completions)-1); i++ {
			all.add(i, completions)
		}
	}
	return all
}

// add adds an index below completions, and reports whether it is new.
func (x indexes) add(index int, completions int32) bool {
	if index < 0 || index >= int(completions) || x[index] {
		return false
	}
	x[index] = true
	return true
}

func (x indexes) has(index int) bool { return x[index] }

func (x indexes) total() int32 { return int32(len(x)) } //nolint:gosec // at most completions

// String returns the text of the indexes. Neighbours are a range if there are more than two.
func (x indexes) String() string {
	var parts []string
	sorted := slices.Sorted(maps.Keys(x))
	for i := 0; i < len(sorted); {
		last := i
		for last+1 < len(sorted) && sorted[last+1] == sorted[last]+1 {
			last++
		}
		switch last - i {
		case 0:
			parts = append(parts, strconv.Itoa(sorted[i]))
		case 1:
			parts = append(parts, strconv.Itoa(sorted[i]), strconv.Itoa(sorted[last]))
		default:
			parts = append(parts, fmt.Sprintf("%d-%d", sorted[i], sorted[last]))
		}
		i = last + 1
	}
	return strings.Join(parts, ",")
}

// indexOf returns the completion index of a Pod, or -1.
func indexOf(pod *corev1.Pod) int {
	index, err := strconv.Atoi(pod.Annotations[batchv1.JobCompletionIndexAnnotation])
	if err != nil {
		return -1
	}
	return index
}

// freeIndexes returns the first indexes that neither have succeeded nor have an active Pod.
func (s *state) freeIndexes(count int) []int {
	if !s.isIndexed() {
		return nil
	}
	used := maps.Clone(s.completed)
	for _, pod := range s.pods {
		if !hasEnded(pod) && (pod.DeletionTimestamp == nil || s.replacesFailed()) {
			used[indexOf(pod)] = true
		}
	}
	var free []int
	for i := 0; i < int(*s.job.Spec.Completions) && len(free) < count; i++ {
		if !used[i] {
			free = append(free, i)
		}
	}
	return free
}

// indexVariable is the variable of containers with the completion index.
const indexVariable = "JOB_COMPLETION_INDEX"

// maxPrefix is the length of the longest prefix of a generated name.
const maxPrefix = 58

// setIndex gives a Pod a completion index: its name, hostname, label, annotation and variables.
func setIndex(pod *corev1.Pod, job string, index int) {
	text := strconv.Itoa(index)
	suffix := "-" + text + "-"
	pod.GenerateName = job[:min(len(job), maxPrefix-len(suffix))] + suffix
	for _, values := range []*map[string]string{&pod.Labels, &pod.Annotations} {
		if *values == nil {
			*values = map[string]string{}
		}
		(*values)[batchv1.JobCompletionIndexAnnotation] = text
	}
	pod.Spec.Hostname = job + "-" + text
	for _, containers := range [][]corev1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for i := range containers {
			c := &containers[i]
			if slices.ContainsFunc(c.Env, func(v corev1.EnvVar) bool { return v.Name == indexVariable }) {
				continue
			}
			c.Env = append(c.Env, corev1.EnvVar{Name: indexVariable, ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{
				FieldPath: fmt.Sprintf("metadata.labels['%s']", batchv1.JobCompletionIndexAnnotation),
			}}})
		}
	}
}
