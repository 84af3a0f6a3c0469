// Package migrate moves a deployment of COSI from v1alpha1 to v1alpha2.
//
// The kinds of both versions have the same names, so that no cluster has both, and no
// object can be converted in place. [Load] and [FromCluster] read the objects of v1alpha1,
// [Inventory.Plan] translates them without any access to a cluster, and [Apply] creates the
// result where v1alpha2 is served. The buckets in the backends stay as they are: v1alpha2
// takes them over as existing buckets, by the KEP's static provisioning.
//
// Not everything can be translated, and some of it changes its meaning. Each such case is a
// [Decision] for a person. Nothing here deletes anything, writes to a cluster of v1alpha1, or
// reads a Secret.
package migrate
