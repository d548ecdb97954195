export { CurrentUser, Public, PUBLIC_ROUTE } from './principal/decorators.js';
export type { Principal } from './principal/principal.js';
export { PrincipalResolver } from './principal/principal-resolver.js';
