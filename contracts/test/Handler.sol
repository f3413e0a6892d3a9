// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {IAccessControl} from "@openzeppelin/contracts/access/IAccessControl.sol";
import {
    IAccessControlDefaultAdminRules
} from "@openzeppelin/contracts/access/extensions/IAccessControlDefaultAdminRules.sol";
import {IScoreRegistry} from "../src/IScoreRegistry.sol";
import {Base} from "./Base.sol";
import {Frames, Group, Record} from "./Frames.sol";

/// @notice Does anything that any account may do to a registry, good and bad, in any order, by every function it has. The twin must
/// answer each step as the registry does, and the index follows the events; see Base.
contract Handler is Base {
    /// @dev How often each outcome was met, and each of the registry's answers to direct calls (0: it succeeded).
    mapping(uint8 outcome => uint256) public outcomesSeen;
    mapping(bytes4 selector => mapping(bytes4 err => uint256)) public answersSeen;

    constructor() {
        _deploy();
        vm.warp(1e9);
    }

    // ---------------------------------------------------------------------------------------------------- steps

    function createProject(uint256 chance) external {
        seed = chance;
        Creation memory c;
        c.id = _project();
        c.name = "project";
        c.signedOnly = _pick(3) == 0;
        c.actions = new IScoreRegistry.Action[](1 + _pick(12));
        for (uint256 i; i < c.actions.length; ++i) {
            c.actions[i] =
                IScoreRegistry.Action(_name("a", i), uint32(_pick(3) == 0 ? MAX : 1 + _pick(9)), uint8(_pick(2)));
        }
        c.scoreTypes = new string[](1 + _pick(6));
        for (uint256 i; i < c.scoreTypes.length; ++i) {
            c.scoreTypes[i] = _name("t", i);
        }
        (c.owners, c.updaters) = (new address[](1 + _pick(2)), new address[](_pick(3)));
        uint256 first = _pick(5);
        for (uint256 i; i < c.owners.length; ++i) {
            c.owners[i] = _personAt(first + i);
        }
        for (uint256 i; i < c.updaters.length; ++i) {
            c.updaters[i] = _personAt(first + 1 + i);
        }
        _step(_relayer(), _data(c));
    }

    function applyBatch(uint256 chance) external {
        seed = chance;
        if (_step(_relayer(), abi.encodeCall(IScoreRegistry.applyBatch, (_someBatch()))) != 0) return;
        bytes memory outcomes = index.lastOutcomes();
        for (uint256 i; i < outcomes.length; ++i) {
            ++outcomesSeen[uint8(outcomes[i])];
        }
    }

    /// @dev A good batch with a broken end.
    function applyBroken(uint256 chance) external {
        seed = chance;
        bytes memory data = bytes.concat(_someBatch(), new bytes(1 + _pick(200)));
        _step(RELAYER, abi.encodeCall(IScoreRegistry.applyBatch, (data)));
    }

    /// @dev A batch that was good when a relayer sent it is worth nothing when it is sent again.
    function replay(uint256 chance) external {
        seed = chance;
        bytes memory data = abi.encodeCall(IScoreRegistry.applyBatch, (_someBatch()));
        address relayer = _relayer();
        if (_step(relayer, data) != 0) return;
        int64[] memory before = _scores();
        _step(relayer, data);
        bytes memory outcomes = index.lastOutcomes();
        for (uint256 i; i < outcomes.length; ++i) {
            require(outcomes[i] != 0, "applied twice");
        }
        require(keccak256(abi.encode(before)) == keccak256(abi.encode(_scores())), "a score changed");
    }

    function updateScore(uint256 chance) external {
        seed = chance;
        (bytes32 project, address member, bytes32 id) = (_project(), _person(), _id());
        (string memory action, string memory scoreType) = (_name("a", _pick(15)), _name("t", _pick(10)));
        _step(member, abi.encodeCall(IScoreRegistry.updateScore, (id, project, action, scoreType, _wallet())));
    }

    function addAction(uint256 chance) external {
        seed = chance;
        IScoreRegistry.Action memory a =
            IScoreRegistry.Action(_name("a", _pick(14)), uint32(_pick(2 ** 32)), uint8(_pick(9) / 4));
        _step(_person(), abi.encodeCall(IScoreRegistry.addAction, (_project(), a)));
    }

    function addScoreType(uint256 chance) external {
        seed = chance;
        _step(_person(), abi.encodeCall(IScoreRegistry.addScoreType, (_project(), _name("t", _pick(9)))));
    }

    function addOwner(uint256 chance) external {
        seed = chance;
        _step(_person(), abi.encodeCall(IScoreRegistry.addOwner, (_project(), _memberOrNone())));
    }

    function removeOwner(uint256 chance) external {
        seed = chance;
        (bytes32 project, address member) = (_project(), _memberOrNone());
        _step(_person(), abi.encodeCall(IScoreRegistry.removeOwner, (project, member)));
        _removed(project, member);
    }

    function addUpdater(uint256 chance) external {
        seed = chance;
        _step(_person(), abi.encodeCall(IScoreRegistry.addUpdater, (_project(), _memberOrNone())));
    }

    function removeUpdater(uint256 chance) external {
        seed = chance;
        (bytes32 project, address member) = (_project(), _memberOrNone());
        _step(_person(), abi.encodeCall(IScoreRegistry.removeUpdater, (project, member)));
        _removed(project, member);
    }

    function setSignedOnly(uint256 chance) external {
        seed = chance;
        bytes32 project = _project();
        bool signedOnly = _pick(6) == 0 ? index.signedOnly(project) : !index.signedOnly(project);
        _step(_person(), abi.encodeCall(IScoreRegistry.setSignedOnly, (project, signedOnly)));
    }

    /// @dev Edits that someone signed, brought by a stranger; and again, when they must be worth nothing.
    function editBySignature(uint256 chance) external {
        seed = chance;
        (bytes32 project, address owner) = (_project(), _person());
        for (uint256 i; i < 4 && index.roles(project, owner) & 2 == 0; ++i) {
            owner = _person();
        }
        IScoreRegistry.Edit[] memory edits = new IScoreRegistry.Edit[](_pick(10) == 0 ? 0 : 1 + _pick(3));
        for (uint256 i; i < edits.length; ++i) {
            edits[i] = _someEdit(people());
        }
        uint256 key = _pick(12) == 0 ? 1 + _pick(5) : _key(owner);
        uint256 deadline = _pick(12) == 0 ? block.timestamp - 1 : block.timestamp + _pick(9);
        uint256 nonce = registry.getProject(project).editNonce;
        bytes memory data = _signedEdits(key, project, edits, owner, deadline);
        if (_pick(12) == 0) data[4 + 32 * 3 + 31] ^= 0x01; // the nonce
        bytes4 got = _step(_person(), data);
        require(registry.getProject(project).editNonce == nonce + (got == 0 ? 1 : 0), "editNonce");
        if (got != 0) return;
        require(key == _key(owner), "signed by another");
        require(_step(owner, data) == IScoreRegistry.WrongEditNonce.selector, "edited twice");
    }

    // ------------------------------------------------------------------------------------------- access control

    /// @dev Relayers come and go.
    function changeRelayer(uint256 chance) external {
        seed = chance;
        (address caller, address account) =
            (_pick(4) == 0 ? _person() : registry.defaultAdmin(), _pick(2) == 0 ? RELAYER : _person());
        bytes32 role = registry.RELAYER_ROLE();
        uint256 way = _pick(4);
        if (way == 0) _step(caller, abi.encodeCall(IAccessControl.grantRole, (role, account)));
        else if (way == 1) _step(caller, abi.encodeCall(IAccessControl.revokeRole, (role, account)));
        else if (way == 2) _step(account, abi.encodeCall(IAccessControl.renounceRole, (role, account)));
        else _step(registry.defaultAdmin(), abi.encodeCall(IAccessControl.grantRole, (role, RELAYER)));
    }

    /// @dev The admin transfers its role, after the delay; never the other roles, never at once.
    function changeAdmin(uint256 chance) external {
        seed = chance;
        address admin = registry.defaultAdmin();
        (address next, uint48 due) = registry.pendingDefaultAdmin();
        uint256 way = _pick(8);
        if (way < 3) {
            address to = _pick(2) == 0 ? ADMIN : _person();
            _step(
                _pick(3) == 0 ? _person() : admin,
                abi.encodeCall(IAccessControlDefaultAdminRules.beginDefaultAdminTransfer, (to))
            );
        } else if (way < 4) {
            _step(admin, abi.encodeCall(IAccessControlDefaultAdminRules.cancelDefaultAdminTransfer, ()));
        } else if (way < 7) {
            if (_pick(2) == 0) vm.warp(block.timestamp + _pick(2 * uint256(DELAY)));
            bool may = due != 0 && due < block.timestamp;
            address caller = _pick(4) == 0 ? _person() : next;
            bytes4 got = _step(caller, abi.encodeCall(IAccessControlDefaultAdminRules.acceptDefaultAdminTransfer, ()));
            require((got == 0) == (may && caller == next), "who accepted?");
        } else {
            bytes4 got = _step(admin, abi.encodeCall(IAccessControl.grantRole, (bytes32(0), _person())));
            require(got != 0, "two admins");
        }
    }

    // ------------------------------------------------------------------------------------------------ comparing

    /// @dev Everything that can be seen of the registry is what the model has.
    function compare() external view {
        for (uint256 i; i < 3; ++i) {
            _compare(_projectAt(i), people(), wallets());
        }
    }

    /// @dev So are the used ids: all of every word that steps use.
    function compareIds() external view {
        for (uint256 i; i < 3; ++i) {
            for (uint256 k; k < 3; ++k) {
                _compareWord(_projectAt(i), _wordAt(k));
            }
        }
    }

    /// @dev Every project has an owner, and its count is right: only these people can be owners.
    function compareOwners() external view {
        for (uint256 i; i < 3; ++i) {
            IScoreRegistry.ProjectInfo memory info = registry.getProject(_projectAt(i));
            uint8[] memory roles = registry.getRoles(_projectAt(i), people());
            uint256 owners;
            for (uint256 k; k < roles.length; ++k) {
                if (roles[k] & 2 != 0) ++owners;
            }
            require(info.ownerCount == owners, "ownerCount");
            require(info.createdBlock == 0 || owners > 0, "no owner");
        }
    }

    function people() public pure returns (address[] memory all) {
        all = new address[](5);
        for (uint256 i; i < 5; ++i) {
            all[i] = _personAt(i);
        }
    }

    function wallets() public pure returns (address[] memory all) {
        all = new address[](4);
        for (uint256 i; i < 4; ++i) {
            all[i] = _walletAt(i);
        }
    }

    /// @dev An account that is no member can do nothing to the project, one that is no relayer can bring no batch.
    function compareRights() external {
        for (uint256 i; i < 5; ++i) {
            address person = _personAt(i);
            require(registry.hasRole(registry.RELAYER_ROLE(), person) == index.relayer(person), "a relayer");
            for (uint256 k; k < 3; ++k) {
                _removed(_projectAt(k), person);
            }
        }
    }

    // --------------------------------------------------------------------------------------------------- helpers

    /// @return got The error, or 0.
    function _step(address from, bytes memory data) private returns (bytes4 got) {
        (bool ok, bytes memory returned) = _try(from, data);
        if (!ok) got = bytes4(returned);
        ++answersSeen[bytes4(data)][got];
    }

    /// @dev A role that was removed is gone: for edits, direct updates and groups, signed or not. (The probes change nothing:
    /// either the person may not, or there is no such action.)
    function _removed(bytes32 project, address person) private {
        uint8 roles = index.roles(project, person);
        Group memory g = _group(project, person, Frames.FREE, Record(bytes32("probe"), person, 255, 0));
        if (roles == 0) {
            require(_outcome(g) == (index.createdBlock(project) == 0 ? 2 : 3), "a member's group");
            require(_outcome(_signed(g)) == (index.createdBlock(project) == 0 ? 2 : 3), "a member's signed group");
        }
        bytes memory data =
            abi.encodeCall(IScoreRegistry.updateScore, (bytes32("probe"), project, "none", "none", person));
        bytes4 want = index.createdBlock(project) == 0
            ? IScoreRegistry.UnknownProject.selector
            : roles == 0 ? IScoreRegistry.NotMember.selector : IScoreRegistry.UnknownAction.selector;
        require(_step(person, data) == want, "a member's update");
        want = index.createdBlock(project) == 0
            ? IScoreRegistry.UnknownProject.selector
            : roles & 2 == 0 ? IScoreRegistry.NotOwner.selector : IScoreRegistry.NameLength.selector;
        require(_step(person, abi.encodeCall(IScoreRegistry.addScoreType, (project, ""))) == want, "an owner's edit");
    }

    /// @dev Of a group's only update, whether or not there is a relayer.
    function _outcome(Group memory g) private returns (uint8) {
        bytes memory grant = abi.encodeCall(IAccessControl.grantRole, (registry.RELAYER_ROLE(), RELAYER));
        if (!index.relayer(RELAYER)) _ok(registry.defaultAdmin(), grant);
        return uint8(_applyOne(g)[0]);
    }

    /// @dev All that the registry has.
    function _scores() private view returns (int64[] memory scores) {
        scores = new int64[](3 * 4 * 9);
        for (uint256 i; i < 3; ++i) {
            for (uint256 k; k < 4; ++k) {
                int64[] memory some = registry.getWalletScores(_projectAt(i), _walletAt(k));
                for (uint256 t; t < some.length; ++t) {
                    scores[(i * 4 + k) * 9 + t] = some[t];
                }
            }
        }
    }

    function _someBatch() private returns (bytes memory) {
        World memory w = World(new bytes32[](8), people(), wallets(), new bytes32[](3));
        for (uint256 i; i < 8; ++i) {
            w.projects[i] = _projectAt(i == 0 ? 2 : i % 2);
            if (i < 3) w.words[i] = _wordAt(i);
        }
        Group[] memory groups = new Group[](1 + _pick(4));
        for (uint256 i; i < groups.length; ++i) {
            groups[i] = _someGroup(w);
        }
        return Frames.encode(groups, _pick(2) == 0 ? 0 : seed);
    }

    function _relayer() private returns (address) {
        return _pick(6) == 0 ? _person() : RELAYER;
    }

    function _project() private returns (bytes32) {
        return _projectAt(_pick(8) == 0 ? 2 : _pick(2)); // the third comes late, so that it is often missed
    }

    function _person() private returns (address) {
        return _personAt(_pick(5));
    }

    function _memberOrNone() private returns (address) {
        return _pick(20) == 0 ? address(0) : _person();
    }

    function _wallet() private returns (address) {
        return _walletAt(_pick(4));
    }

    /// @dev Half of them so few that ids meet again, both ends of the word among them.
    function _id() private returns (bytes32) {
        if (_pick(2) == 0) return bytes32(seed);
        return _wordAt(_pick(3)) | bytes32(_pick(2) * 216 + _pick(40));
    }

    function _projectAt(uint256 i) private pure returns (bytes32) {
        if (i == 0) return bytes32(0);
        return i == 1 ? bytes32(type(uint256).max) : keccak256("project");
    }

    function _personAt(uint256 i) private pure returns (address) {
        return vm.addr(1 + i % 5);
    }

    function _walletAt(uint256 i) private pure returns (address) {
        if (i == 0) return address(0);
        return i == 1 ? address(type(uint160).max) : _personAt(i); // members have scores, too
    }

    function _wordAt(uint256 i) private pure returns (bytes32) {
        if (i == 0) return bytes32(0);
        return i == 1 ? bytes32(uint256(1) << 8) : bytes32(type(uint256).max << 8);
    }
}
