// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {IScoreRegistry} from "../src/IScoreRegistry.sol";
import {Batches} from "./Batches.sol";
import {Frames, Group, Record} from "./Frames.sol";

/// @notice The scores in one slot, its lanes, keep to themselves.
contract LanesTest is Batches {
    /// @dev All 64 score types of two wallets, changed at random: each holds the sum of its own.
    /// forge-config: default.fuzz.runs = 64
    /// forge-config: coverage.fuzz.runs = 8
    /// forge-config: mutants.fuzz.runs = 16
    function testFuzz_lanesKeepToThemselves(uint256 chance) public {
        seed = chance;
        Creation memory c = _usual();
        c.id = SECOND;
        c.scoreTypes = new string[](64);
        for (uint256 i; i < 64; ++i) {
            c.scoreTypes[i] = _name("t", i);
        }
        _create(c);
        address[] memory wallets = new address[](2);
        (wallets[0], wallets[1]) = (WALLET, address(uint160(WALLET) ^ 1));
        Record[] memory records = new Record[](120);
        for (uint256 i; i < 120; ++i) {
            uint256 t = _pick(2) == 0 ? _pick(64) : _pick(4);
            records[i] = Record(bytes32(i), wallets[_pick(2)], uint8(_pick(10)), uint8(t));
        }
        _applyOne(_group(c.id, UPDATER, uint8(1 + _pick(3)), records, _pick(2)));
        _compare(c.id, wallets, wallets);
    }

    /// @dev Four lanes hold anything an update may meet, to the very ends; the update changes its own lane alone.
    function testFuzz_lanesAtTheirEnds(uint64[4] memory raw, uint256 chance) public {
        seed = chance;
        bytes32 slot = _scoreSlot();
        uint256 lanes;
        int256[4] memory want;
        for (uint256 t; t < 4; ++t) {
            if (_pick(3) == 0) raw[t] = uint64(1 + MAX);
            else if (_pick(3) == 0) raw[t] = type(uint64).max - uint64(MAX);
            else raw[t] = uint64(1 + MAX + raw[t] % (2 ** 64 - 2 * (MAX + 1)));
            lanes |= uint256(raw[t]) << (64 * t);
            want[t] = int256(uint256(raw[t])) - 2 ** 63;
        }
        vm.store(address(registry), slot, bytes32(lanes));
        int64[] memory points = registry.getActions(PROJECT);
        for (uint256 i; i < 4; ++i) {
            uint256 t = (i + chance % 4) % 4; // each lane once, so that none leaves its range
            uint256 action = 2 + _pick(2); // ± the most points there can be
            bytes32 id = bytes32(1 + i);
            bytes memory data = i == 3
                ? _update(id, _name("a", action), _name("t", t), WALLET)
                : abi.encodeCall(
                    IScoreRegistry.applyBatch,
                    (Frames.encode(
                            _alone(_group(PROJECT, OWNER, uint8(1 + i), Record(id, WALLET, uint8(action), uint8(t)))), 0
                        ))
                );
            vm.prank(i == 3 ? OWNER : RELAYER); // not the twin, which knows nothing of slots
            (bool ok,) = address(registry).call(data);
            require(ok, "refused");
            want[t] += points[action];
            int64[] memory got = registry.getWalletScores(PROJECT, WALLET);
            for (uint256 k; k < 4; ++k) {
                require(got[k] == want[k], "a lane was disturbed");
            }
            require(got[4] == 0 && got[5] == 0, "the next slot was disturbed");
        }
    }

    /// @dev A score that is back at 0 is not one that was never touched, and its slot stays.
    function test_backAtZero() public {
        bytes32 slot = _scoreSlot();
        bytes32 zero = vm.load(address(registry), slot);
        require(
            zero == bytes32(uint256(0x8000000000000000800000000000000080000000000000008000000000000000)), "four zeros"
        );
        for (uint8 kind = 1; kind <= 3; ++kind) {
            require(_applyOne(kind, bytes32(uint256(kind)), WALLET, 2, 0) == 0, "up");
            require(registry.getScore(PROJECT, WALLET, "t000") == int64(int256(MAX)), "up");
            require(_applyOne(kind, bytes32(10 + uint256(kind)), WALLET, 3, 0) == 0, "down");
            require(vm.load(address(registry), slot) == zero, "kept");
            require(_applyOne(kind, bytes32(20 + uint256(kind)), WALLET, 3, 0) == 0, "below");
            require(registry.getScore(PROJECT, WALLET, "t000") == -int64(int256(MAX)), "below zero");
            require(_applyOne(kind, bytes32(30 + uint256(kind)), WALLET, 2, 0) == 0, "up again");
        }
        _compareAll(WALLET, 0);
    }

    /// @dev A run may be worth more than one lane's step: 256 times the most points there can be, either way.
    function test_runsOfTheMostPoints() public {
        for (uint8 action = 2; action <= 3; ++action) {
            for (uint8 kind = 2; kind <= 3; ++kind) {
                Record[] memory records = new Record[](256);
                for (uint256 i; i < 256; ++i) {
                    records[i] = Record(bytes32(uint256(action) << 64 | uint256(kind) << 32 | i), WALLET, action, kind);
                }
                _applyOne(_group(PROJECT, OWNER, kind, records, 0));
                int64 want = int64(int256(MAX)) * 256;
                require(registry.getWalletScores(PROJECT, WALLET)[kind] == (action == 2 ? want : int64(0)), "sum");
            }
        }
        _compareAll(WALLET, 0);
    }

    /// @dev The slot of WALLET's first four scores: the one that takes their zeros when two updates cancel out.
    function _scoreSlot() private returns (bytes32) {
        _ok(OWNER, _update(bytes32("up"), "a002", "t000", WALLET));
        Group memory g = _group(PROJECT, OWNER, Frames.FREE, Record(bytes32("down"), WALLET, 3, 0));
        vm.record();
        _applyOne(g);
        (, bytes32[] memory writes) = vm.accesses(address(registry));
        for (uint256 i; i < writes.length; ++i) {
            bytes32 value = vm.load(address(registry), writes[i]);
            if (uint64(uint256(value)) == 2 ** 63 && uint64(uint256(value) >> 64) == 2 ** 63) return writes[i];
        }
        revert("no slot");
    }
}
