// Package schema describes scenario files as a JSON schema, which editors complete
// and check by while one writes. It is made from the types that read the files, so
// that it cannot say anything else.
//
// The parser refuses more than the schema can: variables that have no value,
// expressions that are not CEL, two drivers of the same name. What the schema
// refuses, the parser does.
package schema
