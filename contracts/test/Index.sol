// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {IScoreRegistry} from "../src/IScoreRegistry.sol";
import {Vm} from "./Vm.sol";
import {Frames, Group, Record} from "./Frames.sol";

/// @notice The model: everything the registry holds, rebuilt from its events alone, in plain mappings. It reverts when
/// an event breaks its promise, such as an update that is applied twice.
contract Index {
    mapping(bytes32 project => uint64) public createdBlock;
    mapping(bytes32 project => uint256) public ownerCount;
    mapping(bytes32 project => mapping(address member => uint8)) public roles;
    mapping(bytes32 project => mapping(bytes32 updateId => bool)) public applied;
    mapping(bytes32 project => mapping(address wallet => mapping(uint256 scoreType => int256))) public scores;
    mapping(bytes32 project => string[]) private _actionNames;
    mapping(bytes32 project => int64[]) private _points;
    mapping(bytes32 project => string[]) private _scoreTypes;

    /// @dev The ids a batch would apply, while its outcomes are foretold.
    mapping(uint256 telling => mapping(bytes32 project => mapping(bytes32 updateId => bool))) private _foretold;
    uint256 private _telling;

    function points(bytes32 project) external view returns (int64[] memory) {
        return _points[project];
    }

    function scoreTypeCount(bytes32 project) external view returns (uint256) {
        return _scoreTypes[project].length;
    }

    /// @return index The newest action of that name, or all ones.
    function actionIndex(bytes32 project, string calldata name) external view returns (uint256 index) {
        return _last(_actionNames[project], name);
    }

    /// @return index The score type of that name, or all ones.
    function scoreTypeIndex(bytes32 project, string calldata name) external view returns (uint256 index) {
        return _last(_scoreTypes[project], name);
    }

    /// @notice What must become of each update of the batch, by the order of checks the contract promises.
    function foretell(Group[] memory groups) external returns (bytes memory outcomes) {
        ++_telling;
        for (uint256 i; i < groups.length; ++i) {
            for (uint256 k; k < groups[i].records.length; ++k) {
                outcomes = bytes.concat(outcomes, bytes1(_foretell(groups[i], groups[i].records[k])));
            }
        }
    }

    function _foretell(Group memory g, Record memory r) private returns (uint8) {
        if (createdBlock[g.project] == 0) return 2;
        if (roles[g.project][g.signer] == 0) return 3;
        if (applied[g.project][r.id] || _foretold[_telling][g.project][r.id]) return 1;
        if (r.action >= _points[g.project].length) return 4;
        if (r.scoreType >= _scoreTypes[g.project].length) return 5;
        _foretold[_telling][g.project][r.id] = true;
        return 0;
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
            string[] memory scoreTypes
        ) = abi.decode(data, (string, IScoreRegistry.Action[], address[], address[], string[]));
        createdBlock[project] = uint64(block.number);
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
        bool skipped;
        for (uint256 i; i < groups.length; ++i) {
            for (uint256 k; k < groups[i].records.length; ++k) {
                if (outcomes.length == 0 || outcomes[n] == 0) _apply(groups[i].project, groups[i].records[k]);
                else skipped = true;
                ++n;
            }
        }
        require(skipped ? outcomes.length == n : outcomes.length == 0, "outcomes of another length");
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
        if (roles[project][member] & 2 != 0) --ownerCount[project];
        if (changed & 2 != 0) ++ownerCount[project];
        roles[project][member] = changed;
    }

    function _last(string[] storage names, string calldata name) private view returns (uint256) {
        for (uint256 i = names.length; i > 0; --i) {
            if (keccak256(bytes(names[i - 1])) == keccak256(bytes(name))) return i - 1;
        }
        return type(uint256).max;
    }
}
