// Package score defines the domain types of Scorelay. It does no I/O and imports no other package of ours.
package score
