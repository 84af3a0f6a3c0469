// Package starvation measures how long this process and its children waited for a
// processor. A timeout that counts this time would end what a busy machine only slows
// down. The figures are those of Linux; elsewhere they are 0.
package starvation
