// Mutants that rules do not think of: things done in the wrong order, to the wrong one, or not undone.
// Each replaces `from`, which must occur in the file exactly once.

const projects = "src/Projects.sol";
const edits = "src/Edits.sol";
const batches = "src/Batches.sol";
const data = "src/BatchData.sol";
const registry = "src/ScoreRegistry.sol";

export const written = [
  { file: projects, from: "_storeMembers(project, owners, OWNER)", to: "_storeMembers(project, owners, UPDATER)" },
  { file: projects, from: "_storeMembers(project, updaters, UPDATER)", to: "_storeMembers(project, updaters, OWNER)" },
  { file: projects, from: "typeIndex & 0xfc", to: "typeIndex >> 2" },
  { file: projects, from: "    ) external onlyRole(RELAYER_ROLE) {\n        Project storage project", to: "    ) external {\n        Project storage project" },
  { file: projects, from: "0x8000000000000000800000000000000080000000000000008000000000000000", to: "0x8000000000000000" },
  { file: projects, from: "0x8000000000000000800000000000000080000000000000008000000000000000", to: "0x8000000000000000800000000000000080000000000000007fffffffffffffff" },
  { file: projects, from: "direction == 0 ? points : 2 ** 32 - points", to: "direction == 0 ? 2 ** 32 - points : points" },
  { file: projects, from: "direction == 0 ? points : 2 ** 32 - points", to: "direction == 0 ? points : 2 ** 31 + points" },
  { file: projects, from: "bytes32 nameHash = keccak256(bytes(name));\n        renewed", to: "bytes32 nameHash = bytes32(bytes(name));\n        renewed" },
  { file: projects, from: "sstore(slot, or(sload(slot), shl(shl(5, and(add(index, 1), 7)), field)))", to: "sstore(slot, shl(shl(5, and(add(index, 1), 7)), field))" },
  { file: edits, from: "emit ScoreTypeAdded(projectId, uint8(index), name)", to: "emit ScoreTypeAdded(projectId, uint8(index + 1), name)" },
  { file: edits, from: "emit MemberChanged(projectId, member, roles, by)", to: "emit MemberChanged(projectId, member, role, by)" },
  { file: edits, from: "emit MemberChanged(projectId, member, roles, by)", to: "emit MemberChanged(projectId, by, roles, member)" },
  { file: edits, from: "emit MemberChanged(projectId, member, roles, by)", to: "emit MemberChanged(projectId, member, roles, msg.sender)" },
  { file: edits, from: "emit SignedOnlySet(projectId, signedOnly, by)", to: "emit SignedOnlySet(projectId, signedOnly, msg.sender)" },
  { file: edits, from: "if (project.members[account] & OWNER == 0)", to: "if (project.members[account] == 0)" },
  { file: edits, from: "_requireOwner(project, projectId, owner);", to: "_requireOwner(project, projectId, msg.sender);" },
  { file: edits, from: "if (signer != owner)", to: "if (signer == address(0))" },
  { file: edits, from: "if (signer != owner)", to: "if (project.members[signer] & OWNER == 0)" },
  { file: edits, from: "if (nonce != project.editNonce)", to: "if (nonce < project.editNonce)" },
  { file: edits, from: "if (block.timestamp > deadline)", to: "if (block.number > deadline)" },
  { file: edits, from: "project.editNonce = uint64(nonce + 1);", to: "if (edits.length > 0) project.editNonce = uint64(nonce + 1);" },
  { file: edits, from: "for (uint256 i; i < edits.length; ++i) {\n            _edit", to: "for (uint256 i = edits.length; i-- > 0;) {\n            _edit" },
  { file: edits, from: "EDIT_PROJECT_TYPEHASH, projectId, all, nonce, deadline", to: "EDIT_PROJECT_TYPEHASH, bytes32(0), all, nonce, deadline" },
  { file: edits, from: "EDIT_PROJECT_TYPEHASH, projectId, all, nonce, deadline", to: "EDIT_PROJECT_TYPEHASH, projectId, bytes32(0), nonce, deadline" },
  { file: edits, from: "EDIT_PROJECT_TYPEHASH, projectId, all, nonce, deadline", to: "EDIT_PROJECT_TYPEHASH, projectId, all, uint256(0), deadline" },
  { file: edits, from: "EDIT_PROJECT_TYPEHASH, projectId, all, nonce, deadline", to: "EDIT_PROJECT_TYPEHASH, projectId, all, nonce, uint256(0)" },
  { file: edits, from: "EDIT_PROJECT_TYPEHASH, projectId, all, nonce, deadline", to: "EDIT_PROJECT_TYPEHASH, projectId, all, deadline, nonce" },
  { file: edits, from: "EDIT_TYPEHASH, operation, edit.member, name, edit.points, edit.direction", to: "EDIT_TYPEHASH, bytes32(0), edit.member, name, edit.points, edit.direction" },
  { file: edits, from: "EDIT_TYPEHASH, operation, edit.member, name, edit.points, edit.direction", to: "EDIT_TYPEHASH, operation, address(0), name, edit.points, edit.direction" },
  { file: edits, from: "EDIT_TYPEHASH, operation, edit.member, name, edit.points, edit.direction", to: "EDIT_TYPEHASH, operation, edit.member, bytes32(0), edit.points, edit.direction" },
  { file: edits, from: "EDIT_TYPEHASH, operation, edit.member, name, edit.points, edit.direction", to: "EDIT_TYPEHASH, operation, edit.member, name, uint256(0), edit.direction" },
  { file: edits, from: "EDIT_TYPEHASH, operation, edit.member, name, edit.points, edit.direction", to: "EDIT_TYPEHASH, operation, edit.member, name, edit.points, uint256(0)" },
  { file: edits, from: '"EditProject(bytes32 projectId,Edit[] edits,uint256 nonce,uint256 deadline)"', to: '"EditProject(bytes32 projectId,Edit[] edits,uint256 deadline,uint256 nonce)"' },
  { file: edits, from: "_setSignedOnly(project, projectId, true, by)", to: "_setSignedOnly(project, projectId, !project.signedOnly, by)" },
  { file: registry, from: "project.used[word] = bits | bit;", to: "project.used[word] = bit;" },
  { file: registry, from: "project.used[word] = bits | bit;", to: "project.used[word] |= bit << 1;" },
  { file: registry, from: "emit ScoreUpdated(projectId, targetWallet, msg.sender,", to: "emit ScoreUpdated(projectId, msg.sender, targetWallet," },
  { file: registry, from: 'EIP712("Scorelay", "1")', to: 'EIP712("1", "Scorelay")' },
  { file: registry, from: 'EIP712("Scorelay", "1")', to: 'EIP712("Scorelay", "2")' },
  { file: batches, from: "external onlyRole(RELAYER_ROLE)", to: "external" },
  { file: batches, from: "bytes32 projectId,uint8 kind,bytes updates", to: "bytes32 projectId,bytes updates,uint8 kind" },
  { file: batches, from: "keccak256(abi.encode(GROUP_TYPEHASH, b.projectId, kind & KIND_BITS, updates))", to: "keccak256(abi.encode(GROUP_TYPEHASH, bytes32(0), kind & KIND_BITS, updates))" },
  { file: batches, from: "keccak256(abi.encode(GROUP_TYPEHASH, b.projectId, kind & KIND_BITS, updates))", to: "keccak256(abi.encode(GROUP_TYPEHASH, b.projectId, kind, updates))" },
  { file: batches, from: "keccak256(abi.encode(GROUP_TYPEHASH, b.projectId, kind & KIND_BITS, updates))", to: "keccak256(abi.encode(GROUP_TYPEHASH, b.projectId, uint256(1), updates))" },
  { file: batches, from: "updates := keccak256(copied, sub(end, body))", to: "updates := keccak256(copied, sub(sub(end, body), 1))" },
  { file: batches, from: "updates := keccak256(copied, sub(end, body))", to: "updates := keccak256(add(copied, 31), sub(sub(end, body), 31))" },
  { file: batches, from: "== b.signer;", to: "!= address(0);" },
  { file: batches, from: "bytes32(r), bytes32(vs << 1 >> 1)", to: "bytes32(vs << 1 >> 1), bytes32(r)" },
  { file: batches, from: "bytes32(r), bytes32(vs << 1 >> 1)", to: "bytes32(r), bytes32(vs)" },
  { file: batches, from: "if (outcome == APPLIED && !_signed(b, kind, body, end)) outcome = BAD_SIGNATURE;", to: "if (!_signed(b, kind, body, end)) outcome = BAD_SIGNATURE;" },
  { file: batches, from: "calldatacopy(cache, calldatasize(), KEY_AT)", to: "calldatacopy(cache, calldatasize(), 0x20)" },
  { file: batches, from: "calldatacopy(cache, calldatasize(), KEY_AT)", to: "calldatacopy(cache, 0, KEY_AT)" },
  { file: batches, from: "if (b.actions == 0) return UNKNOWN_PROJECT;\n        if (!b.member) return NOT_MEMBER;", to: "if (!b.member) return NOT_MEMBER;\n        if (b.actions == 0) return UNKNOWN_PROJECT;" },
  { file: batches, from: "mstore(cache, and(sload(slot), not(0xffffffff)))", to: "mstore(cache, sload(slot))" },
  { file: data, from: "uint256 constant KEY_AT = 0x400;", to: "uint256 constant KEY_AT = 0x3e0;" },
  { file: data, from: "if (start + length > 32)", to: "if (start > 31 || length > 32)" },
  { file: data, from: "b.group - b.start", to: "b.group - b.start + 4" },
  { file: data, from: "uint256 constant SIGNATURE_BYTES = 64;", to: "uint256 constant SIGNATURE_BYTES = 65;" },
];

