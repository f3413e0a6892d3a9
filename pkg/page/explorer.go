package page

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/ethereum/go-ethereum/common"
)

// IsExplorer reports whether screens may link to a block explorer at the address: https://, or http:// on loopback,
// without user, query or fragment.
func IsExplorer(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Hostname() != "" && u.User == nil && !strings.ContainsAny(address, "?#") &&
		(u.Scheme == "https" || u.Scheme == "http" && loopback(u.Hostname()))
}

// explorer returns a function that maps a transaction hash, an address or a block number to its URL (ERC-3091). The
// function returns "" for other types, or if base is empty.
func explorer(base string) func(what any) string {
	return func(what any) string {
		kind := ""
		switch what.(type) {
		case common.Hash, *common.Hash:
			kind = "tx"
		case common.Address, *common.Address:
			kind = "address"
		case uint64:
			kind = "block"
		}
		if base == "" || kind == "" {
			return ""
		}
		return fmt.Sprintf("%s/%s/%v", strings.TrimRight(base, "/"), kind, what)
	}
}
