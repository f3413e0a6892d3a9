// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {IScoreRegistry} from "../src/IScoreRegistry.sol";
import {Base} from "./Base.sol";
import {Frames, Group, Record} from "./Frames.sol";

/// @notice Batches: framing, outcomes, and lanes that keep to themselves.
contract BatchTest is Base {
    address private constant WALLET = address(0xF00D);

    function setUp() public {
        _deploy();
        _create(_usual());
    }

    // ------------------------------------------------------------------------------------------------- outcomes

    struct OneUpdate {
        bool known;
        bool used;
        bool word;
        uint8 signer;
        uint8 action;
        uint8 scoreType;
        bytes32 id;
        address target;
    }

    /// @dev Any update at all has the outcome foretold, changes what it should and nothing else.
    function testFuzz_oneUpdate(OneUpdate memory u) public {
        address[5] memory signers = [OWNER, UPDATER, BOTH, STRANGER, address(0)];
        if (u.used) _ok(OWNER, _update(u.id, "a001", "t001", u.target));
        Group memory g = _group(
            u.known ? PROJECT : bytes32("none"),
            signers[u.signer % 5],
            u.word ? Frames.WORD : Frames.FREE,
            Record(u.id, u.target, u.action % 8, u.scoreType % 8)
        );
        bytes memory outcomes = _applyOne(g);
        require(outcomes.length == 1, "one outcome");
        if (!u.known) require(outcomes[0] == 0x02, "unknown project");
        else if (u.signer % 5 > 2) require(outcomes[0] == 0x03, "not a member");
        else if (u.used) require(outcomes[0] == 0x01, "duplicate");
        else if (u.action % 8 > 5) require(outcomes[0] == 0x04, "unknown action");
        else if (u.scoreType % 8 > 5) require(outcomes[0] == 0x05, "unknown score type");
        else require(outcomes[0] == 0x00, "applied");
        _compareAll(u.target, u.id);
        require(registry.getProject(bytes32("none")).createdBlock == 0, "no project came into being");
        require(registry.getWalletScores(bytes32("none"), u.target).length == 0, "no score either");
    }

    /// @dev A failed update may come again, and applies once the reason is gone.
    function testFuzz_aFailedUpdateKeepsItsId(bytes32 id, bool word) public {
        uint8 kind = word ? Frames.WORD : Frames.FREE;
        Record memory r = Record(id, WALLET, 6, 6);
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

    /// @dev Batches of several groups, of all kinds of good and bad updates.
    /// forge-config: default.fuzz.runs = 192
    function testFuzz_batches(uint256 chance) public {
        seed = chance;
        address[4] memory signers = [OWNER, UPDATER, BOTH, STRANGER];
        address[] memory wallets = new address[](3);
        (wallets[1], wallets[2]) = (WALLET, address(type(uint160).max));
        bytes32[3] memory words = [bytes32(0), keccak256("word"), bytes32(type(uint256).max)];
        for (uint256 round; round < 3; ++round) {
            Group[] memory groups = new Group[](1 + _pick(5));
            for (uint256 i; i < groups.length; ++i) {
                Group memory g = groups[i];
                g.project = _pick(6) == 0 ? bytes32("none") : PROJECT;
                g.signer = signers[_pick(8) == 0 ? 3 : _pick(3)];
                g.kind = uint8(1 + _pick(2));
                g.records = new Record[](1 + _pick(12));
                uint256 word = _pick(3);
                for (uint256 k; k < g.records.length; ++k) {
                    if (g.kind == Frames.FREE) word = _pick(3);
                    bytes32 id = bytes32(uint256(words[word]) >> 8 << 8 | _pick(2) * 216 + _pick(40));
                    (uint256 a, uint256 t) =
                        (_pick(16) == 0 ? _pick(256) : _pick(6), _pick(16) == 0 ? _pick(256) : _pick(6));
                    g.records[k] = Record(id, wallets[_pick(3)], uint8(a), uint8(t));
                }
            }
            _apply(groups);
        }
        _compare(PROJECT, wallets, wallets);
        for (uint256 i; i < 3; ++i) {
            _compareWord(PROJECT, words[i]);
        }
    }

    /// @dev All 256 ids of a word in one group, in a shuffled order; then each of them again.
    /// forge-config: default.fuzz.runs = 32
    function testFuzz_aWholeWord(bytes31 word, uint256 chance) public {
        seed = chance;
        Group memory g = Group(PROJECT, OWNER, Frames.WORD, new Record[](256));
        for (uint256 i; i < 256; ++i) {
            g.records[i] = Record(bytes32(word) | bytes32(i), WALLET, 0, 0);
        }
        for (uint256 i = 255; i > 0; --i) {
            uint256 k = _pick(i + 1);
            (g.records[i], g.records[k]) = (g.records[k], g.records[i]);
        }
        _applyOne(g);
        require(registry.getScore(PROJECT, WALLET, "t000") == 2560, "each once");
        bytes memory outcomes = _applyOne(g);
        for (uint256 i; i < 256; ++i) {
            require(outcomes[i] == 0x01, "duplicate");
        }
        _compareWord(PROJECT, bytes32(word));
    }

    /// @dev The order of a batch's updates is no part of the result, as long as their ids differ.
    function testFuzz_orderDoesNotMatter(uint256 chance) public {
        seed = chance;
        Creation memory c = _usual();
        c.id = keccak256("other");
        _create(c);
        Group memory g = Group(PROJECT, UPDATER, Frames.FREE, new Record[](20));
        for (uint256 i; i < 20; ++i) {
            g.records[i] = Record(keccak256(abi.encode(i)), address(uint160(i % 3)), uint8(_pick(7)), uint8(_pick(7)));
        }
        _applyOne(g);
        for (uint256 i = 19; i > 0; --i) {
            uint256 k = _pick(i + 1);
            (g.records[i], g.records[k]) = (g.records[k], g.records[i]);
        }
        g.project = c.id;
        _applyOne(g);
        for (uint160 i; i < 3; ++i) {
            int64[] memory first = registry.getWalletScores(PROJECT, address(i));
            int64[] memory second = registry.getWalletScores(c.id, address(i));
            require(keccak256(abi.encode(first)) == keccak256(abi.encode(second)), "another result");
        }
    }

    /// @dev The count is two bytes: more updates than one can hold, all of them skipped.
    function test_aGroupOfMany() public {
        Group memory g = Group(PROJECT, STRANGER, Frames.WORD, new Record[](3000));
        for (uint256 i; i < 3000; ++i) {
            g.records[i] = Record(bytes32(i % 256), WALLET, 0, 0);
        }
        bytes memory frames = Frames.encode(g);
        vm.recordLogs();
        vm.prank(RELAYER);
        registry.applyBatch(frames);
        bytes memory outcomes = new bytes(3000);
        for (uint256 i; i < 3000; ++i) {
            outcomes[i] = 0x03;
        }
        require(keccak256(vm.getRecordedLogs()[0].data) == keccak256(abi.encode(frames, outcomes)), "outcomes");
        _compareAll(WALLET, 0);
    }

    // -------------------------------------------------------------------------------------------------- framing

    /// @dev Any bytes: they revert where the plain decoder finds them broken, or do what it reads in them.
    function testFuzz_anyBytes(bytes calldata data) public {
        _applyBytes(data);
    }

    /// @dev Good batches with one thing done to them: cut short, lengthened, or one byte changed where groups start.
    function testFuzz_almostGood(uint256 chance) public {
        seed = chance;
        Group[] memory groups = new Group[](1 + _pick(4));
        uint256[] memory starts = new uint256[](groups.length);
        bytes memory data;
        for (uint256 i; i < groups.length; ++i) {
            groups[i] = Group(PROJECT, OWNER, uint8(1 + _pick(2)), new Record[](1 + _pick(4)));
            for (uint256 k; k < groups[i].records.length; ++k) {
                groups[i].records[k] = Record(bytes32(_pick(256)), WALLET, uint8(_pick(7)), uint8(_pick(7)));
            }
            starts[i] = data.length;
            data = bytes.concat(data, Frames.encode(groups[i]));
        }
        uint256 way = _pick(4);
        uint256 start = starts[_pick(starts.length)];
        if (way == 0) data = _cut(data, _pick(data.length));
        else if (way == 1) data = bytes.concat(data, _cut(data, _pick(data.length)));
        else if (way == 2) data[start + 52] = bytes1(uint8(_pick(4))); // its kind
        else data[start + 54] = bytes1(uint8(_pick(8))); // its count
        _applyBytes(data);
    }

    function test_framingIsReported() public {
        bytes memory one = Frames.encode(_group(PROJECT, OWNER, Frames.WORD, Record(0, WALLET, 0, 0)));
        bytes memory two =
            bytes.concat(one, Frames.encode(_group(PROJECT, OWNER, Frames.FREE, Record(0, WALLET, 0, 0))));
        require(one.length == 55 + 31 + 23 && two.length == one.length + 55 + 54, "sizes");
        _broken("", 0);
        for (uint256 length = 1; length < two.length; ++length) {
            if (length == one.length) continue;
            _broken(_cut(two, length), length < one.length ? 0 : one.length);
        }
        for (uint256 kind; kind < 256; ++kind) {
            if (kind == Frames.WORD || kind == Frames.FREE) continue;
            bytes memory data = bytes.concat(two);
            data[one.length + 52] = bytes1(uint8(kind));
            _broken(data, one.length);
        }
        bytes memory none = bytes.concat(two);
        none[one.length + 54] = 0;
        _broken(none, one.length);
        none[one.length + 53] = 0xff; // 65,280 updates in two records' room
        _broken(none, one.length);
        // Nothing of a broken batch was applied, not even the good group at its head.
        _compareAll(WALLET, 0);
        require(registry.getScore(PROJECT, WALLET, "t000") == 0, "nothing");
    }

    /// @dev The batch ends where its bytes end, whatever else is in the transaction behind them.
    function test_nothingBehindTheBytesIsRead() public {
        bytes memory one = Frames.encode(_group(PROJECT, OWNER, Frames.FREE, Record(0, WALLET, 0, 0)));
        bytes memory call = abi.encodeCall(IScoreRegistry.applyBatch, (one));
        bytes memory shorter = bytes.concat(call);
        shorter[67] = bytes1(uint8(one.length - 1)); // the length of the argument: its last byte is behind it now
        _refused(RELAYER, shorter, abi.encodeWithSelector(IScoreRegistry.BadFraming.selector, 0));
        _ok(RELAYER, bytes.concat(call, one, one));
        require(registry.getScore(PROJECT, WALLET, "t000") == 10, "once");
    }

    function _applyBytes(bytes memory data) private {
        (Group[] memory groups, uint256 brokenAt) = Frames.decode(data);
        if (brokenAt == type(uint256).max) _apply(groups);
        else _broken(data, brokenAt);
        _compareAll(WALLET, 0);
    }

    function _broken(bytes memory data, uint256 offset) private {
        bytes memory want = abi.encodeWithSelector(IScoreRegistry.BadFraming.selector, offset);
        _refused(RELAYER, abi.encodeCall(IScoreRegistry.applyBatch, (data)), want);
    }

    function _cut(bytes memory data, uint256 length) private pure returns (bytes memory out) {
        out = new bytes(length);
        for (uint256 i; i < length; ++i) {
            out[i] = data[i];
        }
    }

    // ---------------------------------------------------------------------------------------------------- lanes

    /// @dev All 64 score types of two wallets, changed at random: each holds the sum of its own.
    /// forge-config: default.fuzz.runs = 64
    function testFuzz_lanesKeepToThemselves(uint256 chance) public {
        seed = chance;
        Creation memory c = _usual();
        c.id = keccak256("wide");
        c.scoreTypes = new string[](64);
        for (uint256 i; i < 64; ++i) {
            c.scoreTypes[i] = _name("t", i);
        }
        _create(c);
        Group memory g = Group(c.id, UPDATER, Frames.FREE, new Record[](120));
        address[] memory wallets = new address[](2);
        (wallets[0], wallets[1]) = (WALLET, address(uint160(WALLET) ^ 1));
        for (uint256 i; i < 120; ++i) {
            uint256 t = _pick(2) == 0 ? _pick(64) : _pick(4);
            g.records[i] = Record(bytes32(i), wallets[_pick(2)], uint8(_pick(6)), uint8(t));
        }
        _applyOne(g);
        _compare(c.id, wallets, wallets);
    }

    /// @dev Four lanes hold anything an update may meet, to the very ends; the update changes its own lane alone.
    function testFuzz_lanesAtTheirEnds(uint64[4] memory raw, uint256 chance) public {
        seed = chance;
        bytes32 slot = _scoreSlot(WALLET, 0);
        require(vm.load(address(registry), slot) == 0, "fresh");
        require(_applyOne(Frames.FREE, bytes32("slot"), WALLET, 0, 0) == 0, "applied");
        require(vm.load(address(registry), slot) == bytes32(uint256(2 ** 63 + 10)), "this is the slot");
        uint256 lanes;
        int256[4] memory want;
        for (uint256 t; t < 4; ++t) {
            if (_pick(3) == 0) raw[t] = 0;
            else if (_pick(3) == 0) raw[t] = uint64(1 + MAX);
            else if (_pick(3) == 0) raw[t] = type(uint64).max - uint64(MAX);
            else raw[t] = uint64(1 + MAX + raw[t] % (2 ** 64 - 2 * (MAX + 1)));
            lanes |= uint256(raw[t]) << (64 * t);
            want[t] = raw[t] == 0 ? int256(0) : int256(uint256(raw[t])) - 2 ** 63;
        }
        vm.store(address(registry), slot, bytes32(lanes));
        int64[] memory points = registry.getActions(PROJECT);
        for (uint256 i; i < 4; ++i) {
            uint256 t = (i + chance % 4) % 4; // each lane once, so that none leaves its range
            uint256 action = 2 + _pick(2); // ± the most points there can be
            Group[] memory groups = new Group[](1);
            groups[0] = _group(PROJECT, OWNER, uint8(1 + _pick(2)), Record(bytes32(i), WALLET, uint8(action), uint8(t)));
            vm.prank(RELAYER);
            registry.applyBatch(Frames.encode(groups));
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
        require(_applyOne(Frames.FREE, bytes32(uint256(1)), WALLET, 2, 0) == 0, "up");
        require(registry.getScore(PROJECT, WALLET, "t000") == int64(int256(MAX)), "up");
        require(_applyOne(Frames.FREE, bytes32(uint256(2)), WALLET, 3, 0) == 0, "down");
        require(registry.getScore(PROJECT, WALLET, "t000") == 0, "back");
        require(vm.load(address(registry), _scoreSlot(WALLET, 0)) == bytes32(uint256(2 ** 63)), "kept");
        require(_applyOne(Frames.FREE, bytes32(uint256(3)), WALLET, 3, 0) == 0, "below");
        require(registry.getScore(PROJECT, WALLET, "t000") == -int64(int256(MAX)), "below zero");
        _compareAll(WALLET, 0);
    }

    /// @dev Where solc puts them: projects at slot 3, the scores of one 52 slots into it. testFuzz_lanesAtTheirEnds checks it.
    function _scoreSlot(address wallet, uint256 quad) private pure returns (bytes32) {
        uint256 project = uint256(keccak256(abi.encode(PROJECT, uint256(3))));
        return keccak256(abi.encode(uint256(uint160(wallet)) << 8 | quad, project + 52));
    }

    function _compareAll(address wallet, bytes32 word) private view {
        address[] memory people = new address[](6);
        (people[0], people[1], people[2], people[3], people[4]) = (OWNER, UPDATER, BOTH, STRANGER, WALLET);
        people[5] = wallet;
        _compare(PROJECT, people, people);
        _compareWord(PROJECT, word);
    }
}
