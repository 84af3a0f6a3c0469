// Package schema describes scenario files as a JSON schema, with which editors complete and check a
// file. It is generated from the types that the parser uses, so both agree.
//
// The parser also rejects mistakes that the schema cannot express: variables without a value,
// invalid CEL expressions, two drivers of the same name. It rejects everything that the schema
// rejects.
package schema
