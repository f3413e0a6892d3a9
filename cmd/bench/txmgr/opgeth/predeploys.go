package opgeth

import (
	"encoding/binary"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
)

var (
	depositor = common.HexToAddress("0xDeaDDEaDDeAdDeAdDEAdDEaddeAddEAdDEAd0001") // sends L1's attributes
	feeVault  = common.HexToAddress("0x4200000000000000000000000000000000000011") // receives the tips

	// contract of L1's attributes before Jovian
	l1BlockBefore = common.HexToAddress("0xc0D3C0d3C0d3C0D3c0d3C0d3c0D3C0d3c0d30015")
)

// registered is a chain in op-geth's embedded registry. Its genesis has OP Stack's contracts before Jovian.
const registered = 420_120_010

// predeploys returns the contracts of a real chain's genesis, with L1's attributes in one of them.
func predeploys() (types.GenesisAlloc, error) {
	real, err := core.LoadOPStackGenesis(registered)
	if err != nil {
		return nil, err
	}
	holder := real.Alloc[types.L1BlockAddr]
	holder.Code = l1Block()
	holder.Storage[types.L1BaseFeeSlot] = common.BigToHash(l1BaseFee)
	holder.Storage[types.L1BlobBaseFeeSlot] = common.BigToHash(l1BlobBaseFee)
	holder.Storage[types.L1FeeScalarsSlot] = common.BytesToHash(scalars(0))
	real.Alloc[types.L1BlockAddr] = holder
	return real.Alloc, nil
}

// scalars returns the packed fee scalars and the block's number in its epoch.
func scalars(sequence uint64) []byte {
	out := binary.BigEndian.AppendUint32(nil, baseFeeScalar)
	out = binary.BigEndian.AppendUint32(out, blobFeeScalar)
	return binary.BigEndian.AppendUint64(out, sequence)
}

// attributes returns the calldata of a block's first deposit, as Jovian packs it. Each block has its own L1 block,
// and the operator fee is 0.
func attributes(number, now uint64, origin common.Hash) []byte {
	out := append([]byte{}, types.JovianL1AttributesSelector...)
	out = append(out, scalars(0)...)
	out = binary.BigEndian.AppendUint64(out, now)
	out = binary.BigEndian.AppendUint64(out, number)
	out = append(out, common.BigToHash(l1BaseFee).Bytes()...)
	out = append(out, common.BigToHash(l1BlobBaseFee).Bytes()...)
	out = append(out, origin[:]...)
	out = append(out, common.Hash{}.Bytes()...) // the batcher
	out = append(out, make([]byte, 4+8)...)     // the operator fee
	return binary.BigEndian.AppendUint16(out, daFootprint)
}

// l1Block returns code for L1's attributes. It stores the values of Jovian's deposits in the slots where op-geth and
// the contract before Jovian read them: the calldata from each offset on, shifted to the right. It delegates all
// other calls to that contract.
func l1Block() []byte {
	code := []byte{
		byte(vm.CALLDATASIZE), byte(vm.PUSH1), types.JovianL1AttributesLen, byte(vm.EQ), byte(vm.PUSH1), 0, byte(vm.JUMPI),
	}
	const target = 5 // position of the jump's target in the code
	code = append(code, byte(vm.CALLDATASIZE), byte(vm.PUSH1), 0, byte(vm.PUSH1), 0, byte(vm.CALLDATACOPY),
		byte(vm.PUSH1), 0, byte(vm.PUSH1), 0, byte(vm.CALLDATASIZE), byte(vm.PUSH1), 0, byte(vm.PUSH20))
	code = append(code, l1BlockBefore[:]...)
	code = append(code, byte(vm.GAS), byte(vm.DELEGATECALL), byte(vm.RETURNDATASIZE), byte(vm.PUSH1), 0, byte(vm.PUSH1), 0,
		byte(vm.RETURNDATACOPY),
		byte(vm.RETURNDATASIZE), byte(vm.PUSH1), 0, byte(vm.RETURN))
	code[target] = byte(len(code))
	code = append(code, byte(vm.JUMPDEST))
	for _, field := range []struct{ offset, bits, slot byte }{
		{4, 128, 3},   // scalars, number in the epoch
		{20, 128, 0},  // time, number
		{36, 0, 1},    // base fee
		{68, 0, 7},    // blob base fee
		{100, 0, 2},   // hash
		{132, 0, 4},   // batcher
		{164, 160, 8}, // operator fee
	} {
		code = append(code, byte(vm.PUSH1), field.offset, byte(vm.CALLDATALOAD), byte(vm.PUSH1), field.bits, byte(vm.SHR),
			byte(vm.PUSH1), field.slot, byte(vm.SSTORE))
	}
	return append(code, byte(vm.STOP))
}
