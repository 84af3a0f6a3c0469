// Package starvation measures how long this process and its children waited for a processor. A
// timeout that counts this time would end work that a busy machine only slows down. The figures
// exist on Linux; elsewhere they are 0.
package starvation
