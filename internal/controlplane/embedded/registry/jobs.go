package registry

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metainternalversion "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/duration"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/warning"
)

func jobs() *kind[batchv1.Job, *batchv1.Job] {
	return &kind[batchv1.Job, *batchv1.Job]{
		resource: jobResource("jobs"), singular: "job", categories: []string{"all"},
		list: func() runtime.Object { return &batchv1.JobList{} },
		prepareCreate: func(j *batchv1.Job) {
			j.Generation, j.Status = 1, batchv1.JobStatus{}
			if !isSet(j.Spec.ManualSelector) {
				generateSelector(j)
			}
		},
		prepareUpdate: func(j, old *batchv1.Job) {
			j.Status = old.Status
			if !equality.Semantic.DeepEqual(j.Spec, old.Spec) {
				j.Generation = old.Generation + 1
			}
		},
		validate:       func(_ context.Context, j *batchv1.Job) field.ErrorList { return validateJob(j) },
		validateUpdate: func(_ context.Context, j, old *batchv1.Job) field.ErrorList { return validateJobUpdate(j, old) },
		warn:           warnJob,
		reset:          resetFields("status"),
		selectable: func(j *batchv1.Job) fields.Set {
			return fields.Set{"status.successful": strconv.Itoa(int(j.Status.Succeeded))}
		},
		columns: []metav1.TableColumnDefinition{
			nameColumn(),
			column("Status", "Status of the job."),
			column("Completions", batchv1.JobStatus{}.SwaggerDoc()["succeeded"]),
			column("Duration", "Time required to complete the job."),
			ageColumn(),
			wideColumn("Containers", "Names of each container in the template."),
			wideColumn("Images", "Images referenced by each container in the template."),
			wideColumn("Selector", batchv1.JobSpec{}.SwaggerDoc()["selector"]),
		},
		row: jobRow,
	}
}

func jobResource(name string) schema.GroupResource {
	return schema.GroupResource{Group: batchv1.GroupName, Resource: name}
}

// jobStatus are the rules of the subresource status.
func jobStatus() *kind[batchv1.Job, *batchv1.Job] {
	k := jobs()
	k.prepareUpdate = func(j, old *batchv1.Job) { j.Spec = old.Spec }
	k.validateUpdate = func(_ context.Context, j, old *batchv1.Job) field.ErrorList { return validateJobStatus(j, old) }
	k.warn = nil
	k.reset = resetFields("spec")
	return k
}

// The older names of the labels of Jobs.
const (
	olderJobName       = "job-name"
	olderControllerUID = "controller-uid"
)

// generateSelector sets labels of the template that only this Job has, and selects them.
func generateSelector(j *batchv1.Job) {
	template := &j.Spec.Template
	if template.Labels == nil {
		template.Labels = map[string]string{}
	}
	for label, value := range jobLabels(j) {
		if _, ok := template.Labels[label]; !ok {
			template.Labels[label] = value
		}
	}
	if j.Spec.Selector == nil {
		j.Spec.Selector = &metav1.LabelSelector{}
	}
	if j.Spec.Selector.MatchLabels == nil {
		j.Spec.Selector.MatchLabels = map[string]string{}
	}
	if _, ok := j.Spec.Selector.MatchLabels[batchv1.ControllerUidLabel]; !ok {
		j.Spec.Selector.MatchLabels[batchv1.ControllerUidLabel] = string(j.UID)
	}
}

func jobLabels(j *batchv1.Job) map[string]string {
	return map[string]string{
		olderJobName: j.Name, batchv1.JobNameLabel: j.Name,
		olderControllerUID: string(j.UID), batchv1.ControllerUidLabel: string(j.UID),
	}
}

func warnJob(j *batchv1.Job) []string {
	if messages := validation.IsDNS1123Label(j.Name); len(messages) > 0 {
		return []string{fmt.Sprintf("metadata.name: this is used in Pod names and hostnames, "+
			"which can result in surprising behavior; a DNS label is recommended: %v", messages)}
	}
	return nil
}

func jobRow(j *batchv1.Job) []any {
	var names, images []string
	for i := range j.Spec.Template.Spec.Containers {
		names = append(names, j.Spec.Template.Spec.Containers[i].Name)
		images = append(images, j.Spec.Template.Spec.Containers[i].Image)
	}
	return []any{
		j.Name, jobState(j), jobCompletions(j), jobDuration(j), age(j),
		strings.Join(names, ","), strings.Join(images, ","), metav1.FormatLabelSelector(j.Spec.Selector),
	}
}

