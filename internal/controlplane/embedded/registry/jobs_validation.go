package registry

import (
	"fmt"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func validateJob(j *batchv1.Job) field.ErrorList {
	errs := validateMeta(j, true, apivalidation.NameIsDNSSubdomain)
	errs = append(errs, validateGeneratedSelector(j)...)
	errs = append(errs, validateJobSpec(&j.Spec, field.NewPath("spec"))...)
	return append(errs, validateIndexedName(j)...)
}

// validateGeneratedSelector checks that the Job's own labels have not been replaced by a user's.
func validateGeneratedSelector(j *batchv1.Job) field.ErrorList {
	if isSet(j.Spec.ManualSelector) || j.Spec.Selector == nil {
		return nil
	}
	var errs field.ErrorList
	path, expected := field.NewPath("spec", "template", "metadata"), jobLabels(j)
	for _, label := range []string{olderControllerUID, olderJobName, batchv1.ControllerUidLabel, batchv1.JobNameLabel} {
		switch actual, ok := j.Spec.Template.Labels[label]; {
		case !ok:
			errs = append(errs, field.Required(path.Child("labels").Key(label), fmt.Sprintf("must be '%s'", expected[label])))
		case actual != expected[label]:
			errs = append(errs, field.Invalid(path.Child("labels").Key(label), j.Spec.Template.Labels,
				fmt.Sprintf("must be '%s'", expected[label])))
		}
	}
	if selector, err := metav1.LabelSelectorAsSelector(j.Spec.Selector); err == nil && !selector.Matches(labels.Set(expected)) {
		errs = append(errs, field.Invalid(field.NewPath("spec", "selector"), j.Spec.Selector, "`selector` not auto-generated"))
	}
	return errs
}

func validateJobSpec(spec *batchv1.JobSpec, path *field.Path) field.ErrorList {
	errs := append(validateJobNumbers(spec, path), validateCompletionMode(spec, path)...)
	errs = append(errs, validateServedByJobs(spec, path)...)
	policies := []batchv1.PodReplacementPolicy{batchv1.Failed, batchv1.TerminatingOrFailed}
	if policy := spec.PodReplacementPolicy; policy != nil && !slices.Contains(policies, *policy) {
		errs = append(errs, field.NotSupported(path.Child("podReplacementPolicy"), *policy, policies))
	}
	errs = append(errs, validateJobTemplate(&spec.Template, path.Child("template"))...)
	if spec.Selector == nil {
		errs = append(errs, required(path.Child("selector"))...)
	} else {
		errs = append(errs, metav1validation.ValidateLabelSelector(spec.Selector, metav1validation.LabelSelectorValidationOptions{},
			path.Child("selector"))...)
	}
	selector, err := metav1.LabelSelectorAsSelector(spec.Selector)
	if err == nil && !selector.Matches(labels.Set(spec.Template.Labels)) {
		errs = append(errs, field.Invalid(path.Child("template", "metadata", "labels"), spec.Template.Labels,
			"`selector` does not match template `labels`"))
	}
	return errs
}

func validateJobNumbers(spec *batchv1.JobSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	numbers := []struct {
		name  string
		value *int32
	}{
		{"parallelism", spec.Parallelism},
		{"completions", spec.Completions},
		{"backoffLimit", spec.BackoffLimit},
		{"ttlSecondsAfterFinished", spec.TTLSecondsAfterFinished},
	}
	for _, number := range numbers {
		if number.value != nil {
			errs = append(errs, apivalidation.ValidateNonnegativeField(int64(*number.value), path.Child(number.name))...)
		}
	}
	if seconds := spec.ActiveDeadlineSeconds; seconds != nil {
		errs = append(errs, apivalidation.ValidateNonnegativeField(*seconds, path.Child("activeDeadlineSeconds"))...)
	}
	return errs
}

// maxIndexedParallelism limits the parallelism of an indexed Job.
const maxIndexedParallelism = 100000

func validateCompletionMode(spec *batchv1.JobSpec, path *field.Path) field.ErrorList {
	errs := validateOneOf(path.Child("completionMode"), *spec.CompletionMode, batchv1.NonIndexedCompletion, batchv1.IndexedCompletion)
	if *spec.CompletionMode != batchv1.IndexedCompletion {
		return errs
	}
	const when = "when completion mode is Indexed"
	if spec.Completions == nil {
		errs = append(errs, field.Required(path.Child("completions"), when))
	}
	if n := spec.Parallelism; n != nil && *n > maxIndexedParallelism {
		errs = append(errs, field.Invalid(path.Child("parallelism"), *n,
			fmt.Sprintf("must be less than or equal to %d %s", maxIndexedParallelism, when)))
	}
	return errs
}

// validateServedByJobs rejects the fields that the controller does not honour: a Job that ignored them would end
// in another way than on a cluster.
func validateServedByJobs(spec *batchv1.JobSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	fields := []struct {
		name  string
		isSet bool
	}{
		{"podFailurePolicy", spec.PodFailurePolicy != nil},
		{"successPolicy", spec.SuccessPolicy != nil},
		{"backoffLimitPerIndex", spec.BackoffLimitPerIndex != nil},
		{"maxFailedIndexes", spec.MaxFailedIndexes != nil},
		{"scheduling", spec.Scheduling != nil},
	}
	for _, f := range fields {
		if f.isSet {
			errs = append(errs, field.Forbidden(path.Child(f.name), "the embedded control plane does not serve it: "+
				"start the emulator with `cosi-emu up --pods --control-plane envtest`"))
		}
	}
	return errs
}

func validateJobTemplate(template *corev1.PodTemplateSpec, path *field.Path) field.ErrorList {
	errs := metav1validation.ValidateLabels(template.Labels, path.Child("labels"))
	errs = append(errs, apivalidation.ValidateAnnotations(template.Annotations, path.Child("annotations"))...)
	errs = append(errs, validatePodSpec(&template.Spec, path.Child("spec"))...)
	policies, at := []corev1.RestartPolicy{corev1.RestartPolicyOnFailure, corev1.RestartPolicyNever}, path.Child("spec", "restartPolicy")
	switch policy := template.Spec.RestartPolicy; {
	case policy == corev1.RestartPolicyAlways:
		return append(errs, field.Required(at, fmt.Sprintf("valid values: %q, %q", policies[0], policies[1])))
	case !slices.Contains(policies, policy):
		return append(errs, field.NotSupported(at, policy, policies))
	}
	return errs
}

// validateIndexedName checks that the longest hostname of the Pods is a label.
func validateIndexedName(j *batchv1.Job) field.ErrorList {
	if *j.Spec.CompletionMode != batchv1.IndexedCompletion || j.Spec.Completions == nil || *j.Spec.Completions <= 0 {
		return nil
	}
	longest := fmt.Sprintf("%s-%d", j.Name, *j.Spec.Completions-1)
	if messages := validation.IsDNS1123Label(longest); len(messages) > 0 {
		return field.ErrorList{field.Invalid(field.NewPath("metadata", "name"), j.Name,
			fmt.Sprintf("will not able to create pod with invalid DNS label: %s", longest))}
	}
	return nil
}

func validateJobUpdate(j, old *batchv1.Job) field.ErrorList {
	errs := append(validateMetaUpdate(j, old), validateJobSpec(&j.Spec, field.NewPath("spec"))...)
	path := field.NewPath("spec")
	errs = append(errs, validateCompletionsUpdate(&j.Spec, &old.Spec, path.Child("completions"))...)
	errs = append(errs, apivalidation.ValidateImmutableField(j.Spec.Selector, old.Spec.Selector, path.Child("selector"))...)
	hasPaused := old.Status.StartTime == nil || hasJobCondition(old, batchv1.JobSuspended)
	if at := path.Child("template"); isSet(old.Spec.Suspend) && hasPaused && old.Status.Active == 0 {
		spec := &j.Spec.Template.Spec
		errs = append(errs, apivalidation.ValidateImmutableField(spec, withScheduling(&old.Spec.Template.Spec, spec), at.Child("spec"))...)
	} else {
		errs = append(errs, apivalidation.ValidateImmutableField(&j.Spec.Template, &old.Spec.Template, at)...)
	}
	errs = append(errs, apivalidation.ValidateImmutableField(j.Spec.CompletionMode, old.Spec.CompletionMode, path.Child("completionMode"))...)
	return append(errs, apivalidation.ValidateImmutableField(j.Spec.ManagedBy, old.Spec.ManagedBy, path.Child("managedBy"))...)
}

// validateCompletionsUpdate lets an indexed Job grow and shrink together with its parallelism.
func validateCompletionsUpdate(spec, old *batchv1.JobSpec, path *field.Path) field.ErrorList {
	if *spec.CompletionMode != batchv1.IndexedCompletion {
		return apivalidation.ValidateImmutableField(spec.Completions, old.Completions, path)
	}
	if spec.Completions == nil || equality.Semantic.DeepEqual(spec.Completions, old.Completions) || *spec.Completions == *spec.Parallelism {
		return nil
	}
	return field.ErrorList{field.Invalid(path, spec.Completions, "can only be modified in tandem with spec.parallelism")}
}

// withScheduling returns the specification of Pods with the fields of another that may change while a Job is suspended.
func withScheduling(spec, changed *corev1.PodSpec) *corev1.PodSpec {
	spec = spec.DeepCopy()
	spec.NodeSelector, spec.Tolerations, spec.SchedulingGates = changed.NodeSelector, changed.Tolerations, changed.SchedulingGates
	spec.Affinity = withNodeAffinity(spec.Affinity, changed.Affinity)
	copyResources(spec.Containers, changed.Containers)
	copyResources(spec.InitContainers, changed.InitContainers)
	return spec
}

// withNodeAffinity returns an affinity with the part for nodes of another.
func withNodeAffinity(affinity, changed *corev1.Affinity) *corev1.Affinity {
	merged := corev1.Affinity{}
	if affinity != nil {
		merged = *affinity
	}
	merged.NodeAffinity = nil
	if changed != nil {
		merged.NodeAffinity = changed.NodeAffinity
	} else if merged == (corev1.Affinity{}) {
		return nil
	}
	return &merged
}

func copyResources(to, from []corev1.Container) {
	if len(to) != len(from) {
		return
	}
	for i := range to {
		if to[i].Name == from[i].Name {
			to[i].Resources = from[i].Resources
		}
	}
}

// validateJobStatus rejects changes after which clients would not know whether the Job has ended.
func validateJobStatus(j, old *batchv1.Job) field.ErrorList {
	errs, path := validateMetaUpdate(j, old), field.NewPath("status")
	for _, kind := range []batchv1.JobConditionType{batchv1.JobFailed, batchv1.JobComplete, batchv1.JobFailureTarget} {
		if hasJobCondition(old, kind) && !hasJobCondition(j, kind) {
			errs = append(errs, field.Invalid(path.Child("conditions"), field.OmitValueType{},
				fmt.Sprintf("cannot disable the terminal %s=True condition", kind)))
		}
	}
	if j.Status.Failed < old.Status.Failed {
		errs = append(errs, field.Invalid(path.Child("failed"), j.Status.Failed, "cannot decrease the failed counter"))
	}
	if hasJobCondition(j, batchv1.JobComplete) && hasJobCondition(j, batchv1.JobFailed) {
		errs = append(errs, field.Invalid(path.Child("conditions"), field.OmitValueType{}, "cannot set Complete=True and Failed=true conditions"))
	}
	return errs
}

func hasJobCondition(j *batchv1.Job, kind batchv1.JobConditionType) bool {
	return slices.ContainsFunc(j.Status.Conditions, func(c batchv1.JobCondition) bool {
		return c.Type == kind && c.Status == corev1.ConditionTrue
	})
}
