// Package score defines the domain types of Scorelay: projects, actions, updates, their lanes, the contract's
// outcomes and the stages of an update. It does no I/O and imports no other package of ours; all others import it.
package score
