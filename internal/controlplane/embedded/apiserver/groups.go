package apiserver

import (
	"slices"
	"sync"

	"k8s.io/apiextensions-apiserver/pkg/apihelpers"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	informers "k8s.io/apiextensions-apiserver/pkg/client/informers/externalversions/apiextensions/v1"
	listers "k8s.io/apiextensions-apiserver/pkg/client/listers/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/apiserver/pkg/endpoints/discovery"
	toolscache "k8s.io/client-go/tools/cache"
)

// groupList has the groups of custom resources listed at /apis. In a kube-apiserver the
// aggregator does that.
type groupList struct {
	definitions listers.CustomResourceDefinitionLister
	manager     discovery.GroupManager

	mu    sync.Mutex
	added sets.Set[string]
}

// serveGroups lists the groups as the definitions change. The result is done when all
// definitions that exist are listed.
func serveGroups(definitions informers.CustomResourceDefinitionInformer, manager discovery.GroupManager) (toolscache.DoneChecker, error) {
	g := &groupList{definitions: definitions.Lister(), manager: manager, added: sets.New[string]()}
	registration, err := definitions.Informer().AddEventHandler(toolscache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { g.update() },
		UpdateFunc: func(_, _ any) { g.update() },
		DeleteFunc: func(any) { g.update() },
	})
	if err != nil {
		return nil, err
	}
	return registration.HasSyncedChecker(), nil
}

func (g *groupList) update() {
	definitions, err := g.definitions.List(labels.Everything())
	if err != nil {
		return // the informer's own store has no errors
	}
	versions := map[string]sets.Set[string]{}
	for _, d := range definitions {
		if !apihelpers.IsCRDConditionTrue(d, apiextensionsv1.Established) {
			continue
		}
		for _, v := range d.Spec.Versions {
			if v.Served {
				versions[d.Spec.Group] = versions[d.Spec.Group].Union(sets.New(v.Name))
			}
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for name, served := range versions {
		g.manager.AddGroup(groupOf(name, served))
	}
	for gone := range g.added.Difference(sets.KeySet(versions)) {
		g.manager.RemoveGroup(gone)
	}
	g.added = sets.KeySet(versions)
}

// groupOf returns a group for discovery. It prefers the most stable and newest version.
func groupOf(name string, versions sets.Set[string]) metav1.APIGroup {
	names := versions.UnsortedList()
	slices.SortFunc(names, func(a, b string) int { return version.CompareKubeAwareVersionStrings(b, a) })
	group := metav1.APIGroup{Name: name}
	for _, v := range names {
		group.Versions = append(group.Versions, metav1.GroupVersionForDiscovery{GroupVersion: name + "/" + v, Version: v})
	}
	group.PreferredVersion = group.Versions[0]
	return group
}
