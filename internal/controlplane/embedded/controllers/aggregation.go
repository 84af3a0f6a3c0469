package controllers

import (
	"cmp"
	"context"
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	applyrbacv1 "k8s.io/client-go/applyconfigurations/rbac/v1"
	rbacv1client "k8s.io/client-go/kubernetes/typed/rbac/v1"
	listers "k8s.io/client-go/listers/rbac/v1"
	toolscache "k8s.io/client-go/tools/cache"
)

// aggregationManager is the field manager of aggregated rules.
const aggregationManager = "clusterrole-aggregation-controller"

// aggregation gives the ClusterRoles with an aggregation rule the rules of those that it
// selects.
type aggregation struct {
	client rbacv1client.RbacV1Interface
	lister listers.ClusterRoleLister
	queue  queue // of names
}

func newAggregation(shared clients, informer toolscache.SharedIndexInformer) (*aggregation, error) {
	a := &aggregation{client: shared.rbac, lister: listers.NewClusterRoleLister(informer.GetIndexer()), queue: newQueue()}
	_, err := informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { a.enqueueAll() },
		UpdateFunc: func(_, _ any) { a.enqueueAll() },
		DeleteFunc: func(any) { a.enqueueAll() },
	})
	return a, err
}

// enqueueAll looks at all aggregated roles: a change of a role may concern any of them.
func (a *aggregation) enqueueAll() {
	roles, err := a.lister.List(labels.Everything())
	if err != nil {
		return // the informer's own store has no errors
	}
	for _, role := range roles {
		if role.AggregationRule != nil {
			a.queue.Add(role.Name)
		}
	}
}

func (a *aggregation) process(ctx context.Context, name string) error {
	role, err := a.lister.Get(name)
	if err != nil || role.AggregationRule == nil {
		return ignoreNotFound(err)
	}
	rules, err := a.aggregate(role)
	if err != nil || equality.Semantic.DeepEqual(rules, role.Rules) {
		return err
	}
	apply := applyrbacv1.ClusterRole(name)
	for _, rule := range rules {
		apply.WithRules(&applyrbacv1.PolicyRuleApplyConfiguration{
			Verbs: rule.Verbs, APIGroups: rule.APIGroups, Resources: rule.Resources,
			ResourceNames: rule.ResourceNames, NonResourceURLs: rule.NonResourceURLs,
		})
	}
	_, err = a.client.ClusterRoles().Apply(ctx, apply, metav1.ApplyOptions{FieldManager: aggregationManager, Force: true})
	return ignoreNotFound(err)
}

func (a *aggregation) aggregate(role *rbacv1.ClusterRole) ([]rbacv1.PolicyRule, error) {
	rules := []rbacv1.PolicyRule{}
	for i := range role.AggregationRule.ClusterRoleSelectors {
		selector, err := metav1.LabelSelectorAsSelector(&role.AggregationRule.ClusterRoleSelectors[i])
		if err != nil {
			return nil, err
		}
		selected, err := a.lister.List(selector)
		if err != nil {
			return nil, err
		}
		slices.SortFunc(selected, func(x, y *rbacv1.ClusterRole) int { return cmp.Compare(x.Name, y.Name) })
		for _, other := range selected {
			if other.Name != role.Name {
				rules = appendMissing(rules, other.Rules)
			}
		}
	}
	return rules, nil
}

func appendMissing(rules, more []rbacv1.PolicyRule) []rbacv1.PolicyRule {
	for i := range more {
		if !slices.ContainsFunc(rules, func(r rbacv1.PolicyRule) bool { return equality.Semantic.DeepEqual(r, more[i]) }) {
			rules = append(rules, more[i])
		}
	}
	return rules
}
