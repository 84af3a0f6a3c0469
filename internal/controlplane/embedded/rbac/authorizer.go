package rbac

import (
	"context"
	"fmt"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
)

// Authorizer allows requests that the policy grants, and every request of group system:masters.
type Authorizer struct {
	policy Source
}

var (
	_ authorizer.Authorizer   = &Authorizer{}
	_ authorizer.RuleResolver = &Authorizer{}
)

// NewAuthorizer returns an authorizer.
func NewAuthorizer(policy Source) *Authorizer { return &Authorizer{policy} }

// Authorize implements authorizer.Authorizer.
func (a *Authorizer) Authorize(ctx context.Context, attributes authorizer.Attributes) (authorizer.Decision, string, error) {
	who := attributes.GetUser()
	if slices.Contains(who.GetGroups(), user.SystemPrivilegedGroup) {
		return authorizer.DecisionAllow, "", nil
	}
	policy, err := a.policy(ctx)
	if err != nil {
		return authorizer.DecisionNoOpinion, "", fmt.Errorf("read the Roles and bindings: %w", err)
	}
	reason := ""
	errs := policy.grants(who, attributes.GetNamespace(), func(g grant) bool {
		if !allows(g.rule, attributes) {
			return true
		}
		reason = "RBAC: allowed by " + g.binding.String()
		return false
	})
	if reason != "" {
		return authorizer.DecisionAllow, reason, nil
	}
	if len(errs) > 0 {
		reason = fmt.Sprintf("rbac: RBAC: %v", utilerrors.NewAggregate(errs)) // the name of the authorizer, and its reason
	}
	return authorizer.DecisionNoOpinion, reason, nil
}

// RulesFor implements authorizer.RuleResolver. What group system:masters has without a
// binding is not listed, as in a kube-apiserver.
func (a *Authorizer) RulesFor(
	ctx context.Context, who user.Info, namespace string,
) ([]authorizer.ResourceRuleInfo, []authorizer.NonResourceRuleInfo, bool, error) {
	rules, err := a.rules(ctx, who, namespace)
	var resources []authorizer.ResourceRuleInfo
	var urls []authorizer.NonResourceRuleInfo
	for i := range rules {
		rule := &rules[i]
		if len(rule.Resources) > 0 {
			resources = append(resources, &authorizer.DefaultResourceRuleInfo{
				Verbs: rule.Verbs, APIGroups: rule.APIGroups, Resources: rule.Resources, ResourceNames: rule.ResourceNames,
			})
		}
		if len(rule.NonResourceURLs) > 0 {
			urls = append(urls, &authorizer.DefaultNonResourceRuleInfo{Verbs: rule.Verbs, NonResourceURLs: rule.NonResourceURLs})
		}
	}
	return resources, urls, false, err
}

// rules returns the rules of a user. With an error, some may be missing.
func (a *Authorizer) rules(ctx context.Context, who user.Info, namespace string) ([]rbacv1.PolicyRule, error) {
	policy, err := a.policy(ctx)
	if err != nil {
		return nil, err
	}
	var rules []rbacv1.PolicyRule
	errs := policy.grants(who, namespace, func(g grant) bool {
		rules = append(rules, *g.rule)
		return true
	})
	return rules, utilerrors.NewAggregate(errs)
}

func allows(rule *rbacv1.PolicyRule, attributes authorizer.Attributes) bool {
	if !contains(rule.Verbs, attributes.GetVerb()) {
		return false
	}
	if !attributes.IsResourceRequest() {
		return slices.ContainsFunc(rule.NonResourceURLs, func(url string) bool { return matchesURL(url, attributes.GetPath()) })
	}
	return contains(rule.APIGroups, attributes.GetAPIGroup()) &&
		allowsResource(rule.Resources, attributes.GetResource(), attributes.GetSubresource()) &&
		(len(rule.ResourceNames) == 0 || slices.Contains(rule.ResourceNames, attributes.GetName()))
}

// contains reports whether a list of a rule has a value. A "*" stands for all verbs, groups or
// resources.
func contains(list []string, value string) bool {
	return slices.Contains(list, "*") || slices.Contains(list, value)
}

func allowsResource(resources []string, resource, subresource string) bool {
	if subresource == "" {
		return contains(resources, resource)
	}
	return contains(resources, resource+"/"+subresource) || slices.Contains(resources, "*/"+subresource)
}

func matchesURL(url, path string) bool {
	prefix, open := strings.CutSuffix(url, "*")
	return url == path || open && strings.HasPrefix(path, strings.TrimRight(prefix, "*"))
}

// ConditionsAwareAuthorize implements authorizer.Authorizer. There are no conditions.
func (a *Authorizer) ConditionsAwareAuthorize(ctx context.Context, attributes authorizer.Attributes) authorizer.ConditionsAwareDecision {
	return authorizer.ConditionsAwareDecisionFromParts(a.Authorize(ctx, attributes))
}

// EvaluateConditions implements authorizer.Authorizer. There are no conditions.
func (a *Authorizer) EvaluateConditions(
	context.Context, authorizer.ConditionsAwareDecision, authorizer.ConditionsData,
) (authorizer.Decision, string, error) {
	return authorizer.DecisionDeny, "", authorizer.ErrorConditionEvaluationNotSupported
}
