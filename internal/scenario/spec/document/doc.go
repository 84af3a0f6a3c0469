// Package document reads files of YAML documents. A mistake in a file is a [Problem] with its
// [Position].
package document
