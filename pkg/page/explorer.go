package page

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/ethereum/go-ethereum/common"
)

// IsExplorer tells whether screens may link to a block explorer at this address: https://, or http:// at this machine, with no user, query or fragment.
func IsExplorer(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Hostname() != "" && u.User == nil && !strings.ContainsAny(address, "?#") &&
		(u.Scheme == "https" || u.Scheme == "http" && loopback(u.Hostname()))
}

// explorer tells at which address a block explorer shows a transaction, an address or a block's number, by ERC-3091; empty of anything else, and without an explorer.
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
