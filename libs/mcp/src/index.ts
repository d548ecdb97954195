export {
  type AuthorizedServer,
  McpAuthorization,
  McpOAuthTokens,
  type Refusal,
  SignInNeededError,
} from './client/authorization.js';
