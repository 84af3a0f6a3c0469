// Package logfile changes files that have one record a line.
package logfile
