// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {IScoreRegistry} from "../src/IScoreRegistry.sol";
import {Base} from "./Base.sol";
import {Frames, Group, Record} from "./Frames.sol";

/// @notice Batches: outcomes, framing, and lanes that keep to themselves.
contract BatchTest is Base {
    address private constant WALLET = address(0xF00D);
    bytes32 private constant SECOND = keccak256("second project");

    function setUp() public {
        _deploy();
        _create(_usual());
    }

    // ------------------------------------------------------------------------------------------------- outcomes

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

    // -------------------------------------------------------------------------------------------------- framing

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

    function _cut(bytes memory data, uint256 from, uint256 to) private pure returns (bytes memory out) {
        out = new bytes(to - from);
        for (uint256 i; i < out.length; ++i) {
            out[i] = data[from + i];
        }
    }

    // ---------------------------------------------------------------------------------------------------- lanes

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

    function _compareAll(address wallet, bytes32 word) private view {
        address[] memory people = new address[](6);
        (people[0], people[1], people[2], people[3], people[4]) = (OWNER, UPDATER, BOTH, STRANGER, WALLET);
        people[5] = wallet;
        _compare(PROJECT, people, people);
        _compareWord(PROJECT, word);
    }
}