// What is left of the rules' mutants because it is the same contract, as far as we can tell. `line` is the mutated line.
export const equivalent = [
  {
    file: data,
    line: "uint256 constant APPLIED = 0;",
    to: "uint256 constant APPLIED = 1;",
    why: "never written anywhere: what is applied is what skip() was not called for",
  },
  {
    file: data,
    line: "calldatacopy(outcomes, calldatasize(), most)",
    to: "",
    why: "nothing has been written behind the event's data before, so that memory is 0 anyway; Solidity does not promise it",
  },
  {
    file: data,
    line: "mstore(add(log, add(0x40, padded)), 0) // the padding; the length below if there is no data",
    to: "// the padding; the length below if there is no data",
    why: "likewise: that memory was never written",
  },
  {
    file: data,
    line: "let log := mload(0x40)",
    to: "let log := mload(0x41)",
    why: "the free memory pointer times 256, and memory behind it is as free: it costs gas, which the snapshot of the real build shows",
  },
  {
    file: data,
    line: "mstore(0x40, add(add(copy, padded), and(add(shr(1, padded), 0x7f), not(31))))",
    to: "mstore(0x40, add(add(copy, padded), and(add(shl(1, padded), 0x7f), not(31))))",
    why: "four times the room for outcomes, of which the same part is used",
  },
];
