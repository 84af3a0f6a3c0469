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
)

// Oracle is the name of an oracle, with what it checks in a sentence.
type Oracle struct{ Name, About string }

// Oracles returns the oracles in the order in which they are asked.
func Oracles() []Oracle {
	return []Oracle{
		{Leak, "the backend has exactly the buckets and accounts that Kubernetes records"},
		{Loss, "nothing is deleted that must be kept, and everything exists that Kubernetes records as ready"},
		{Order, "what must survive a crash is persisted before the side effect that it names; cleanup runs in order"},
		{Foreign, "no component touches objects of another driver, or of kinds that it does not own"},
		{Secret, "no secret value appears outside Secrets, in plain text or encoded; a value counts once a driver has returned it"},
		{Convergence, "every object is in the state that its spec requires, or a condition says why not"},
		{Silence, "once all work is done, no component writes or calls"},
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
