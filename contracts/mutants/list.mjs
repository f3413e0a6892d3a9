// Mutants that rules do not think of: things done in the wrong order, to the wrong one, or not undone.
// Each replaces `from`, which must occur in the file exactly once.

const projects = "src/Projects.sol";
const batches = "src/Batches.sol";
const data = "src/BatchData.sol";
const registry = "src/ScoreRegistry.sol";

export const written = [
  { file: projects, from: "_storeMembers(project, owners, OWNER)", to: "_storeMembers(project, owners, UPDATER)" },
  { file: projects, from: "_storeMembers(project, updaters, UPDATER)", to: "_storeMembers(project, updaters, OWNER)" },
  { file: projects, from: "roles == 0 ? 0 : _memberSlot(project, roles)", to: "_memberSlot(project, roles)" },
  { file: projects, from: "(project.signedOnly ? MEMBER_SIGNED_ONLY : 0)", to: "0" },
  { file: projects, from: "(project.signedOnly ? MEMBER_SIGNED_ONLY : 0)", to: "(project.signedOnly ? 0 : MEMBER_SIGNED_ONLY)" },
  { file: projects, from: "uint256(project.scoreTypeCount) << MEMBER_TYPES_AT", to: "uint256(project.scoreTypeCount + 1) << MEMBER_TYPES_AT" },
  { file: projects, from: "slot ^ MEMBER_SIGNED_ONLY", to: "_memberSlot(project, slot & MEMBER_ROLES)" },
  { file: projects, from: "emit MemberChanged(projectId, member, uint8(roles), msg.sender)", to: "emit MemberChanged(projectId, member, role, msg.sender)" },
  { file: projects, from: "emit MemberChanged(projectId, member, uint8(roles), msg.sender)", to: "emit MemberChanged(projectId, msg.sender, uint8(roles), member)" },
  { file: projects, from: "action.direction == 0 ? points : -points", to: "action.direction == 0 ? -points : points" },
  { file: projects, from: "if (project.members[msg.sender] & OWNER == 0)", to: "if (project.members[msg.sender] == 0)" },
  { file: projects, from: "emit ScoreTypeAdded(projectId, uint8(index), name)", to: "emit ScoreTypeAdded(projectId, uint8(index + 1), name)" },
  { file: projects, from: "typeIndex & 0xfc", to: "typeIndex >> 2" },
  { file: projects, from: "keccak256(bytes(action.name))", to: "bytes32(bytes(action.name))" },
  { file: projects, from: "    ) external onlyRole(RELAYER_ROLE) {\n        Project storage project", to: "    ) external {\n        Project storage project" },
  { file: projects, from: "0x8000000000000000800000000000000080000000000000008000000000000000", to: "0x8000000000000000" },
  { file: projects, from: "0x8000000000000000800000000000000080000000000000008000000000000000", to: "0x8000000000000000800000000000000080000000000000007fffffffffffffff" },
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
  { file: batches, from: "? UNKNOWN_PROJECT : NOT_MEMBER", to: "? NOT_MEMBER : UNKNOWN_PROJECT" },
  { file: batches, from: "b.types = b.member >> MEMBER_TYPES_AT;", to: "if (kind & SAME_PROJECT == 0) b.types = b.member >> MEMBER_TYPES_AT;" },
  { file: batches, from: "calldatacopy(cache, calldatasize(), KEY_AT)", to: "calldatacopy(cache, calldatasize(), 0x20)" },
  { file: batches, from: "calldatacopy(cache, calldatasize(), KEY_AT)", to: "calldatacopy(cache, 0, KEY_AT)" },
  { file: data, from: "uint256 constant KEY_AT = 0x400;", to: "uint256 constant KEY_AT = 0x3e0;" },
  { file: data, from: "if (start + length > 32)", to: "if (start > 31 || length > 32)" },
  { file: data, from: "b.group - b.start", to: "b.group - b.start + 4" },
  { file: data, from: "uint256 constant SIGNATURE_BYTES = 64;", to: "uint256 constant SIGNATURE_BYTES = 65;" },
];

// What is left of the rules' mutants because it is the same contract, as far as anybody can tell. `line` is the mutated line.
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
];
