// Package score holds the words of Scorelay: projects, actions, updates, the lane each belongs to, what the contract
// did with an update, and how far an update has come. It does no I/O and imports nothing of ours; everything else
// imports it.
package score
