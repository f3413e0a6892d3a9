// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {IScoreRegistry} from "../src/IScoreRegistry.sol";
import {Batches} from "./Batches.sol";
import {Frames, Group, Record} from "./Frames.sol";

/// @notice What a batch does to each update: outcomes.
contract BatchTest is Batches {
    struct OneUpdate {
        bool known;
        bool used;
        uint8 kind;
        bool signed;
        uint8 signer;
        uint8 action;
        uint8 scoreType;
        bytes32 id;
        address target;
    }

    /// @dev Any update at all has its outcome, changes what it should and nothing else.
    function testFuzz_oneUpdate(OneUpdate memory u) public {
        address[5] memory signers = [OWNER, UPDATER, BOTH, STRANGER, address(0)];
        if (u.used) _ok(OWNER, _update(u.id, "a001", "t001", u.target));
        Group memory g = _group(
            u.known ? PROJECT : bytes32("none"),
            signers[u.signer % 5],
            1 + u.kind % 3,
            Record(u.id, u.target, u.action % 13, u.scoreType % 8)
        );
        if (u.signed) _signed(g);
        bytes memory outcomes = _applyOne(g);
        require(outcomes.length == 1, "one outcome");
        if (!u.known) require(outcomes[0] == 0x02, "unknown project");
        else if (u.signer % 5 > 2) require(outcomes[0] == 0x03, "not a member");
        else if (u.used) require(outcomes[0] == 0x01, "duplicate");
        else if (u.action % 13 > 9) require(outcomes[0] == 0x04, "unknown action");
        else if (u.scoreType % 8 > 5) require(outcomes[0] == 0x05, "unknown score type");
        else require(outcomes[0] == 0x00, "applied");
        _compareAll(u.target, u.id);
        require(registry.getProject(bytes32("none")).createdBlock == 0, "no project came into being");
        require(registry.getWalletScores(bytes32("none"), u.target).length == 0, "no score either");
    }

    /// @dev A failed update may come again, and applies once the reason is gone.
    function testFuzz_aFailedUpdateKeepsItsId(bytes32 id, uint8 kind) public {
        kind = 1 + kind % 3;
        Record memory r = Record(id, WALLET, 10, 6);
        require(_applyOne(_group(PROJECT, STRANGER, kind, r))[0] == 0x03, "not a member");
        _ok(OWNER, abi.encodeCall(IScoreRegistry.addUpdater, (PROJECT, STRANGER)));
        require(_applyOne(_group(PROJECT, STRANGER, kind, r))[0] == 0x04, "unknown action");
        _ok(OWNER, abi.encodeCall(IScoreRegistry.addAction, (PROJECT, IScoreRegistry.Action("new", 9, 0))));
        require(_applyOne(_group(PROJECT, STRANGER, kind, r))[0] == 0x05, "unknown score type");
        _ok(OWNER, abi.encodeCall(IScoreRegistry.addScoreType, (PROJECT, "new")));
        require(_applyOne(_group(PROJECT, STRANGER, kind, r))[0] == 0x00, "applied");
        require(_applyOne(_group(PROJECT, STRANGER, kind, r))[0] == 0x01, "duplicate");
        _ok(OWNER, abi.encodeCall(IScoreRegistry.removeUpdater, (PROJECT, STRANGER)));
        require(_applyOne(_group(PROJECT, STRANGER, kind, r))[0] == 0x03, "not a member any more");
        require(registry.getScore(PROJECT, WALLET, "new") == 9, "once");
    }

    /// @dev Batches of several groups, of all kinds of good and bad updates, in any encoding there is.
    /// forge-config: default.fuzz.runs = 384
    /// forge-config: coverage.fuzz.runs = 48
    /// forge-config: mutants.fuzz.runs = 96
    function testFuzz_batches(uint256 chance) public {
        seed = chance;
        World memory w = _world();
        for (uint256 round; round < 3; ++round) {
            _apply(_someGroups(w), _pick(2) == 0 ? 0 : seed);
        }
        _compareWorld(w);
    }

    /// @dev Batches with anything done to them: the registry and its twin find them broken at the same place, or read the
    /// same in them.
    /// forge-config: default.fuzz.runs = 512
    /// forge-config: coverage.fuzz.runs = 64
    /// forge-config: mutants.fuzz.runs = 128
    function testFuzz_mutatedBatches(uint256 chance) public {
        seed = chance;
        World memory w = _world();
        for (uint256 round; round < 3; ++round) {
            bytes memory data = Frames.encode(_someGroups(w), _pick(2) == 0 ? 0 : seed);
            for (uint256 i = 1 + _pick(3); i > 0; --i) {
                data = _mutated(data);
            }
            _try(RELAYER, abi.encodeCall(IScoreRegistry.applyBatch, (data)));
        }
        _compareWorld(w);
    }

    function testFuzz_anyBytes(bytes calldata data) public {
        _try(RELAYER, abi.encodeCall(IScoreRegistry.applyBatch, (data)));
        _compareAll(WALLET, 0);
    }

    function _mutated(bytes memory data) private returns (bytes memory) {
        if (data.length == 0) return abi.encode(seed);
        uint256 place = _pick(data.length);
        uint256 way = _pick(7);
        if (way == 0) return _cut(data, 0, place);
        if (way == 1) return bytes.concat(data, _cut(data, place, data.length));
        if (way == 2) return bytes.concat(_cut(data, 0, place), _cut(data, place + 1, data.length));
        if (way == 3) {
            return bytes.concat(_cut(data, 0, place), bytes1(uint8(_pick(256))), _cut(data, place, data.length));
        }
        if (way == 4) data[place] = bytes1(uint8(_pick(_pick(2) == 0 ? 256 : 4)));
        else if (way == 5) data[place] ^= bytes1(uint8(1 << _pick(8)));
        else data[0] = bytes1(uint8(_pick(256)));
        return data;
    }

    function _someGroups(World memory w) private returns (Group[] memory groups) {
        groups = new Group[](1 + _pick(5));
        for (uint256 i; i < groups.length; ++i) {
            groups[i] = _someGroup(w);
            if (i == 0 || _pick(2) == 0) continue;
            // Like the one before it, so that flags have something to leave out.
            if (_pick(2) == 0) groups[i].project = groups[i - 1].project;
            if (_pick(2) == 0) groups[i].signer = groups[i - 1].signer;
            if (_pick(2) == 0) groups[i].signature = "";
        }
    }

    /// @dev A second project, of other points, and with a score type and an action that are younger than its members.
    function _world() private returns (World memory w) {
        Creation memory c = _usual();
        c.id = SECOND;
        c.signedOnly = _pick(2) == 0;
        for (uint256 i; i < 9; ++i) {
            c.actions[i].points = uint32(1000 + i);
        }
        c.scoreTypes = new string[](3);
        (c.scoreTypes[0], c.scoreTypes[1], c.scoreTypes[2]) = ("x", "y", "z");
        _create(c);
        if (_pick(2) == 0) {
            _ok(OWNER, abi.encodeCall(IScoreRegistry.addScoreType, (SECOND, "young")));
            _ok(OWNER, abi.encodeCall(IScoreRegistry.addAction, (SECOND, IScoreRegistry.Action("young", 7, 1))));
            _ok(OWNER, abi.encodeCall(IScoreRegistry.addUpdater, (SECOND, OTHER)));
        }
        (w.projects, w.signers) = (new bytes32[](7), new address[](9));
        for (uint256 i; i < 9; ++i) {
            if (i < 7) w.projects[i] = i < 3 ? PROJECT : i < 6 ? SECOND : bytes32("none");
            w.signers[i] = i < 3 ? OWNER : i < 5 ? UPDATER : i < 7 ? BOTH : i < 8 ? STRANGER : OTHER;
        }
        (w.wallets, w.words) = (new address[](3), new bytes32[](3));
        (w.wallets[1], w.wallets[2]) = (WALLET, address(type(uint160).max));
        (w.words[1], w.words[2]) = (keccak256("word"), bytes32(type(uint256).max));
    }

    function _compareWorld(World memory w) private view {
        _compare(PROJECT, w.signers, w.wallets);
        _compare(SECOND, w.signers, w.wallets);
        _compare(bytes32("none"), w.signers, w.wallets);
        for (uint256 i; i < 3; ++i) {
            _compareWord(PROJECT, w.words[i]);
            _compareWord(SECOND, w.words[i]);
        }
    }

    /// @dev All 256 ids of a word in one group of each kind; then each of them again.
    /// forge-config: default.fuzz.runs = 16
    /// forge-config: coverage.fuzz.runs = 4
    /// forge-config: mutants.fuzz.runs = 8
    function testFuzz_aWholeWord(bytes31 word, uint256 chance, uint8 kind) public {
        seed = chance;
        kind = 1 + kind % 3;
        Record[] memory records = new Record[](256);
        for (uint256 i; i < 256; ++i) {
            records[i] = Record(bytes32(word) | bytes32(i), WALLET, 0, 0);
        }
        if (kind != Frames.WORD) _shuffle(records);
        Group memory g = _group(PROJECT, OWNER, kind, records, 0);
        _applyOne(g);
        require(registry.getScore(PROJECT, WALLET, "t000") == 2560, "each once");
        bytes memory outcomes = _applyOne(g);
        for (uint256 i; i < 256; ++i) {
            require(outcomes[i] == 0x01, "duplicate");
        }
        _compareWord(PROJECT, bytes32(word));
    }

    /// @dev Groups that are skipped as a whole are as long as their masks say, which is seen at what follows them.
    function testFuzz_skippedWords(uint256 mask, bool all) public {
        if (all) mask = type(uint256).max;
        vm.assume(mask != 0);
        Record[] memory records = new Record[](256);
        uint256 count;
        for (uint256 i; i < 256; ++i) {
            if (mask >> i & 1 != 0) records[count++] = Record(bytes32(i), WALLET, 0, 0);
        }
        assembly ("memory-safe") {
            mstore(records, count)
        }
        Group[] memory groups = new Group[](3);
        groups[0] = _group(PROJECT, STRANGER, Frames.WORD, records, 0);
        groups[1] = _signedBy(5, _group(PROJECT, OWNER, Frames.WORD, records, 0));
        groups[2] = _group(PROJECT, OWNER, Frames.FREE, Record(bytes32("last"), WALLET, 0, 0));
        bytes memory outcomes = _apply(groups);
        require(outcomes.length == 2 * count + 1, "as many as there are bits");
        for (uint256 i; i <= 2 * count; ++i) {
            require(outcomes[i] == (i < count ? bytes1(0x03) : i < 2 * count ? bytes1(0x09) : bytes1(0)), "outcome");
        }
    }

    /// @dev The order of a batch's updates is no part of the result, as long as their ids differ.
    function testFuzz_orderDoesNotMatter(uint256 chance) public {
        seed = chance;
        Creation memory c = _usual();
        c.id = SECOND;
        _create(c);
        Record[] memory records = new Record[](20);
        for (uint256 i; i < 20; ++i) {
            bytes32 id = bytes32(_pick(3) << 8 | i);
            records[i] = Record(id, address(uint160(i % 3)), uint8(_pick(11)), uint8(_pick(7)));
        }
        _applyOne(_group(PROJECT, UPDATER, Frames.FREE, records, 0));
        _shuffle(records);
        _applyOne(_group(SECOND, BOTH, Frames.FREE, records, 0));
        for (uint160 i; i < 3; ++i) {
            int64[] memory first = registry.getWalletScores(PROJECT, address(i));
            int64[] memory second = registry.getWalletScores(SECOND, address(i));
            require(keccak256(abi.encode(first)) == keccak256(abi.encode(second)), "another result");
        }
    }

    function _shuffle(Record[] memory records) private {
        for (uint256 i = records.length - 1; i > 0; --i) {
            uint256 k = _pick(i + 1);
            (records[i], records[k]) = (records[k], records[i]);
        }
    }

    /// @dev The first and the last of what one byte, and what two bytes, can say.
    function test_manyRuns() public {
        Record[] memory records = new Record[](256 + 1 + 600);
        for (uint256 i; i < records.length; ++i) {
            records[i] = Record(keccak256(abi.encode(i)), address(uint160(i < 257 ? 1 : i)), 0, 0);
        }
        Group memory g = _group(PROJECT, OWNER, Frames.FREE, records, 0);
        require(uint8(g.body[0]) == 2 && uint8(g.body[1]) == 90, "602 runs"); // 256 + 1 updates of one wallet: two
        require(uint8(g.body[2 + 21]) == 255, "of 256 updates");
        bytes memory outcomes = _applyOne(g);
        require(keccak256(outcomes) == keccak256(new bytes(857)), "all applied");
        require(registry.getScore(PROJECT, address(1), "t000") == 2570, "the sum of a run and of the next");
        g.signer = STRANGER;
        outcomes = _applyOne(g);
        for (uint256 i; i < 857; ++i) {
            require(outcomes[i] == 0x03, "all skipped");
        }
    }

    /// @dev The only update that fails, wherever it stands in a group of any kind, is the one that is reported.
    function test_oneOfManyFails() public {
        for (uint8 kind = 1; kind <= 3; ++kind) {
            for (uint256 bad; bad < 20; ++bad) {
                Record[] memory records = new Record[](20);
                for (uint256 i; i < 20; ++i) {
                    bytes32 id = bytes32(uint256(kind) << 64 | bad << 32 | i);
                    records[i] = Record(id, address(uint160(i / 3)), uint8(i == bad ? 200 : 0), 1);
                }
                Group[] memory groups = new Group[](2);
                groups[0] = _group(PROJECT, OWNER, kind, records, 0);
                groups[1] = _group(PROJECT, OWNER, kind, Record(bytes32(uint256(kind) << 128 | bad), WALLET, 0, 2));
                bytes memory outcomes = _apply(groups);
                for (uint256 i; i < 21; ++i) {
                    require(outcomes[i] == (i == bad ? bytes1(0x04) : bytes1(0)), "one");
                }
            }
            require(registry.getScore(PROJECT, address(0), "t001") == int64(int256(uint256(kind) * 57 * 10)), "sum");
        }
        require(registry.getScore(PROJECT, WALLET, "t002") == 3 * 20 * 10, "the group behind it");
    }

    /// @dev Of two updates with one id the first applies, in one group and across groups and kinds.
    function test_duplicatesWithinABatch() public {
        for (uint8 first = 1; first <= 3; ++first) {
            for (uint8 second = 1; second <= 3; ++second) {
                bytes32 id = keccak256(abi.encode(first, second));
                Group[] memory groups = new Group[](2);
                groups[0] = _group(PROJECT, OWNER, first, Record(id, WALLET, 0, 0));
                groups[1] = _group(PROJECT, UPDATER, second, Record(id, WALLET, 4, 0));
                require(keccak256(_apply(groups)) == keccak256(hex"0001"), "the first");
                if (first == Frames.WORD) continue; // which cannot say the same id twice
                Record[] memory records = new Record[](4);
                bytes32 other = bytes32(uint256(id) ^ 1);
                records[0] = Record(other, WALLET, 200, 0); // fails, so that the next one is the first
                records[1] = Record(other, WALLET, 0, 0);
                records[2] = Record(other, WALLET, 0, 0);
                records[3] = Record(other, address(1), 0, 0); // in another run
                require(keccak256(_applyOne(_group(PROJECT, BOTH, first, records, 0))) == keccak256(hex"04000101"), "1");
            }
        }
        require(registry.getScore(PROJECT, WALLET, "t000") == 9 * 10 + 6 * 10, "once each");
    }

    /// @dev What one group has learnt of its project is not taken for another's.
    function test_projectsInOneBatch() public {
        Creation memory c = _usual();
        c.id = SECOND;
        c.actions = new IScoreRegistry.Action[](1);
        c.actions[0] = IScoreRegistry.Action("a", 1, 1);
        c.scoreTypes = new string[](1);
        c.scoreTypes[0] = "t";
        _create(c);
        for (uint8 kind = 1; kind <= 3; ++kind) {
            Group[] memory groups = new Group[](6);
            for (uint256 i; i < 6; ++i) {
                // two groups of each project in turn: the same signer, then the other
                bytes32 project = i / 2 == 1 ? SECOND : PROJECT;
                Record[] memory records = new Record[](3);
                records[0] = Record(bytes32(uint256(kind) << 16 | i << 8), WALLET, 0, 0);
                records[1] = Record(bytes32(uint256(kind) << 16 | i << 8 | 1), WALLET, 9, 0);
                records[2] = Record(bytes32(uint256(kind) << 16 | i << 8 | 2), WALLET, 0, 5);
                groups[i] = _group(project, i < 3 ? OWNER : UPDATER, kind, records, 0);
            }
            bytes memory want = hex"000000000000000405000405000000000000";
            require(keccak256(_apply(groups)) == keccak256(want), "outcomes");
        }
        require(registry.getScore(SECOND, WALLET, "t") == -6, "the second project's points");
    }

    /// @dev Members know how many score types there were when they became members; younger ones count at once.
    function test_youngScoreTypes() public {
        for (uint256 i = 6; i < 64; ++i) {
            _ok(OWNER, abi.encodeCall(IScoreRegistry.addScoreType, (PROJECT, _name("t", i))));
            for (uint8 kind = 1; kind <= 3; ++kind) {
                Record[] memory records = new Record[](3);
                for (uint256 k; k < 3; ++k) {
                    records[k] = Record(bytes32(uint256(kind) << 16 | i << 8 | k), WALLET, 0, uint8(i + 1 - k));
                }
                bytes memory outcomes = _applyOne(_group(PROJECT, UPDATER, kind, records, 0));
                require(keccak256(outcomes) == keccak256(hex"050000"), "outcomes");
            }
            _ok(UPDATER, _update(bytes32(i), "a000", _name("t", i), WALLET));
            if (i == 20) _ok(OWNER, abi.encodeCall(IScoreRegistry.addOwner, (PROJECT, UPDATER))); // who knows more now
        }
        _compareAll(WALLET, 0);
    }

    /// @dev So do young actions, to the last that there can be.
    function test_youngActions() public {
        for (uint256 i = 10; i < 200; ++i) {
            IScoreRegistry.Action memory a = IScoreRegistry.Action(_name("a", i), uint32(i), uint8(i % 2));
            Record[] memory records = new Record[](2);
            uint8 kind = uint8(1 + i % 3);
            (records[0], records[1]) =
            (Record(bytes32(2 * i), WALLET, uint8(i), 0), Record(bytes32(2 * i + 1), WALLET, 0, 1));
            if (kind == Frames.WORD && 2 * i % 256 == 255) continue;
            require(keccak256(_applyOne(_group(PROJECT, BOTH, kind, records, 0))) == keccak256(hex"0400"), "not yet");
            _ok(OWNER, abi.encodeCall(IScoreRegistry.addAction, (PROJECT, a)));
            require(keccak256(_applyOne(_group(PROJECT, BOTH, kind, records, 0))) == keccak256(hex"0001"), "at once");
        }
        for (uint256 i = 200; i < 256; ++i) {
            require(_applyOne(uint8(1 + i % 3), bytes32(i << 16), WALLET, i, 0) == 4, "none");
        }
        _compareAll(WALLET, 0);
    }

    /// @dev The last action byte there is would share a field with the counts, if it were an action: it never is.
    function test_actionsThatCannotBe() public {
        for (uint8 kind = 1; kind <= 3; ++kind) {
            for (uint256 i = 200; i < 256; ++i) {
                uint256 id = uint256(kind) << 64 | i << 16;
                Record[] memory records = new Record[](4);
                for (uint256 k; k < 4; ++k) {
                    // before and after an action of the first slot
                    records[k] = Record(bytes32(id + k), WALLET, uint8(k % 2 == 0 ? i : k), 0);
                }
                bytes memory outcomes = _applyOne(_group(PROJECT, BOTH, kind, records, 0));
                require(keccak256(outcomes) == keccak256(hex"04000400"), "outcomes");
            }
        }
        _compareAll(WALLET, 0);
    }
}
