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
    function addr(uint256 key) external pure returns (address);
    function signCompact(uint256 key, bytes32 digest) external pure returns (bytes32 r, bytes32 vs);
    function envOr(string calldata name, string calldata otherwise) external view returns (string memory);
    function getCode(string calldata path) external view returns (bytes memory);
    function chainId(uint256 id) external;
    function record() external;
    function accesses(address target) external returns (bytes32[] memory reads, bytes32[] memory writes);
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
