// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {IScoreRegistry} from "../src/IScoreRegistry.sol";
import {Compared} from "./Compared.sol";
import {Frames, Group, Record} from "./Frames.sol";

/// @notice What the tests make: projects, batches, signatures, by hand and by chance.
abstract contract Base is Compared {
    /// @dev The addresses of the keys 1 to 5, see _sign.
    address internal constant OWNER = 0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf;
    address internal constant UPDATER = 0x2B5AD5c4795c026514f8317c7a215E218DcCD6cF;
    address internal constant BOTH = 0x6813Eb9362372EEF6200f3b1dbC3f819671cBA69;
    address internal constant STRANGER = 0x1efF47bc3a10a45D4B230B5d10E37751FE6AA718;
    address internal constant OTHER = 0xe1AB8145F7E55DC933d51a18c793F901A3A0b276;
    bytes32 internal constant PROJECT = keccak256("project");
    uint256 internal constant MAX = 2 ** 31 - 1;

    uint256 internal seed;

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
