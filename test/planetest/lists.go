package planetest

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
)

func (f *fixture) testLists(t *testing.T) {
	ctx, namespace := testContext(t), f.namespace(t)
	maps := f.kube.CoreV1().ConfigMaps(namespace)
	for i := range 5 {
		m := configMap(fmt.Sprintf("m%d", i), nil)
		m.Labels = map[string]string{"parity": []string{"even", "odd"}[i%2], "list": "yes"}
		must(maps.Create(ctx, m, metav1.CreateOptions{}))(t)
	}
	for name, test := range map[string]struct {
		opts metav1.ListOptions
		want []string
	}{
		"Label":      {metav1.ListOptions{LabelSelector: "parity=odd"}, []string{"m1", "m3"}},
		"Set":        {metav1.ListOptions{LabelSelector: "list,parity notin (odd)"}, []string{"m0", "m2", "m4"}},
		"Name":       {metav1.ListOptions{FieldSelector: "metadata.name=m2"}, []string{"m2"}},
		"BothFields": {metav1.ListOptions{LabelSelector: "list", FieldSelector: "metadata.name!=m2,metadata.namespace=" + namespace}, []string{"m0", "m1", "m3", "m4"}}, //nolint:lll // one case a line
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, namesOf(must(maps.List(ctx, test.opts))(t))); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
	t.Run("Pages", func(t *testing.T) {
		if diff := cmp.Diff([]string{"m0", "m1", "m2", "m3", "m4"}, namesOfPages(ctx, t, maps)); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
	})
	t.Run("BadSelector", func(t *testing.T) {
		if _, err := maps.List(ctx, metav1.ListOptions{FieldSelector: "spec.x=1"}); !apierrors.IsBadRequest(err) {
			t.Errorf("got %v, want BadRequest", err)
		}
	})
	t.Run("AtVersion", func(t *testing.T) {
		before := must(maps.List(ctx, metav1.ListOptions{LabelSelector: "list"}))(t)
		if err := maps.Delete(ctx, "m0", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		exact := must(maps.List(ctx, metav1.ListOptions{
			LabelSelector: "list", ResourceVersion: before.ResourceVersion, ResourceVersionMatch: metav1.ResourceVersionMatchExact,
		}))(t)
		if diff := cmp.Diff(namesOf(before), namesOf(exact)); diff != "" {
			t.Errorf("-before +exact\n%s", diff)
		}
	})
}

// namesOfPages lists ConfigMaps in pages, and creates another after the first page, which is in no
// page. All pages have to be of one version.
func namesOfPages(ctx context.Context, t *testing.T, maps corev1client.ConfigMapInterface) []string {
	t.Helper()
	opts := metav1.ListOptions{LabelSelector: "list", Limit: 2}
	first := must(maps.List(ctx, opts))(t)
	late := configMap("m9", nil)
	late.Labels = map[string]string{"list": "yes"}
	must(maps.Create(ctx, late, metav1.CreateOptions{}))(t)
	names := namesOf(first)
	for list := first; list.Continue != ""; {
		opts.Continue = list.Continue
		list = must(maps.List(ctx, opts))(t)
		if list.ResourceVersion != first.ResourceVersion {
			t.Errorf("a page is of version %s, the first of %s", list.ResourceVersion, first.ResourceVersion)
		}
		names = append(names, namesOf(list)...)
	}
	return names
}

func namesOf(list *corev1.ConfigMapList) []string {
	names := []string{}
	for i := range list.Items {
		if list.Items[i].Name != "kube-root-ca.crt" {
			names = append(names, list.Items[i].Name)
		}
	}
	return names
}

// testWatches watches from now, from a version, and with the objects that there are.
func (f *fixture) testWatches(t *testing.T) {
	ctx, namespace := testContext(t), f.namespace(t)
	maps := f.kube.CoreV1().ConfigMaps(namespace)
	labelled := configMap("one", nil)
	labelled.Labels = map[string]string{"watch": "yes"}
	first := must(maps.Create(ctx, labelled, metav1.CreateOptions{}))(t)
	change := func(patch string) {
		t.Helper()
		must(maps.Patch(ctx, "one", types.MergePatchType, []byte(patch), metav1.PatchOptions{}))(t)
	}
	open := func(opts metav1.ListOptions) watch.Interface {
		t.Helper()
		opts.LabelSelector = "watch=yes"
		w := must(maps.Watch(ctx, opts))(t)
		t.Cleanup(w.Stop)
		return w
	}
	fromVersion := open(metav1.ListOptions{ResourceVersion: first.ResourceVersion})
	initial := open(metav1.ListOptions{
		SendInitialEvents: new(true), ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan, AllowWatchBookmarks: true,
	})
	if got := next(ctx, t, initial); got != "ADDED one" {
		t.Errorf("the initial event: %s", got)
	}
	if got := next(ctx, t, initial); got != "BOOKMARK true" {
		t.Errorf("after the initial events: %s", got)
	}
	change(`{"data":{"a":"1"}}`)
	change(`{"metadata":{"labels":{"watch":"no"}}}`)
	change(`{"data":{"a":"2"}}`)
	change(`{"metadata":{"labels":{"watch":"yes"}}}`)
	if err := maps.Delete(ctx, "one", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	want := []string{"MODIFIED one", "DELETED one", "ADDED one", "DELETED one"}
	for name, w := range map[string]watch.Interface{"FromVersion": fromVersion, "Initial": initial, "Later": open(metav1.ListOptions{ResourceVersion: first.ResourceVersion})} { //nolint:lll // a table
		var got []string
		for range want {
			got = append(got, next(ctx, t, w))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
	}
	t.Run("Future", func(t *testing.T) {
		err := f.kube.CoreV1().RESTClient().Get().Namespace(namespace).Resource("configmaps").Param("resourceVersion", "1000000").
			Param("resourceVersionMatch", "NotOlderThan").MaxRetries(0).Do(ctx).Error()
		if !apierrors.IsTimeout(err) && !apierrors.HasStatusCause(err, metav1.CauseTypeResourceVersionTooLarge) {
			t.Errorf("a version that is not there yet: got %v", err)
		}
	})
}

// next returns the next event, except bookmarks of progress.
func next(ctx context.Context, t *testing.T, w watch.Interface) string {
	t.Helper()
	for {
		select {
		case event, open := <-w.ResultChan():
			if !open {
				t.Fatal("the watch has ended")
			}
			m, ok := event.Object.(*corev1.ConfigMap)
			if !ok {
				t.Fatalf("got %+v", event)
			}
			if event.Type == watch.Bookmark {
				if m.Annotations[metav1.InitialEventsAnnotationKey] == "" {
					continue
				}
				return "BOOKMARK " + m.Annotations[metav1.InitialEventsAnnotationKey]
			}
			return string(event.Type) + " " + m.Name
		case <-ctx.Done():
			t.Fatal("there is no further event")
		}
	}
}
