// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {IAccessControl} from "@openzeppelin/contracts/access/IAccessControl.sol";
import {
    IAccessControlDefaultAdminRules
} from "@openzeppelin/contracts/access/extensions/IAccessControlDefaultAdminRules.sol";
import {IScoreRegistry} from "../src/IScoreRegistry.sol";
import {Vm} from "./Vm.sol";
import {Frames, Group, Record} from "./Frames.sol";

/// @notice The model: everything the registry holds, rebuilt from its events alone, in plain mappings. It reverts when
/// an event breaks its promise, such as an update that is applied twice.
contract Index {
    mapping(bytes32 project => uint64) public createdBlock;
    mapping(bytes32 project => uint256) public ownerCount;
    mapping(bytes32 project => bool) public signedOnly;
    mapping(address account => bool) public relayer;
    mapping(bytes32 project => mapping(address member => uint8)) public roles;
    mapping(bytes32 project => mapping(bytes32 updateId => bool)) public applied;
    mapping(bytes32 project => mapping(address wallet => mapping(uint256 scoreType => int256))) public scores;
    mapping(bytes32 project => string[]) private _actionNames;
    mapping(bytes32 project => int64[]) private _points;
    mapping(bytes32 project => string[]) private _scoreTypes;

    /// @dev What became of each update of the last batch.
    bytes private _outcomes;

    function lastOutcomes() external view returns (bytes memory) {
        return _outcomes;
    }

    function points(bytes32 project) external view returns (int64[] memory) {
        return _points[project];
    }

    function scoreTypeCount(bytes32 project) external view returns (uint256) {
        return _scoreTypes[project].length;
    }

    function actionName(bytes32 project, uint256 i) external view returns (string memory) {
        return _actionNames[project][i];
    }

    function scoreTypeName(bytes32 project, uint256 i) external view returns (string memory) {
        return _scoreTypes[project][i];
    }

    /// @notice Takes the registry's logs in their order; others do not belong here.
    function fold(Vm.Log[] calldata logs) external {
        for (uint256 i; i < logs.length; ++i) {
            _fold(logs[i].topics, logs[i].data);
        }
    }

    function _fold(bytes32[] calldata topics, bytes calldata data) private {
        bytes32 topic = topics[0];
        if (topic == IScoreRegistry.BatchApplied.selector) return _foldBatch(data);
        if (_isAccessControl(topic)) return _foldAccessControl(topics);
        bytes32 project = topics[1];
        if (topic == IScoreRegistry.ProjectCreated.selector) return _foldCreation(project, data);
        require(createdBlock[project] != 0, "an event of a project that does not exist");
        if (topic == IScoreRegistry.ActionAdded.selector) {
            (uint8 index, string memory name, uint32 value, uint8 direction) =
                abi.decode(data, (uint8, string, uint32, uint8));
            require(index == _points[project].length, "a gap in the actions");
            _addAction(project, name, value, direction);
        } else if (topic == IScoreRegistry.ScoreTypeAdded.selector) {
            (uint8 index, string memory name) = abi.decode(data, (uint8, string));
            require(index == _scoreTypes[project].length, "a gap in the score types");
            _scoreTypes[project].push(name);
        } else if (topic == IScoreRegistry.MemberChanged.selector) {
            _setRoles(project, address(uint160(uint256(topics[2]))), abi.decode(data, (uint8)));
        } else if (topic == IScoreRegistry.SignedOnlySet.selector) {
            bool changed = abi.decode(data, (bool));
            require(changed != signedOnly[project], "no change");
            signedOnly[project] = changed;
        } else if (topic == IScoreRegistry.ScoreUpdated.selector) {
            address target = address(uint160(uint256(topics[2])));
            (bytes32 id, uint8 action, uint8 scoreType, int64 score) = abi.decode(data, (bytes32, uint8, uint8, int64));
            _apply(project, Record(id, target, action, scoreType));
            require(scores[project][target][scoreType] == score, "the event's score is not the sum");
        } else {
            revert("an unknown event");
        }
    }

    function _foldCreation(bytes32 project, bytes calldata data) private {
        require(createdBlock[project] == 0, "created twice");
        (
            ,
            IScoreRegistry.Action[] memory actions,
            address[] memory owners,
            address[] memory updaters,
            string[] memory scoreTypes,
            bool onlySigned
        ) = abi.decode(data, (string, IScoreRegistry.Action[], address[], address[], string[], bool));
        createdBlock[project] = uint64(block.number);
        signedOnly[project] = onlySigned;
        for (uint256 i; i < actions.length; ++i) {
            _addAction(project, actions[i].name, actions[i].points, actions[i].direction);
        }
        for (uint256 i; i < owners.length; ++i) {
            _setRoles(project, owners[i], 2);
        }
        for (uint256 i; i < updaters.length; ++i) {
            _setRoles(project, updaters[i], roles[project][updaters[i]] | 1);
        }
        for (uint256 i; i < scoreTypes.length; ++i) {
            _scoreTypes[project].push(scoreTypes[i]);
        }
    }

    function _foldBatch(bytes calldata data) private {
        (bytes memory frames, bytes memory outcomes) = abi.decode(data, (bytes, bytes));
        (Group[] memory groups, uint256 brokenAt) = Frames.decode(frames);
        require(brokenAt == type(uint256).max, "an event with broken framing");
        uint256 n;
        for (uint256 i; i < groups.length; ++i) {
            n += groups[i].records.length;
        }
        if (outcomes.length == 0) outcomes = new bytes(n);
        else require(keccak256(outcomes) != keccak256(new bytes(n)), "outcomes that say nothing");
        require(outcomes.length == n, "outcomes of another length");
        _outcomes = outcomes;
        n = 0;
        for (uint256 i; i < groups.length; ++i) {
            for (uint256 k; k < groups[i].records.length; ++k) {
                if (outcomes[n++] == 0) _apply(groups[i].project, groups[i].records[k]);
            }
        }
    }

    function _apply(bytes32 project, Record memory r) private {
        require(!applied[project][r.id], "applied twice");
        require(r.scoreType < _scoreTypes[project].length, "applied to no score type");
        applied[project][r.id] = true;
        scores[project][r.target][r.scoreType] += _points[project][r.action];
    }

    function _addAction(bytes32 project, string memory name, uint32 value, uint8 direction) private {
        _actionNames[project].push(name);
        _points[project].push(direction == 0 ? int64(uint64(value)) : -int64(uint64(value)));
    }

    function _setRoles(bytes32 project, address member, uint8 changed) private {
        uint8 before = roles[project][member];
        require(before != changed, "no change");
        if (before & 2 != 0) --ownerCount[project];
        if (changed & 2 != 0) ++ownerCount[project];
        roles[project][member] = changed;
    }

    function _isAccessControl(bytes32 topic) private pure returns (bool) {
        return topic == IAccessControl.RoleGranted.selector || topic == IAccessControl.RoleRevoked.selector
            || topic == IAccessControlDefaultAdminRules.DefaultAdminTransferScheduled.selector
            || topic == IAccessControlDefaultAdminRules.DefaultAdminTransferCanceled.selector
            || topic == IAccessControlDefaultAdminRules.DefaultAdminDelayChangeScheduled.selector
            || topic == IAccessControlDefaultAdminRules.DefaultAdminDelayChangeCanceled.selector;
    }

    function _foldAccessControl(bytes32[] calldata topics) private {
        bool granted = topics[0] == IAccessControl.RoleGranted.selector;
        if (!granted && topics[0] != IAccessControl.RoleRevoked.selector) return;
        if (topics[1] == keccak256("RELAYER_ROLE")) relayer[address(uint160(uint256(topics[2])))] = granted;
    }
}
