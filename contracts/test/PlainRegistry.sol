// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {
    AccessControlDefaultAdminRules
} from "@openzeppelin/contracts/access/extensions/AccessControlDefaultAdminRules.sol";
import {IScoreRegistry} from "../src/IScoreRegistry.sol";
import {Frames, Group, Record} from "./Frames.sol";

/// @notice The registry's twin: the same promises kept in the plainest way there is, one mapping for each thing, no
/// packing, no assembly, no regard to cost. The tests send every call to both and want the same answer, the same events
/// and the same views.
contract PlainRegistry is IScoreRegistry, AccessControlDefaultAdminRules {
    bytes32 public constant RELAYER_ROLE = keccak256("RELAYER_ROLE");

    /// @dev Signatures are made for the registry, not for its twin.
    address private immutable _registry;

    mapping(bytes32 project => ProjectInfo) private _infos;
    mapping(bytes32 project => Action[]) private _actions;
    mapping(bytes32 project => string[]) private _scoreTypes;
    mapping(bytes32 project => mapping(address member => uint8)) private _roles;
    mapping(bytes32 project => mapping(bytes32 updateId => bool)) private _used;
    mapping(bytes32 project => mapping(address wallet => mapping(uint256 scoreType => int64))) private _scores;

    constructor(uint48 delay, address admin, address[] memory relayers, address registry)
        AccessControlDefaultAdminRules(delay, admin)
    {
        for (uint256 i; i < relayers.length; ++i) {
            _grantRole(RELAYER_ROLE, relayers[i]);
        }
        _registry = registry;
    }

    // ------------------------------------------------------------------------------------------------- projects

    struct Creation {
        bytes32 id;
        string name;
        Action[] actions;
        address[] owners;
        address[] updaters;
        string[] scoreTypes;
        bool signedOnly;
    }

    function createProject(
        bytes32,
        string calldata,
        Action[] calldata,
        address[] calldata,
        address[] calldata,
        string[] calldata,
        bool
    ) external onlyRole(RELAYER_ROLE) {
        // More arguments than the stack has room for: one struct, which is written as they are.
        _create(abi.decode(bytes.concat(bytes32(uint256(32)), msg.data[4:]), (Creation)));
    }

    function _create(Creation memory c) private {
        if (_exists(c.id)) revert ProjectExists(c.id);
        _checkName(c.name, 128);
        if (c.actions.length == 0 || c.actions.length > 200) revert ActionCount(c.actions.length);
        if (c.scoreTypes.length == 0 || c.scoreTypes.length > 64) revert ScoreTypeCount(c.scoreTypes.length);
        if (c.owners.length == 0) revert NoOwner();
        uint256 members = c.owners.length + c.updaters.length;
        if (members > 100) revert TooManyMembers(members);
        for (uint256 i; i < c.actions.length; ++i) {
            bool known = _newest(c.id, c.actions[i].name) < 200;
            _addAction(c.id, c.actions[i]);
            if (known) revert DuplicateAction(c.actions[i].name);
        }
        for (uint256 i; i < c.scoreTypes.length; ++i) {
            _addScoreType(c.id, c.scoreTypes[i]);
        }
        for (uint256 i; i < members; ++i) {
            bool owner = i < c.owners.length;
            address member = owner ? c.owners[i] : c.updaters[i - c.owners.length];
            uint8 roles = _roles[c.id][member];
            if (member == address(0)) revert ZeroMember();
            if (roles & (owner ? 2 : 1) != 0) revert DuplicateMember(member);
            _setRoles(c.id, member, roles | (owner ? 2 : 1));
        }
        _infos[c.id].createdBlock = uint64(block.number);
        _infos[c.id].signedOnly = c.signedOnly;
        emit ProjectCreated(c.id, c.name, c.actions, c.owners, c.updaters, c.scoreTypes, c.signedOnly);
    }

    function addAction(bytes32 project, Action calldata action) external {
        _edit(project, Edit("add action", address(0), action.name, action.points, action.direction), msg.sender);
    }

    function addScoreType(bytes32 project, string calldata name) external {
        _edit(project, Edit("add score type", address(0), name, 0, 0), msg.sender);
    }

    function addOwner(bytes32 project, address member) external {
        _edit(project, Edit("add owner", member, "", 0, 0), msg.sender);
    }

    function removeOwner(bytes32 project, address member) external {
        _edit(project, Edit("remove owner", member, "", 0, 0), msg.sender);
    }

    function addUpdater(bytes32 project, address member) external {
        _edit(project, Edit("add updater", member, "", 0, 0), msg.sender);
    }

    function removeUpdater(bytes32 project, address member) external {
        _edit(project, Edit("remove updater", member, "", 0, 0), msg.sender);
    }

    function setSignedOnly(bytes32 project, bool signedOnly) external {
        string memory operation = signedOnly ? "require signed groups" : "allow unsigned groups";
        _edit(project, Edit(operation, address(0), "", 0, 0), msg.sender);
    }

    function editBySignature(
        bytes32 project,
        Edit[] calldata edits,
        address owner,
        uint256 nonce,
        uint256 deadline,
        bytes32 r,
        bytes32 vs
    ) external {
        if (!_exists(project)) revert UnknownProject(project);
        if (deadline < block.timestamp) revert EditExpired(deadline, block.timestamp);
        if (_infos[project].editNonce != nonce) revert WrongEditNonce(project, nonce, _infos[project].editNonce);
        if (_roles[project][owner] & 2 == 0) revert NotOwner(project, owner);
        bytes32 s = vs << 1 >> 1;
        bytes32 digest = Frames.editsDigest(Frames.domain(_registry), project, edits, nonce, deadline);
        if (ecrecover(digest, vs == s ? 27 : 28, r, s) != owner) revert BadEditSignature(project, owner);
        ++_infos[project].editNonce;
        for (uint256 i; i < edits.length; ++i) {
            _apply(project, edits[i], owner);
        }
    }

    function _edit(bytes32 project, Edit memory edit, address by) private {
        if (!_exists(project)) revert UnknownProject(project);
        if (_roles[project][by] & 2 == 0) revert NotOwner(project, by);
        _apply(project, edit, by);
    }

    function _apply(bytes32 project, Edit memory edit, address by) private {
        if (_alike(edit.operation, "add owner")) return _changeRole(project, edit.member, 2, true, by);
        if (_alike(edit.operation, "remove owner")) return _changeRole(project, edit.member, 2, false, by);
        if (_alike(edit.operation, "add updater")) return _changeRole(project, edit.member, 1, true, by);
        if (_alike(edit.operation, "remove updater")) return _changeRole(project, edit.member, 1, false, by);
        if (_alike(edit.operation, "require signed groups")) return _setSignedOnly(project, true, by);
        if (_alike(edit.operation, "allow unsigned groups")) return _setSignedOnly(project, false, by);
        if (_alike(edit.operation, "add action")) {
            uint256 index = _actions[project].length;
            if (index == 200) revert ActionCount(201);
            _addAction(project, Action(edit.name, edit.points, edit.direction));
            emit ActionAdded(project, uint8(index), edit.name, edit.points, edit.direction);
        } else if (_alike(edit.operation, "add score type")) {
            uint256 index = _scoreTypes[project].length;
            if (index == 64) revert ScoreTypeCount(65);
            _addScoreType(project, edit.name);
            emit ScoreTypeAdded(project, uint8(index), edit.name);
        } else {
            revert UnknownOperation(edit.operation);
        }
    }

    function _setSignedOnly(bytes32 project, bool signedOnly, address by) private {
        if (_infos[project].signedOnly == signedOnly) revert SignedOnlyUnchanged(project);
        _infos[project].signedOnly = signedOnly;
        emit SignedOnlySet(project, signedOnly, by);
    }

    // -------------------------------------------------------------------------------------------------- updates

    function updateScore(
        bytes32 id,
        bytes32 project,
        string calldata actionName,
        string calldata scoreType,
        address target
    ) external {
        if (!_exists(project)) revert UnknownProject(project);
        if (_roles[project][msg.sender] == 0) revert NotMember(project, msg.sender);
        if (_used[project][id]) revert DuplicateUpdate(project, id);
        Record memory r = Record(id, target, getActionIndex(project, actionName), getScoreTypeIndex(project, scoreType));
        _apply(project, r);
        _emitUpdate(project, r);
    }

    function _emitUpdate(bytes32 project, Record memory r) private {
        int64 score = _scores[project][r.target][r.scoreType];
        emit ScoreUpdated(project, r.target, msg.sender, r.id, r.action, r.scoreType, score);
    }

    function applyBatch(bytes calldata data) external onlyRole(RELAYER_ROLE) {
        (Group[] memory groups, uint256 brokenAt) = Frames.decode(data);
        if (brokenAt != type(uint256).max) revert BadFraming(brokenAt);
        bytes memory outcomes = new bytes(data.length);
        uint256 n;
        bool skipped;
        for (uint256 i; i < groups.length; ++i) {
            uint8 whole = _outcomeOfAll(groups[i]);
            for (uint256 k; k < groups[i].records.length; ++k) {
                Record memory r = groups[i].records[k];
                uint8 outcome = whole == 0 ? _outcomeOfOne(groups[i].project, r) : whole;
                if (outcome == 0) _apply(groups[i].project, r);
                else skipped = true;
                outcomes[n++] = bytes1(outcome);
            }
        }
        assembly ("memory-safe") {
            mstore(outcomes, mul(n, skipped))
        }
        emit BatchApplied(data, outcomes);
    }

    /// @dev What stands against every update of the group; 0 if nothing does.
    function _outcomeOfAll(Group memory g) private view returns (uint8) {
        if (!_exists(g.project)) return 2;
        if (_roles[g.project][g.signer] == 0) return 3;
        if (g.signature.length == 0) return _infos[g.project].signedOnly ? 8 : 0;
        (uint256 r, uint256 vs) = abi.decode(g.signature, (uint256, uint256));
        bytes32 digest = Frames.digest(Frames.domain(_registry), g);
        address signer = ecrecover(digest, uint8(27 + (vs >> 255)), bytes32(r), bytes32(vs << 1 >> 1));
        return signer == g.signer ? 0 : 9; // the zero address, to which bad signatures recover, is no member
    }

    function _outcomeOfOne(bytes32 project, Record memory r) private view returns (uint8) {
        if (_used[project][r.id]) return 1;
        if (r.action >= _actions[project].length) return 4;
        return r.scoreType >= _scoreTypes[project].length ? 5 : 0;
    }

    function _apply(bytes32 project, Record memory r) private {
        Action storage action = _actions[project][r.action];
        int64 points = int64(uint64(action.points));
        _scores[project][r.target][r.scoreType] += action.direction == 0 ? points : -points;
        _used[project][r.id] = true;
    }

    // ---------------------------------------------------------------------------------------------------- views

    function getProject(bytes32 project) external view returns (ProjectInfo memory) {
        return _infos[project];
    }

    function getRoles(bytes32 project, address[] calldata accounts) external view returns (uint8[] memory roles) {
        roles = new uint8[](accounts.length);
        for (uint256 i; i < accounts.length; ++i) {
            roles[i] = _roles[project][accounts[i]];
        }
    }

    function getActions(bytes32 project) external view returns (int64[] memory points) {
        points = new int64[](_actions[project].length);
        for (uint256 i; i < points.length; ++i) {
            Action storage action = _actions[project][i];
            points[i] = int64(uint64(action.points)) * (action.direction == 0 ? int64(1) : int64(-1));
        }
    }

    function getActionIndex(bytes32 project, string calldata name) public view returns (uint8) {
        uint256 index = _newest(project, name);
        if (index == type(uint256).max) revert UnknownAction(name);
        return uint8(index);
    }

    function getScoreTypeIndex(bytes32 project, string calldata name) public view returns (uint8) {
        uint256 index = _scoreType(project, name);
        if (index == type(uint256).max) revert UnknownScoreType(name);
        return uint8(index);
    }

    function getUsed(bytes32 project, bytes32[] calldata ids) external view returns (bool[] memory used) {
        used = new bool[](ids.length);
        for (uint256 i; i < ids.length; ++i) {
            used[i] = _used[project][ids[i]];
        }
    }

    function getScore(bytes32 project, address wallet, string calldata scoreType) external view returns (int64) {
        return _scores[project][wallet][getScoreTypeIndex(project, scoreType)];
    }

    function getWalletScores(bytes32 project, address wallet) external view returns (int64[] memory scores) {
        scores = new int64[](_scoreTypes[project].length);
        for (uint256 i; i < scores.length; ++i) {
            scores[i] = _scores[project][wallet][i];
        }
    }

    function getScores(bytes32 project, address[] calldata wallets, uint8[] calldata scoreTypes)
        external
        view
        returns (int64[] memory scores)
    {
        if (wallets.length != scoreTypes.length) revert LengthMismatch(wallets.length, scoreTypes.length);
        scores = new int64[](wallets.length);
        for (uint256 i; i < wallets.length; ++i) {
            scores[i] = _scores[project][wallets[i]][scoreTypes[i]];
        }
    }

    // -------------------------------------------------------------------------------------------------- helpers

    function _exists(bytes32 project) private view returns (bool) {
        return _infos[project].createdBlock != 0;
    }

    function _addAction(bytes32 project, Action memory action) private {
        _checkName(action.name, 64);
        if (action.points == 0 || action.points > 2 ** 31 - 1) revert PointsOutOfRange(action.points);
        if (action.direction > 1) revert InvalidDirection(action.direction);
        _actions[project].push(action);
        _infos[project].actionCount = uint8(_actions[project].length);
    }

    function _addScoreType(bytes32 project, string memory name) private {
        _checkName(name, 64);
        if (_scoreType(project, name) < 64) revert DuplicateScoreType(name);
        _scoreTypes[project].push(name);
        _infos[project].scoreTypeCount = uint8(_scoreTypes[project].length);
    }

    function _changeRole(bytes32 project, address member, uint8 role, bool give, address by) private {
        if (member == address(0)) revert ZeroMember();
        uint8 roles = _roles[project][member];
        if ((roles & role != 0) == give) revert RoleUnchanged(project, member);
        if (role == 2 && !give && _infos[project].ownerCount == 1) revert LastOwner(project);
        _setRoles(project, member, roles ^ role);
        emit MemberChanged(project, member, roles ^ role, by);
    }

    function _setRoles(bytes32 project, address member, uint8 roles) private {
        uint8 before = _roles[project][member];
        if (before & 2 != 0) --_infos[project].ownerCount;
        if (roles & 2 != 0) ++_infos[project].ownerCount;
        _roles[project][member] = roles;
    }

    /// @dev The index of the newest action of that name, or all ones.
    function _newest(bytes32 project, string memory name) private view returns (uint256) {
        for (uint256 i = _actions[project].length; i > 0; --i) {
            if (_alike(_actions[project][i - 1].name, name)) return i - 1;
        }
        return type(uint256).max;
    }

    /// @dev The index of the score type of that name, or all ones.
    function _scoreType(bytes32 project, string memory name) private view returns (uint256) {
        for (uint256 i; i < _scoreTypes[project].length; ++i) {
            if (_alike(_scoreTypes[project][i], name)) return i;
        }
        return type(uint256).max;
    }

    function _alike(string memory a, string memory b) private pure returns (bool) {
        return keccak256(bytes(a)) == keccak256(bytes(b));
    }

    function _checkName(string memory name, uint256 max) private pure {
        if (bytes(name).length == 0 || bytes(name).length > max) revert NameLength(bytes(name).length, max);
    }
}
