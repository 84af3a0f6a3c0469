// Package rule has the sentences of the specifications on which the findings of oracles rest. docs/profiles.md has them,
// too, by oracle.
package rule

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// Rule is a demand that an oracle judges.
type Rule int

// The rules, by the oracles that judge them.
const (
	Unstated Rule = iota // no specification has a sentence about it
	LeakBucket
	LeakAccount
	LeakSecret
	LeakBucketIDs
	LeakAccountIDs
	LossBucket
	LossAccess
	LossSecret
	LossSecretEdited
	LossRecreated
	LossRetained
	LossBucketInUse
	LossAccessInUse
	LossUnasked
	OrderBucketID
	OrderAccountID
	OrderProtectedClaim
	OrderProtectedBucket
	OrderProtectedAccess
	OrderKeptBucket
	OrderSecret
	OrderGranted
	OrderBucketReleased
	OrderAccessReleased
	OrderClaimInUse
	OrderAnnounced
	OrderUndone
	OrderBucketReady
	OrderClaimReady
	OrderAccessReady
	OrderGrantInVain
	OrderOneCall
	OrderOneController
	OrderOneSidecar
	ForeignCall
	ForeignBucket
	ForeignAccess
	ForeignReadOnly
	ForeignUnowned
	ForeignOthers
	ForeignSpec
	SecretElsewhere
	ConvergenceClaim
	ConvergenceBucket
	ConvergenceAccess
	ConvergenceClaimDeleted
	ConvergenceBucketDeleted
	ConvergenceBucketLeft
	ConvergenceAccessDeleted
	SilenceAtRest
	RequestBucketID
	RequestBucketName
	RequestCreate
	RequestGet
	RequestDelete
	RequestAccountID
	RequestAccountName
	RequestGrant
	RequestRevoke
	RequestBucket
	StatusGeneration
	StatusProvisioned
	StatusOutdatedFailure
	StatusWaiting
	StatusClaimReady
	StatusProtocols
	StatusBucketReady
	StatusBucketID
	StatusAccountID
	StatusReferences
	StatusSecretProtected
	KeysRevoked
	KeysOthers
	PanicEnded
	PaceBackOff
)

// basis is the oracle that judges a rule, and the statement of each specification that demands it. It is empty where the
// specification has none.
type basis struct{ oracle, kep, v1alpha1 string }

