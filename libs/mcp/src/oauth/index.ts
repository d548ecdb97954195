export { OAuthClients, type Registration } from './oauth-clients.js';
export { type DiscoveryResult, OAuthDiscovery } from './oauth-discovery.js';
export { OAuthFlows } from './oauth-flows.js';
export { OAuthSettings } from './oauth-settings.js';
export { OAuthMaintenance } from './oauth-maintenance.js';
export { Revocations } from './revocations.js';
export { type Returned, type SigningIn, SignInCompletion, SignInFailedError } from './sign-in-completion.js';
export { SignInStart, type StartedSignIn } from './sign-in-start.js';
