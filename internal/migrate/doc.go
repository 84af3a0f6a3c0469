// Package migrate moves a deployment of COSI from v1alpha1 to v1alpha2.
//
// The kinds of both versions have the same names, so no cluster has both, and no object can be
// converted in place. [Load] and [FromCluster] read the objects of v1alpha1, [Inventory.Plan]
// translates them without any access to a cluster, and [Apply] creates the result where v1alpha2 is
// served. The buckets in the backends stay unchanged: v1alpha2 takes them over as existing buckets,
// by the KEP's static provisioning.
//
// Some objects cannot be translated, or change their meaning. Each such case is a [Decision] for a
// user. This package never deletes anything, writes to a cluster of v1alpha1, or reads a Secret.
package migrate
