// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {
    IAccessControlDefaultAdminRules
} from "@openzeppelin/contracts/access/extensions/IAccessControlDefaultAdminRules.sol";
import {IAccessControl} from "@openzeppelin/contracts/access/IAccessControl.sol";
import {IERC5267} from "@openzeppelin/contracts/interfaces/IERC5267.sol";
import {IERC165} from "@openzeppelin/contracts/utils/introspection/IERC165.sol";
import {IScoreRegistry} from "../src/IScoreRegistry.sol";
import {Vm} from "./Vm.sol";
import {Frames, Group, Record} from "./Frames.sol";
import {Index} from "./Index.sol";
import {PlainRegistry} from "./PlainRegistry.sol";

/// @notice All that ScoreRegistry answers to. The tests deploy the committed artifact, the very bytes that operators
/// deploy, so its source is compiled once, by build.mjs, and the tests are compiled without the slow optimizer.
interface IRegistry is IScoreRegistry, IERC165, IERC5267, IAccessControl, IAccessControlDefaultAdminRules {
    function RELAYER_ROLE() external view returns (bytes32);
    function DEFAULT_ADMIN_ROLE() external view returns (bytes32);
}

/// @notice A registry; its twin, to which every call goes as well; and the index, which knows nothing but the events.
/// What they must agree on is checked here, at each call and by _compare; the tests say what to call and what else is
/// so.
abstract contract Base {
    Vm internal constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);

    uint48 internal constant DELAY = 3 days;
    address internal constant ADMIN = address(0xAD);
    address internal constant RELAYER = address(0xE1);
    /// @dev The addresses of the keys 1 to 5, see _sign.
    address internal constant OWNER = 0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf;
    address internal constant UPDATER = 0x2B5AD5c4795c026514f8317c7a215E218DcCD6cF;
    address internal constant BOTH = 0x6813Eb9362372EEF6200f3b1dbC3f819671cBA69;
    address internal constant STRANGER = 0x1efF47bc3a10a45D4B230B5d10E37751FE6AA718;
    address internal constant OTHER = 0xe1AB8145F7E55DC933d51a18c793F901A3A0b276;
    bytes32 internal constant PROJECT = keccak256("project");
    uint256 internal constant MAX = 2 ** 31 - 1;

    IRegistry internal registry;
    PlainRegistry internal twin;
    Index internal index;
    uint256 internal seed;
    bytes private _code;

    function _deploy() internal {
        address[] memory relayers = new address[](1);
        relayers[0] = RELAYER;
        vm.recordLogs();
        registry = IRegistry(_deploy(ADMIN, relayers));
        index = new Index();
        index.fold(vm.getRecordedLogs());
        twin = new PlainRegistry(DELAY, ADMIN, relayers, address(registry));
        vm.roll(1000);
    }

    /// @dev Reverts like the constructor. REGISTRY names another artifact than the committed one: a mutant's, or a
    /// contract for forge to compile, whose coverage it can then tell.
    function _deploy(address admin, address[] memory relayers) internal returns (address deployed) {
        if (_code.length == 0) {
            string memory path = vm.envOr("REGISTRY", string("artifacts/ScoreRegistry.json"));
            bytes memory end = bytes(path);
            _code = end[end.length - 1] == "n" ? vm.parseJsonBytes(vm.readFile(path), ".bytecode") : vm.getCode(path);
        }
        bytes memory data = bytes.concat(_code, abi.encode(DELAY, admin, relayers));
        assembly ("memory-safe") {
            deployed := create(0, add(data, 32), mload(data))
            if iszero(deployed) {
                returndatacopy(mload(0x40), 0, returndatasize())
                revert(mload(0x40), returndatasize())
            }
        }
    }

    // ------------------------------------------------------------------------------------------------- projects

    struct Creation {
        bytes32 id;
        string name;
        IScoreRegistry.Action[] actions;
        address[] owners;
        address[] updaters;
        string[] scoreTypes;
        bool signedOnly;
    }

    /// @dev Ten actions (in two slots; the third and fourth at the ends of what points may be) and six score types (in two).
    function _usual() internal pure returns (Creation memory c) {
        c.id = PROJECT;
        c.name = "Usual";
        c.actions = new IScoreRegistry.Action[](10);
        for (uint256 i; i < 10; ++i) {
            c.actions[i] = IScoreRegistry.Action(_name("a", i), uint32(10 + i), uint8(i % 2));
        }
        c.actions[2].points = uint32(MAX);
        c.actions[3].points = uint32(MAX);
        c.scoreTypes = new string[](6);
        for (uint256 i; i < 6; ++i) {
            c.scoreTypes[i] = _name("t", i);
        }
        c.owners = new address[](2);
        (c.owners[0], c.owners[1]) = (OWNER, BOTH);
        c.updaters = new address[](2);
        (c.updaters[0], c.updaters[1]) = (UPDATER, BOTH);
    }

    function _data(Creation memory c) internal pure returns (bytes memory) {
        return abi.encodeCall(
            IScoreRegistry.createProject, (c.id, c.name, c.actions, c.owners, c.updaters, c.scoreTypes, c.signedOnly)
        );
    }

    function _name(string memory kind, uint256 i) internal pure returns (string memory) {
        return string(
            abi.encodePacked(
                kind, bytes1(uint8(48 + i / 100)), bytes1(uint8(48 + i / 10 % 10)), bytes1(uint8(48 + i % 10))
            )
        );
    }

    /// @dev A name of so many bytes.
    function _long(string memory prefix, uint256 length) internal pure returns (string memory) {
        bytes memory name = new bytes(length);
        for (uint256 i; i < length; ++i) {
            name[i] = i < bytes(prefix).length ? bytes(prefix)[i] : bytes1("x");
        }
        return string(name);
    }

    // ---------------------------------------------------------------------------------------------------- calls

    /// @dev Calls the registry and its twin, and requires the same of both: the answer or the error, and the events. The
    /// index follows.
    function _try(address from, bytes memory data) internal returns (bool ok, bytes memory returned) {
        Vm.Log[] memory logs;
        (ok, returned, logs) = _call(address(registry), from, data);
        (bool twinOk, bytes memory twinReturned, Vm.Log[] memory twinLogs) = _call(address(twin), from, data);
        require(ok == twinOk, ok ? "done, but the twin refuses" : "refused, but the twin does it");
        require(keccak256(returned) == keccak256(twinReturned), "not the twin's answer");
        require(logs.length == twinLogs.length, "not the twin's number of events");
        for (uint256 i; i < logs.length; ++i) {
            require(logs[i].emitter == address(registry), "an event of another contract");
            bytes memory event_ = abi.encode(logs[i].topics, logs[i].data);
            require(keccak256(event_) == keccak256(abi.encode(twinLogs[i].topics, twinLogs[i].data)), "not its event");
        }
        index.fold(logs);
    }

    function _call(address to, address from, bytes memory data)
        private
        returns (bool ok, bytes memory returned, Vm.Log[] memory logs)
    {
        vm.recordLogs();
        vm.prank(from);
        (ok, returned) = to.call(data);
        logs = vm.getRecordedLogs(); // forge also records what a reverted call emitted
        if (!ok) logs = new Vm.Log[](0);
    }

    /// @dev The call must succeed.
    function _ok(address from, bytes memory data) internal returns (bytes memory) {
        (bool ok, bytes memory returned) = _try(from, data);
        if (!ok) {
            assembly ("memory-safe") {
                revert(add(returned, 32), mload(returned))
            }
        }
        return returned;
    }

    /// @dev The call must revert with exactly this error.
    function _refused(address from, bytes memory data, bytes memory want) internal {
        (bool ok, bytes memory returned) = _try(from, data);
        require(!ok, "was not refused");
        require(keccak256(returned) == keccak256(want), "refused with another error");
    }

    function _create(Creation memory c) internal {
        _ok(RELAYER, _data(c));
    }

    // -------------------------------------------------------------------------------------------------- batches

    /// @return outcomes A byte per update.
    function _apply(Group[] memory groups) internal returns (bytes memory outcomes) {
        return _apply(groups, 0);
    }

    /// @param odd See Frames.encode.
    function _apply(Group[] memory groups, uint256 odd) internal returns (bytes memory outcomes) {
        _ok(RELAYER, abi.encodeCall(IScoreRegistry.applyBatch, (Frames.encode(groups, odd))));
        return index.lastOutcomes();
    }

    function _applyOne(Group memory g) internal returns (bytes memory) {
        return _apply(_alone(g));
    }

    /// @dev One update of the usual project, in a batch of its own.
    function _applyOne(uint8 kind, bytes32 id, address target, uint256 action, uint256 scoreType)
        internal
        returns (uint8)
    {
        return uint8(_applyOne(_group(PROJECT, UPDATER, kind, Record(id, target, uint8(action), uint8(scoreType))))[0]);
    }

    function _alone(Group memory g) internal pure returns (Group[] memory groups) {
        groups = new Group[](1);
        groups[0] = g;
    }

    function _group(bytes32 project, address signer, uint8 kind, Record memory r) internal pure returns (Group memory) {
        Record[] memory records = new Record[](1);
        records[0] = r;
        return _group(project, signer, kind, records, 0);
    }

    /// @param odd See Frames.body.
    function _group(bytes32 project, address signer, uint8 kind, Record[] memory records, uint256 odd)
        internal
        pure
        returns (Group memory)
    {
        return Group(project, signer, kind, records, "", Frames.body(kind, records, odd));
    }

    /// @dev The group with its signer's signature.
    function _signed(Group memory g) internal view returns (Group memory) {
        return _signedBy(_key(g.signer), g);
    }

    function _signedBy(uint256 key, Group memory g) internal view returns (Group memory) {
        g.signature = _sign(key, Frames.digest(Frames.domain(address(registry)), g));
        return g;
    }

    /// @dev The calldata of a signed edit, with the project's next nonce.
    function _signedEdits(
        uint256 key,
        bytes32 project,
        IScoreRegistry.Edit[] memory edits,
        address owner,
        uint256 deadline
    ) internal view returns (bytes memory) {
        uint256 nonce = registry.getProject(project).editNonce;
        bytes32 digest = Frames.editsDigest(Frames.domain(address(registry)), project, edits, nonce, deadline);
        (bytes32 r, bytes32 vs) = vm.signCompact(key, digest);
        return _editsData(project, edits, owner, nonce, deadline, r, vs);
    }

    function _editsData(
        bytes32 project,
        IScoreRegistry.Edit[] memory edits,
        address owner,
        uint256 nonce,
        uint256 deadline,
        bytes32 r,
        bytes32 vs
    ) internal pure returns (bytes memory) {
        return abi.encodeCall(IScoreRegistry.editBySignature, (project, edits, owner, nonce, deadline, r, vs));
    }

    /// @dev An edit with one of the operations on members.
    function _memberEdit(string memory operation, address member) internal pure returns (IScoreRegistry.Edit memory) {
        return IScoreRegistry.Edit(operation, member, "", 0, 0);
    }

    /// @dev An edit of chance, good or not.
    function _someEdit(address[] memory people) internal returns (IScoreRegistry.Edit memory e) {
        string[9] memory operations = [
            "add owner",
            "remove owner",
            "add updater",
            "remove updater",
            "add action",
            "add score type",
            "require signed groups",
            "allow unsigned groups",
            "Add owner"
        ];
        e.operation = operations[_pick(_pick(4) == 0 ? 9 : 8)];
        e.member = _pick(20) == 0 ? address(0) : people[_pick(people.length)];
        e.name = _name(_pick(2) == 0 ? "a" : "t", _pick(14));
        e.points = uint32(_pick(8) == 0 ? _pick(2 ** 32) : 1 + _pick(9));
        e.direction = uint8(_pick(9) / 4);
    }

    function _sign(uint256 key, bytes32 digest) internal pure returns (bytes memory) {
        (bytes32 r, bytes32 vs) = vm.signCompact(key, digest);
        return abi.encodePacked(r, vs);
    }

    function _key(address signer) internal pure returns (uint256) {
        for (uint256 key = 1; key <= 5; ++key) {
            if (vm.addr(key) == signer) return key;
        }
        return 6; // of no account here
    }

    function _update(bytes32 id, string memory action, string memory scoreType, address target)
        internal
        pure
        returns (bytes memory)
    {
        return abi.encodeCall(IScoreRegistry.updateScore, (id, PROJECT, action, scoreType, target));
    }

    // ------------------------------------------------------------------------------------------------ comparing

    /// @dev Everything that can be seen of a project, these people and these wallets is what the twin shows and what the
    /// events tell.
    function _compare(bytes32 project, address[] memory people, address[] memory wallets) internal view {
        IScoreRegistry.ProjectInfo memory info = registry.getProject(project);
        int64[] memory points = index.points(project);
        require(info.createdBlock == index.createdBlock(project), "createdBlock");
        require(info.ownerCount == index.ownerCount(project), "ownerCount");
        require(info.actionCount == points.length, "actionCount");
        require(info.scoreTypeCount == index.scoreTypeCount(project), "scoreTypeCount");
        require(info.signedOnly == index.signedOnly(project), "signedOnly");
        _same(abi.encodeCall(IScoreRegistry.getProject, (project)));
        bytes memory got = _same(abi.encodeCall(IScoreRegistry.getActions, (project)));
        require(keccak256(got) == keccak256(abi.encode(points)), "points");
        uint8[] memory roles = abi.decode(_same(abi.encodeCall(IScoreRegistry.getRoles, (project, people))), (uint8[]));
        for (uint256 i; i < people.length; ++i) {
            require(roles[i] == index.roles(project, people[i]), "roles");
        }
        for (uint256 i; i < wallets.length; ++i) {
            int64[] memory scores = registry.getWalletScores(project, wallets[i]);
            require(scores.length == info.scoreTypeCount, "scores");
            for (uint256 k; k < scores.length; ++k) {
                require(scores[k] == index.scores(project, wallets[i], k), "score");
            }
            _sameScores(project, wallets[i], scores.length);
        }
    }

    /// @dev All 256 ids of a word are used or not as the twin and the index say.
    function _compareWord(bytes32 project, bytes32 word) internal view {
        bytes32[] memory ids = new bytes32[](256);
        for (uint256 i; i < 256; ++i) {
            ids[i] = bytes32(uint256(word) >> 8 << 8 | i);
        }
        bool[] memory used = abi.decode(_same(abi.encodeCall(IScoreRegistry.getUsed, (project, ids))), (bool[]));
        for (uint256 i; i < 256; ++i) {
            require(used[i] == index.applied(project, ids[i]), "used");
        }
    }

    /// @dev All that the wallet has, and that it has nothing of score types that there are none of.
    function _sameScores(bytes32 project, address wallet, uint256 count) private view {
        (address[] memory wallets, uint8[] memory types) = (new address[](count + 8), new uint8[](count + 8));
        for (uint256 i; i < count + 8; ++i) {
            (wallets[i], types[i]) = (wallet, uint8(i < count + 4 ? i : 255 + count + 4 - i));
        }
        _same(abi.encodeCall(IScoreRegistry.getScores, (project, wallets, types)));
        _same(abi.encodeCall(IScoreRegistry.getWalletScores, (project, wallet)));
    }

    /// @dev The registry's view is the twin's, or the same error.
    function _same(bytes memory view_) internal view returns (bytes memory returned) {
        bool ok;
        (ok, returned) = address(registry).staticcall(view_);
        (bool twinOk, bytes memory twinReturned) = address(twin).staticcall(view_);
        require(ok == twinOk && keccak256(returned) == keccak256(twinReturned), "not the twin's view");
    }

    // --------------------------------------------------------------------------------------------------- chance

    /// @dev What random groups are made of. Ids of a word are few, so that they meet again.
    struct World {
        bytes32[] projects;
        address[] signers;
        address[] wallets;
        bytes32[] words;
    }

    /// @dev A group like most, or one with anything wrong that leaves it well framed.
    function _someGroup(World memory w) internal returns (Group memory g) {
        bytes32 project = w.projects[_pick(w.projects.length)];
        address signer = w.signers[_pick(w.signers.length)];
        uint8 kind = uint8(1 + _pick(3));
        g = _group(project, signer, kind, _someRecords(w, kind), _pick(2) == 0 ? 0 : seed);
        if (_pick(3) == 0) _signed(g);
        if (g.signature.length > 0 && _pick(3) == 0) _spoil(g);
    }

    function _someRecords(World memory w, uint8 kind) internal returns (Record[] memory records) {
        uint256 low = _pick(2) == 0 ? _pick(20) : 216 + _pick(18); // up to 255 with 11 steps of 2
        uint256 word = uint256(w.words[_pick(w.words.length)]);
        records = new Record[](1 + _pick(12));
        for (uint256 i; i < records.length; ++i) {
            Record memory r = records[i];
            if (i == 0 || _pick(3) == 0) {
                (r.target, r.scoreType) = (w.wallets[_pick(w.wallets.length)], uint8(_pick(_pick(12) == 0 ? 256 : 6)));
            } else {
                (r.target, r.scoreType) = (records[i - 1].target, records[i - 1].scoreType);
            }
            r.action = uint8(_pick(_pick(12) == 0 ? 256 : 10));
            if (kind == Frames.FREE) word = uint256(w.words[_pick(w.words.length)]);
            if (kind == Frames.WORD) low += i == 0 ? 0 : 1 + _pick(2);
            else low = _pick(2) * 216 + _pick(40);
            r.id = bytes32(word >> 8 << 8 | low);
        }
    }

    /// @dev Makes the group's signature another one, good for something else or for nothing.
    function _spoil(Group memory g) internal {
        uint256 way = _pick(7);
        if (way == 0) g.signature = bytes.concat(bytes32(0), bytes32(_pick(2)));
        else if (way == 1) g.signature[_pick(64)] ^= bytes1(uint8(1 << _pick(8)));
        else if (way == 2) _signedBy(6, g);
        else if (way == 3) _signedBy(1 + _pick(5), g); // who may be the right one
        else if (way == 4) g.project = bytes32(uint256(g.project) ^ 1);
        else if (way == 5) g.signature[32] ^= 0x80;
        else g.signature = bytes.concat(bytes32(seed), bytes32(type(uint256).max)); // s is beyond the curve's order
    }

    /// @dev A number below n, from the seed.
    function _pick(uint256 n) internal returns (uint256) {
        seed = uint256(keccak256(abi.encode(seed)));
        return seed % n;
    }

    /// @dev A revert reason, as bytes.
    function _only(bytes4 selector) internal pure returns (bytes memory) {
        return abi.encodeWithSelector(selector);
    }
}
