package main

import "testing"

// TestEachBugHasItsPlace: a change of the code moves the bugs that it touches.
func TestEachBugHasItsPlace(t *testing.T) {
	for i := range bugs {
		if _, _, err := bugs[i].mutate("../../.."); err != nil {
			t.Error(err)
		}
	}
}
