package spec

// DNSLabel is the regular expression of names.
const DNSLabel = `^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`
