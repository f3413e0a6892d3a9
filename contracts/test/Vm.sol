// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// @notice What these tests use of forge's cheat codes; forge-std is not on npm.
interface Vm {
    struct Log {
        bytes32[] topics;
        bytes data;
        address emitter;
    }

    struct Gas {
        uint64 gasLimit;
        uint64 gasTotalUsed;
        uint64 gasMemoryUsed;
        int64 gasRefunded;
        uint64 gasRemaining;
    }

    function prank(address sender) external;
    function assume(bool condition) external pure;
    function roll(uint256 blockNumber) external;
    function warp(uint256 timestamp) external;
    function load(address target, bytes32 slot) external view returns (bytes32);
    function store(address target, bytes32 slot, bytes32 value) external;
    function readFile(string calldata path) external view returns (string memory);
    function parseJsonBytes(string calldata json, string calldata key) external pure returns (bytes memory);
    function recordLogs() external;
    function getRecordedLogs() external returns (Log[] memory);
    function lastCallGas() external view returns (Gas memory);
    function snapshotGasLastCall(string calldata group, string calldata name) external returns (uint256);
    function snapshotValue(string calldata group, string calldata name, uint256 value) external;
}
