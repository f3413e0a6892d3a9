// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {IScoreRegistry} from "../src/IScoreRegistry.sol";
import {Batches} from "./Batches.sol";
import {Frames, Group, Record} from "./Frames.sol";

/// @notice What bytes are a batch.
contract FramingTest is Batches {
    /// @dev One group of each kind and form, cut at every byte, with every kind there is, and with every count at its
    /// ends: broken where it starts, and nothing of the good groups before it is applied.
    function test_framingIsReported() public {
        Group[] memory groups = new Group[](6);
        groups[0] = _group(PROJECT, OWNER, Frames.WORD, Record(0, WALLET, 0, 0));
        groups[1] = _group(PROJECT, OWNER, Frames.FREE, Record(bytes32(uint256(1)), WALLET, 0, 0));
        groups[2] = _group(PROJECT, UPDATER, Frames.RUNS, Record(bytes32(uint256(2)), WALLET, 0, 0));
        groups[3] = _signed(_group(PROJECT, OWNER, Frames.RUNS, Record(bytes32(uint256(300)), WALLET, 0, 0)));
        groups[4] = _group(PROJECT, STRANGER, Frames.FREE, Record(bytes32(uint256(4)), WALLET, 0, 0));
        groups[5] = _signed(_group(bytes32("none"), UPDATER, Frames.WORD, Record(bytes32(uint256(5)), WALLET, 0, 0)));
        bytes memory all = Frames.encode(groups, 0);
        _broken("", 0);
        uint256 start;
        for (uint256 i; i < groups.length; ++i) {
            Group[] memory head = new Group[](i + 1);
            for (uint256 k; k <= i; ++k) {
                head[k] = groups[k];
            }
            bytes memory data = Frames.encode(head, 0);
            for (uint256 length = start + 1; length < data.length; ++length) {
                _broken(_cut(all, 0, length), start);
            }
            bytes1 kind = data[start];
            for (uint256 other; other < 16; ++other) {
                data[start] = kind & 0xf0 | bytes1(uint8(other));
                if (other == 0 || other > 3) _broken(data, start);
            }
            data[start] = kind;
            start = data.length;
        }
        _compareAll(WALLET, 0);
        require(registry.getScore(PROJECT, WALLET, "t000") == 0, "nothing");
        _ok(RELAYER, abi.encodeCall(IScoreRegistry.applyBatch, (all)));
        require(registry.getScore(PROJECT, WALLET, "t000") == 40, "four of them are good");
    }

    /// @dev What a group leaves out must stand in one before it.
    function test_flagsWantSomethingBefore() public {
        bytes memory free = Frames.body(Frames.FREE, _one(1), 0);
        bytes memory word = Frames.body(Frames.WORD, _one(2), 0);
        bytes memory first = abi.encodePacked(uint8(3), PROJECT, OWNER, free);
        _broken(abi.encodePacked(uint8(0x13), OWNER, free), 0);
        _broken(abi.encodePacked(uint8(0x23), PROJECT, free), 0);
        _broken(abi.encodePacked(uint8(0x33), free), 0);
        _broken(abi.encodePacked(uint8(0x41), PROJECT, OWNER, _cut(word, 31, word.length)), 0);
        _broken(bytes.concat(first, hex"71", _cut(word, 31, word.length)), first.length); // no word before it
        _broken(bytes.concat(first, hex"73", free), first.length);
        bytes memory second = bytes.concat(first, hex"31", word);
        bytes memory runs = Frames.body(Frames.RUNS, _one(3), 0);
        _broken(bytes.concat(second, hex"73", free), second.length); // ids of their own, so no word
        _broken(bytes.concat(second, hex"f1", new bytes(64), word), second.length); // what is signed has its word
        bytes memory third = bytes.concat(second, hex"72", _cut(runs, 31, runs.length));
        bytes memory fourth = bytes.concat(third, hex"33", Frames.body(Frames.FREE, _one(1 << 100), 0));
        bytes memory fifth = Frames.body(Frames.WORD, _one(4), 0);
        _ok(
            RELAYER,
            abi.encodeCall(IScoreRegistry.applyBatch, (bytes.concat(fourth, hex"71", _cut(fifth, 31, fifth.length))))
        );
        require(registry.getScore(PROJECT, WALLET, "t000") == 50, "all five");
    }

    /// @dev The word is that of the group before, even if that one was signed, or skipped, or another project's.
    function test_theWordOfTheGroupBefore() public {
        for (uint256 way; way < 4; ++way) {
            bytes32 id = keccak256(abi.encode(way));
            Group[] memory groups = new Group[](2);
            groups[0] = _group(PROJECT, OWNER, uint8(1 + way % 2), Record(id, WALLET, 0, 0));
            if (way == 0) _signed(groups[0]);
            if (way == 1) groups[0].signer = STRANGER;
            if (way == 2) groups[0].project = bytes32("none");
            if (way == 3) _signedBy(5, groups[0]);
            groups[1] = _group(PROJECT, UPDATER, Frames.RUNS, Record(bytes32(uint256(id) ^ 1), WALLET, 0, 1));
            require(uint8(Frames.encode(groups, 0)[Frames.encode(_alone(groups[0]), 0).length]) & 0x40 != 0, "flag");
            _apply(groups);
            require(registry.getScore(PROJECT, WALLET, "t001") == int64(int256(10 * (way + 1))), "applied");
            require(index.applied(PROJECT, bytes32(uint256(id) ^ 1)), "that very id");
        }
    }

    /// @dev Masks and counts at and beyond their ends.
    function test_masksAndCounts() public {
        bytes memory head = abi.encodePacked(uint8(1), PROJECT, OWNER, bytes31(0));
        bytes memory record = abi.encodePacked(WALLET, uint8(0), uint8(0));
        _broken(bytes.concat(head, hex"0000", record), 0); // no mask
        _broken(bytes.concat(head, hex"2000", record), 0);
        _broken(bytes.concat(head, hex"000100", record), 0); // an empty one
        _broken(bytes.concat(head, hex"0020", new bytes(32), record), 0);
        _broken(bytes.concat(head, hex"200101", record), 0); // beyond the word's end
        _broken(bytes.concat(head, hex"1f020001", record), 0);
        _broken(bytes.concat(head, hex"0120", new bytes(31), hex"01", record), 0);
        _broken(bytes.concat(head, hex"0121", new bytes(31), hex"01", record), 0);
        _broken(bytes.concat(head, hex"0021", new bytes(32), hex"01", record), 0);
        _broken(bytes.concat(head, hex"ff0101", record), 0);
        _broken(bytes.concat(head, hex"01ff", new bytes(254), hex"01", record), 0);
        _good(bytes.concat(head, hex"0020", new bytes(31), hex"01", record), 0); // zeros at the mask's head
        _good(bytes.concat(head, hex"1f0180", record), 255);
        _good(bytes.concat(head, hex"1e020100", record), 248); // and at its tail
        _good(bytes.concat(head, hex"1f0101", record), 248 + 256);
        head = abi.encodePacked(uint8(2), PROJECT, OWNER, bytes31(0));
        _broken(bytes.concat(head, hex"0000"), 0);
        _broken(bytes.concat(head, hex"0000", bytes20(WALLET), hex"00000900"), 0);
        _broken(bytes.concat(head, hex"0001", bytes20(WALLET), hex"00010900"), 0);
        _broken(bytes.concat(head, hex"0002", bytes20(WALLET), hex"00000900"), 0);
        _broken(bytes.concat(head, hex"0100", bytes20(WALLET), hex"00000900"), 0);
        _good(bytes.concat(head, hex"0001", bytes20(WALLET), hex"00000900"), 9);
        head = abi.encodePacked(uint8(3), PROJECT, OWNER);
        _broken(bytes.concat(head, hex"0000", bytes20(WALLET), hex"0000", bytes32(0), hex"00"), 0);
        _broken(bytes.concat(head, hex"0001", bytes20(WALLET), hex"0001", bytes32(0), hex"00"), 0);
        _good(bytes.concat(head, hex"0001", bytes20(WALLET), hex"0000", bytes32(uint256(7)), hex"00"), 7);
    }

    /// @dev The batch applies the one id, or finds it used.
    function _good(bytes memory data, uint256 id) private {
        bool again = id > 255;
        _ok(RELAYER, abi.encodeCall(IScoreRegistry.applyBatch, (data)));
        require(index.lastOutcomes()[0] == (again ? bytes1(0x01) : bytes1(0)), "outcome");
        require(index.applied(PROJECT, bytes32(id % 256)), "not that id");
    }

    /// @dev The batch ends where its bytes end, even if the transaction has more behind them.
    function test_nothingBehindTheBytesIsRead() public {
        for (uint8 kind = 1; kind <= 3; ++kind) {
            for (uint256 signed; signed < 2; ++signed) {
                Group memory g =
                    _group(PROJECT, OWNER, kind, Record(bytes32(uint256(kind) << 9 | signed), WALLET, 0, 0));
                if (signed == 1) _signed(g);
                bytes memory one = Frames.encode(_alone(g), 0);
                bytes memory call = abi.encodeCall(IScoreRegistry.applyBatch, (one));
                bytes memory shorter = bytes.concat(call);
                shorter[67] = bytes1(uint8(one.length - 1)); // the argument's length: its last byte is behind it now
                _refused(RELAYER, shorter, abi.encodeWithSelector(IScoreRegistry.BadFraming.selector, 0));
                _ok(RELAYER, bytes.concat(call, one, one));
            }
        }
        require(registry.getScore(PROJECT, WALLET, "t000") == 60, "once each");
    }

    /// @dev Nor does it matter where in the transaction they stand.
    function test_theBytesMayStandAnywhere() public {
        bytes memory one =
            Frames.encode(_alone(_signed(_group(PROJECT, OWNER, Frames.RUNS, Record(0, WALLET, 0, 0)))), 0);
        bytes memory call = abi.encodePacked(
            IScoreRegistry.applyBatch.selector, uint256(77), new bytes(45), one.length, one, new bytes(31)
        );
        _ok(RELAYER, call);
        require(registry.getScore(PROJECT, WALLET, "t000") == 10, "applied");
        bytes memory two = bytes.concat(one, hex"00");
        call = abi.encodePacked(IScoreRegistry.applyBatch.selector, uint256(77), new bytes(45), two.length, two);
        _refused(RELAYER, call, abi.encodeWithSelector(IScoreRegistry.BadFraming.selector, one.length));
    }

    function _one(uint256 id) private pure returns (Record[] memory records) {
        records = new Record[](1);
        records[0] = Record(bytes32(id), WALLET, 0, 0);
    }

    function _broken(bytes memory data, uint256 offset) private {
        bytes memory want = abi.encodeWithSelector(IScoreRegistry.BadFraming.selector, offset);
        _refused(RELAYER, abi.encodeCall(IScoreRegistry.applyBatch, (data)), want);
    }
}