var bases = [...]basis{
	LeakBucket:     {vocabulary.Leak, "FLOW-DELETE-0.1", "A1-RETRY-2"},
	LeakAccount:    {vocabulary.Leak, "FLOW-REVOKE-3.3", "A1-GRANT-2"},
	LeakSecret:     {vocabulary.Leak, "FLOW-REVOKE-3.1", "A1-FLOW-3"},
	LeakBucketIDs:  {vocabulary.Leak, "GRPC-GENERATEBUCKETID-2", "A1-CREATE-2"},
	LeakAccountIDs: {vocabulary.Leak, "GRPC-GENERATEACCESSID-1", "A1-GRANT-1"},

	LossBucket:       {vocabulary.Loss, "COND-PROV-4", "A1-CREATE-6"},
	LossAccess:       {vocabulary.Loss, "COND-ACCESS-1", "A1-GRANT-2"},
	LossSecret:       {vocabulary.Loss, "FLOW-GRANT-4.10.2", "A1-FLOW-6"},
	LossSecretEdited: {vocabulary.Loss, "ALT-2", ""},
	LossRecreated:    {vocabulary.Loss, "GRPC-CREATEBUCKET-2", "A1-CREATE-2"},
	LossRetained:     {vocabulary.Loss, "FLOW-DELETE-0.2", "A1-FLOW-7"},
	LossBucketInUse:  {vocabulary.Loss, "FLOW-DELETE-3.3.1", "A1-FLOW-7"},
	LossAccessInUse:  {vocabulary.Loss, "FLOW-REVOKE-3.3", "A1-FLOW-7"},
	LossUnasked:      {vocabulary.Loss, "ARCH-3", "A1-FLOW-7"},

	OrderBucketID:        {vocabulary.Order, "GRPC-CREATEBUCKET-1", ""},
	OrderAccountID:       {vocabulary.Order, "FLOW-GRANT-4.7", ""},
	OrderProtectedClaim:  {vocabulary.Order, "FLOW-CREATE-2.1", "A1-FLOW-1"},
	OrderProtectedBucket: {vocabulary.Order, "FLOW-CREATE-3.2", "A1-FLOW-2"},
	OrderProtectedAccess: {vocabulary.Order, "FLOW-GRANT-4.3", "A1-FLOW-2"},
	OrderKeptBucket:      {vocabulary.Order, "", "A1-FLOW-2"},
	OrderSecret:          {vocabulary.Order, "FLOW-REVOKE-3.2", ""},
	OrderGranted:         {vocabulary.Order, "FLOW-DELETE-0.4", "A1-RETRY-2"},
	OrderBucketReleased:  {vocabulary.Order, "FLOW-DELETE-3.3.4", "A1-FLOW-3"},
	OrderAccessReleased:  {vocabulary.Order, "FLOW-REVOKE-3.5.1", "A1-FLOW-3"},
	OrderClaimInUse:      {vocabulary.Order, "FLOW-DELETE-0.4", "A1-FLOW-4"},
	OrderAnnounced:       {vocabulary.Order, "FLOW-DELETE-2.2.3", "A1-FLOW-4"},
	OrderUndone:          {vocabulary.Order, "", "A1-RETRY-2"},
	OrderBucketReady:     {vocabulary.Order, "FLOW-CREATE-4", "A1-FLOW-5"},
	OrderClaimReady:      {vocabulary.Order, "FLOW-CREATE-5.3.2", "A1-FLOW-5"},
	OrderAccessReady:     {vocabulary.Order, "FLOW-GRANT-4.10.3", "A1-FLOW-5"},
	OrderGrantInVain:     {vocabulary.Order, "COND-ACCESS-6", ""},
	OrderOneCall:         {vocabulary.Order, "", "A1-CALLS-1"},
	OrderOneController:   {vocabulary.Order, "ARCH-2", ""},
	OrderOneSidecar:      {vocabulary.Order, "DRIVER-4", ""},

	ForeignCall:     {vocabulary.Foreign, "DRIVER-3", "A1-INFO-3"},
	ForeignBucket:   {vocabulary.Foreign, "FLOW-CREATE-3.1", "A1-INFO-3"},
	ForeignAccess:   {vocabulary.Foreign, "FLOW-GRANT-4.2", "A1-INFO-3"},
	ForeignReadOnly: {vocabulary.Foreign, "RBAC-3", ""},
	ForeignUnowned:  {vocabulary.Foreign, "RBAC-5", ""},
	ForeignOthers:   {vocabulary.Foreign, "RBAC-6", ""},
	ForeignSpec:     {vocabulary.Foreign, "LIFE-7", ""},

	SecretElsewhere: {vocabulary.Secret, "SECRET-3", "A1-SECRET-5"},

	ConvergenceClaim:         {vocabulary.Convergence, "FLOW-CREATE-5.1", "A1-FLOW-5"},
	ConvergenceBucket:        {vocabulary.Convergence, "FLOW-CREATE-4", "A1-FLOW-5"},
	ConvergenceAccess:        {vocabulary.Convergence, "FLOW-GRANT-4.10.3", "A1-FLOW-5"},
	ConvergenceClaimDeleted:  {vocabulary.Convergence, "FLOW-DELETE-2.2.6", "A1-FLOW-4"},
	ConvergenceBucketDeleted: {vocabulary.Convergence, "FLOW-DELETE-3.3.4", "A1-FLOW-3"},
	ConvergenceBucketLeft:    {vocabulary.Convergence, "FLOW-DELETE-2.2.4", "A1-FLOW-4"},
	ConvergenceAccessDeleted: {vocabulary.Convergence, "FLOW-REVOKE-4.2", "A1-FLOW-3"},

	SilenceAtRest: {vocabulary.Silence, "PRR-5", ""},

	RequestBucketID:    {vocabulary.Request, "GRPC-GENERATEBUCKETID-7", ""},
	RequestBucketName:  {vocabulary.Request, "GRPC-GENERATEBUCKETID-6", "A1-CREATE-4"},
	RequestCreate:      {vocabulary.Request, "GRPC-CREATEBUCKET-3", "A1-CREATE-7"},
	RequestGet:         {vocabulary.Request, "GRPC-GETBUCKET-3", ""},
	RequestDelete:      {vocabulary.Request, "GRPC-DELETEBUCKET-1", "A1-CREATE-6"},
	RequestAccountID:   {vocabulary.Request, "GRPC-GENERATEACCESSID-5", ""},
	RequestAccountName: {vocabulary.Request, "GRPC-GENERATEACCESSID-4", "A1-GRANT-1"},
	RequestGrant:       {vocabulary.Request, "GRPC-GRANT-2", "A1-GRANT-1"},
	RequestRevoke:      {vocabulary.Request, "GRPC-REVOKE-1", "A1-GRANT-2"},
	RequestBucket:      {vocabulary.Request, "FLOW-CREATE-2.6.1", "A1-FLOW-8"},

	StatusGeneration:      {vocabulary.Status, "COND-ALL-2", ""},
	StatusProvisioned:     {vocabulary.Status, "COND-PROV-3", ""},
	StatusOutdatedFailure: {vocabulary.Status, "COND-FAILED-3", ""},
	StatusWaiting:         {vocabulary.Status, "COND-VALID-3", ""},
	StatusClaimReady:      {vocabulary.Status, "FLOW-CREATE-5.3.2", "A1-FLOW-5"},
	StatusProtocols:       {vocabulary.Status, "FLOW-CREATE-5.3.1", ""},
	StatusBucketReady:     {vocabulary.Status, "FLOW-CREATE-4", ""},
	StatusBucketID:        {vocabulary.Status, "API-BUCKET-STATUS-2", "A1-CREATE-6"},
	StatusAccountID:       {vocabulary.Status, "API-ACCESS-STATUS-2", "A1-GRANT-4"},
	StatusReferences:      {vocabulary.Status, "FLOW-GRANT-3.5", ""},
	StatusSecretProtected: {vocabulary.Status, "FLOW-GRANT-4.10.1", ""},

	KeysRevoked: {vocabulary.Keys, "FLOW-REVOKE-3.3", "A1-REVOKE-1"},
	KeysOthers:  {vocabulary.Keys, "API-ACCESS-3", "A1-GRANT-1"},

	PanicEnded: {vocabulary.Panic, "", "A1-LIFE-1"},

	PaceBackOff: {vocabulary.Pace, "FLOW-CREATE-3.6", "A1-CALLS-4"},
}

// In returns the ID of the statement that demands the rule in the KEP or in v1alpha1. It is empty if that specification has
// none.
func (r Rule) In(isV1alpha1 bool) string {
	if isV1alpha1 {
		return bases[r].v1alpha1
	}
	return bases[r].kep
}

// Statements returns the IDs of the statements that an oracle judges in the KEP or in v1alpha1, each once.
func Statements(oracle string, isV1alpha1 bool) []string {
	var ids []string
	for r, b := range &bases {
		if id := Rule(r).In(isV1alpha1); b.oracle == oracle && id != "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// Statement is a sentence of a section of a specification.
type Statement struct{ Section, Text string }

// Sentence returns a statement with its specification and section, or "" for an unknown ID.
func Sentence(id string) string {
	s, known := statements[id]
	if !known {
		return ""
	}
	specification := "KEP-1979"
	if strings.HasPrefix(id, "A1-") {
		specification = "v1alpha1"
	}
	return fmt.Sprintf("%s, %s (%s): %s", specification, s.Section, id, s.Text)
}
