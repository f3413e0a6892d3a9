export { maxRange, IdRange, Minter } from './ids.js'
export { buildGroups, domainType, Kind, maxSigned, signGroup, typedData } from './groups.js'
export type { Domain, Group, Hex, SignedGroup, SignTypedData, TypedData, Update } from './groups.js'
export { actionIndex, ApiError, Client, retry, scoreTypeIndex } from './client.js'
export type {
  Action, ClientOptions, FieldError, NamedUpdate, NewProject, Project, SignMessage, Status, UpdateStatus,
} from './client.js'
