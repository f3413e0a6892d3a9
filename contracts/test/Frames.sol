// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// @notice One update of a batch.
struct Record {
    bytes32 id;
    address target;
    uint8 action;
    uint8 scoreType;
}

/// @notice The updates of one project, signer and kind. In a group of kind WORD all ids begin like the first one's.
struct Group {
    bytes32 project;
    address signer;
    uint8 kind;
    Record[] records;
}

/// @notice The calldata format of applyBatch, both ways, written without regard to cost.
library Frames {
    uint8 internal constant WORD = 1;
    uint8 internal constant FREE = 2;

    function encode(Group[] memory groups) internal pure returns (bytes memory out) {
        for (uint256 i; i < groups.length; ++i) {
            out = bytes.concat(out, encode(groups[i]));
        }
    }

    function encode(Group memory g) internal pure returns (bytes memory out) {
        bytes memory head = abi.encodePacked(g.project, g.signer, g.kind, uint16(g.records.length));
        if (g.kind == WORD) head = bytes.concat(head, bytes31(g.records[0].id));
        uint256 size = g.kind == WORD ? 23 : 54;
        out = new bytes(head.length + size * g.records.length + 32); // the last record is written with a tail
        _put(out, 0, head);
        for (uint256 i; i < g.records.length; ++i) {
            Record memory r = g.records[i];
            bytes memory record = g.kind == WORD
                ? abi.encodePacked(uint8(uint256(r.id)), r.target, r.action, r.scoreType)
                : abi.encodePacked(r.id, r.target, r.action, r.scoreType);
            _put(out, head.length + size * i, record);
        }
        uint256 length = out.length - 32;
        assembly ("memory-safe") {
            mstore(out, length)
        }
    }

    /// @return groups The groups, if the bytes are well framed.
    /// @return brokenAt Where the first broken group starts, or all ones.
    function decode(bytes memory data) internal pure returns (Group[] memory groups, uint256 brokenAt) {
        groups = new Group[](data.length / 78 + 1);
        uint256 count;
        uint256 pos;
        if (data.length == 0) return (groups, 0);
        while (pos < data.length) {
            (Group memory g, uint256 next) = _group(data, pos);
            if (next == 0) return (groups, pos);
            groups[count++] = g;
            pos = next;
        }
        assembly ("memory-safe") {
            mstore(groups, count)
        }
        return (groups, type(uint256).max);
    }

    function _group(bytes memory data, uint256 pos) private pure returns (Group memory g, uint256 next) {
        if (data.length < pos + 55) return (g, 0);
        g.project = bytes32(_take(data, pos, 32));
        g.signer = address(uint160(_take(data, pos + 32, 20)));
        g.kind = uint8(_take(data, pos + 52, 1));
        uint256 count = _take(data, pos + 53, 2);
        pos += 55;
        if (count == 0 || (g.kind != WORD && g.kind != FREE)) return (g, 0);
        uint256 word;
        if (g.kind == WORD) {
            if (data.length < pos + 31) return (g, 0);
            word = _take(data, pos, 31);
            pos += 31;
        }
        uint256 idBytes = g.kind == WORD ? 1 : 32;
        if (data.length < pos + count * (idBytes + 22)) return (g, 0);
        g.records = new Record[](count);
        for (uint256 i; i < count; ++i) {
            uint256 id = _take(data, pos, idBytes);
            g.records[i] = Record({
                id: bytes32(g.kind == WORD ? word << 8 | id : id),
                target: address(uint160(_take(data, pos + idBytes, 20))),
                action: uint8(_take(data, pos + idBytes + 20, 1)),
                scoreType: uint8(_take(data, pos + idBytes + 21, 1))
            });
            pos += idBytes + 22;
        }
        return (g, pos);
    }

    /// @dev The big-endian number in n bytes from pos.
    function _take(bytes memory data, uint256 pos, uint256 n) private pure returns (uint256 value) {
        for (uint256 i; i < n; ++i) {
            value = value << 8 | uint8(data[pos + i]);
        }
    }

    /// @dev Copies, and may write up to 31 bytes more than it copies.
    function _put(bytes memory out, uint256 offset, bytes memory part) private pure {
        for (uint256 i; i < part.length; i += 32) {
            assembly ("memory-safe") {
                mstore(add(add(out, 32), add(offset, i)), mload(add(add(part, 32), i)))
            }
        }
    }
}
