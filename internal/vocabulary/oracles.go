package vocabulary

// The names of the oracles.
const (
	Leak        = "leak"
	Loss        = "loss"
	Order       = "order"
	Foreign     = "foreign"
	Secret      = "secret"
	Convergence = "convergence"
	Silence     = "silence"
	Request     = "request"
	Status      = "status"
	Pace        = "pace"
	Keys        = "keys"
	Panic       = "panic"
)

// Oracle is the name of an oracle, with its checks in a sentence.
type Oracle struct{ Name, About string }

// Oracles returns the oracles in their order.
func Oracles() []Oracle {
	return []Oracle{
		{Leak, "the backend has exactly the buckets and accounts that Kubernetes records; " +
			"no unfinished upload and no file outlives them. With a driver of your own, each bucket and account that it has created is recorded, " +
			"or was deleted by a call that returned OK"},
		{Loss, "nothing is deleted that must be kept, such as data under Retain, everything exists that Kubernetes records as ready, " +
			"edited Secrets are restored, and kube-apiserver returns no object older than a write that it has acknowledged"},
		{Order, "what must survive a crash is persisted before the side effect that it names; cleanup runs in order; " +
			"no object is ready before its bucket, its grant and its Secrets are; " +
			"a component without its Lease does not work; no two mutating calls for one bucket are in flight"},
		{Foreign, "no component touches objects of another driver, or of kinds that it does not own; " +
			"changes a spec; or removes labels, annotations or finalizers of others"},
		{Secret, "no secret value appears outside Secrets, in plain text or encoded; a value counts once a driver has returned it"},
		{Convergence, "every object is in the state that its spec requires, or a condition explains why not, " +
			"once all components are idle, or one ends after each start"},
		{Silence, "once all work is done, no component writes or calls. To wait for a driver's answer is silence, too"},
		{Request, "every call follows from the spec and status of its object: buckets, modes, protocol, parameters, account; " +
			"every new Bucket follows from its claim and class"},
		{Status, "once all work is done, conditions are of the latest generation, no failure outlives its reason or a call that succeeded, " +
			"readyToUse equals Provisioned, a claim that is ready has the protocols of its Bucket, and the annotation while an access uses it, " +
			"and the Secrets of a ready access have COSI's finalizer"},
		{Keys, "no key opens anything after its access was revoked, or a bucket that was not granted; " +
			"the emulator tries every key of its store, to read and to write, by S3, GCS and Azure, and the temporary keys of ServiceAccounts; " +
			"of an external driver, the S3 keys that it returns"},
		{Panic, "no process of a component ends with a panic"},
		{Pace, "retries of one call or write slow down, which is judged at the default delays only; " +
			"and a component does not write one Event again and again"},
	}
}

// OracleNames returns the names of the oracles in the same order.
func OracleNames() []string {
	var names []string
	for _, o := range Oracles() {
		names = append(names, o.Name)
	}
	return names
}
