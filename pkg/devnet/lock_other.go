//go:build !unix

package devnet

import "os"

// lockFile cannot be had here: two processes that install anvil at once may each do the work.
func lockFile(*os.File) error { return nil }
