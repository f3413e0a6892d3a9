package signer

// Unreadable is for tests that run as root, who may read every file.
var Unreadable = unreadable