func jobState(j *batchv1.Job) string {
	switch {
	case hasJobCondition(j, batchv1.JobComplete):
		return "Complete"
	case hasJobCondition(j, batchv1.JobFailed):
		return "Failed"
	case j.DeletionTimestamp != nil:
		return "Terminating"
	case hasJobCondition(j, batchv1.JobSuspended):
		return "Suspended"
	case hasJobCondition(j, batchv1.JobFailureTarget):
		return "FailureTarget"
	case hasJobCondition(j, batchv1.JobSuccessCriteriaMet):
		return "SuccessCriteriaMet"
	default:
		return "Running"
	}
}

func jobCompletions(j *batchv1.Job) string {
	parallelism := j.Spec.Parallelism
	switch {
	case j.Spec.Completions != nil:
		return fmt.Sprintf("%d/%d", j.Status.Succeeded, *j.Spec.Completions)
	case parallelism != nil && *parallelism > 1:
		return fmt.Sprintf("%d/1 of %d", j.Status.Succeeded, *parallelism)
	default:
		return fmt.Sprintf("%d/1", j.Status.Succeeded)
	}
}

func jobDuration(j *batchv1.Job) string {
	if j.Status.StartTime == nil {
		return ""
	}
	end := cmp.Or(j.Status.CompletionTime, new(metav1.Now()))
	return duration.HumanDuration(end.Sub(j.Status.StartTime.Time))
}

// jobREST serves Jobs. Version v1 keeps the Pods of a deleted Job, unless the request tells otherwise.
type jobREST struct {
	*resourceREST

	status *statusREST
}

func newJobREST(getter generic.RESTOptionsGetter) (*jobREST, error) {
	k := jobs()
	r, err := newREST(k, getter)
	if err != nil {
		return nil, err
	}
	r.DeleteStrategy = jobStrategy{k.strategy()}
	return &jobREST{r, newStatusREST(jobStatus().subresource(r.Store))}, nil
}

// resources returns the resources of the group. CronJobs are in its version, too.
func (r *jobREST) resources() map[string]rest.Storage {
	return map[string]rest.Storage{
		"jobs": r, "jobs/status": r.status,
		"cronjobs": &unservedREST{
			resource: jobResource("cronjobs"), singular: "cronjob", shortNames: []string{"cj"},
			object: func() runtime.Object { return &batchv1.CronJob{} },
			list:   func() runtime.Object { return &batchv1.CronJobList{} },
		},
	}
}

const orphaning = "child pods are preserved by default when jobs are deleted; " +
	"set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning"

func warnOrphaning(ctx context.Context, options *metav1.DeleteOptions) {
	//nolint:staticcheck // older clients send it
	if options != nil && options.PropagationPolicy == nil && options.OrphanDependents == nil {
		warning.AddWarning(ctx, "", orphaning)
	}
}

// Delete implements rest.GracefulDeleter.
func (r *jobREST) Delete(
	ctx context.Context, name string, validate rest.ValidateObjectFunc, options *metav1.DeleteOptions,
) (runtime.Object, bool, error) {
	warnOrphaning(ctx, options)
	return r.Store.Delete(ctx, name, validate, options)
}

// DeleteCollection implements rest.CollectionDeleter.
func (r *jobREST) DeleteCollection(
	ctx context.Context, validate rest.ValidateObjectFunc, options *metav1.DeleteOptions, list *metainternalversion.ListOptions,
) (runtime.Object, error) {
	warnOrphaning(ctx, options)
	return r.Store.DeleteCollection(ctx, validate, options, list)
}

type jobStrategy struct {
	strategy[batchv1.Job, *batchv1.Job]
}

var _ rest.GarbageCollectionDeleteStrategy = jobStrategy{}

// DefaultGarbageCollectionPolicy implements rest.GarbageCollectionDeleteStrategy.
func (jobStrategy) DefaultGarbageCollectionPolicy(context.Context) rest.GarbageCollectionPolicy {
	return rest.OrphanDependents
}

// IsServed reports whether the registry has resources of a version that it does not have without a node for Pods.
func (r *Registry) IsServed(version schema.GroupVersion) bool {
	return r.jobs != nil && version == batchv1.SchemeGroupVersion
}
