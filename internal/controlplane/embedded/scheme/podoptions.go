package scheme

import (
	"errors"
	"net/url"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/conversion"
	"k8s.io/apimachinery/pkg/runtime"
)

// addPodOptions registers how the options of the subresources of Pods are read from queries.
func addPodOptions(s *runtime.Scheme) error {
	return errors.Join(
		addQuery(s, func(q *query, o *corev1.PodLogOptions) {
			read(q, "container", &o.Container, runtime.Convert_Slice_string_To_string)
			read(q, "follow", &o.Follow, runtime.Convert_Slice_string_To_bool)
			read(q, "previous", &o.Previous, runtime.Convert_Slice_string_To_bool)
			read(q, "sinceSeconds", &o.SinceSeconds, runtime.Convert_Slice_string_To_Pointer_int64)
			read(q, "sinceTime", &o.SinceTime, metav1.Convert_Slice_string_To_Pointer_v1_Time)
			read(q, "timestamps", &o.Timestamps, runtime.Convert_Slice_string_To_bool)
			read(q, "tailLines", &o.TailLines, runtime.Convert_Slice_string_To_Pointer_int64)
			read(q, "limitBytes", &o.LimitBytes, runtime.Convert_Slice_string_To_Pointer_int64)
			read(q, "insecureSkipTLSVerifyBackend", &o.InsecureSkipTLSVerifyBackend, runtime.Convert_Slice_string_To_bool)
			read(q, "stream", &o.Stream, toPointer)
		}),
		addQuery(s, func(q *query, o *corev1.PodExecOptions) {
			readStreams(q, &o.Stdin, &o.Stdout, &o.Stderr, &o.TTY)
			read(q, "container", &o.Container, runtime.Convert_Slice_string_To_string)
			o.Command = q.values["command"]
		}),
		addQuery(s, func(q *query, o *corev1.PodAttachOptions) {
			readStreams(q, &o.Stdin, &o.Stdout, &o.Stderr, &o.TTY)
			read(q, "container", &o.Container, runtime.Convert_Slice_string_To_string)
		}),
		addQuery(s, func(q *query, o *corev1.PodPortForwardOptions) {
			read(q, "ports", &o.Ports, metav1.Convert_Slice_string_To_Slice_int32)
		}),
	)
}

// query is the query of a request, with the first error of reading it.
type query struct {
	values url.Values
	scope  conversion.Scope
	err    error
}

func addQuery[Options any](s *runtime.Scheme, fill func(*query, *Options)) error {
	return s.AddConversionFunc((*url.Values)(nil), (*Options)(nil), func(a, b any, scope conversion.Scope) error {
		in, isIn := a.(*url.Values)
		out, isOut := b.(*Options)
		if !isIn || !isOut {
			return errors.New("a conversion has objects of other types")
		}
		q := &query{values: *in, scope: scope}
		fill(q, out)
		return q.err
	})
}

func read[T any](q *query, name string, to *T, parse func(*[]string, *T, conversion.Scope) error) {
	if values := q.values[name]; len(values) > 0 && q.err == nil {
		q.err = parse(&values, to, q.scope)
	}
}

func readStreams(q *query, stdin, stdout, stderr, tty *bool) {
	for name, to := range map[string]*bool{"stdin": stdin, "stdout": stdout, "stderr": stderr, "tty": tty} {
		read(q, name, to, runtime.Convert_Slice_string_To_bool)
	}
}

func toPointer(values *[]string, to **string, _ conversion.Scope) error {
	*to = &(*values)[0]
	return nil
}
