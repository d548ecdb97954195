export { AuthModule } from './auth.module.js';
export { PasswordHasher } from './passwords/password-hasher.js';
export { passwordProblems, type PasswordSubject } from './passwords/password-rules.js';
export { Turnstile } from './passwords/turnstile.js';
export { CachedPrincipals } from './principal/cached-principals.js';
export { CurrentUser, Public, PUBLIC_ROUTE } from './principal/decorators.js';
export type { Principal } from './principal/principal.js';
export { holdSession, isSessionLive } from './principal/hold-session.js';
export { PrincipalResolver } from './principal/principal-resolver.js';
export { RevocableCache } from './principal/revocable-cache.js';
export { SessionGuard, SignedInGuard } from './principal/session.guard.js';
export { type IssuedSession, RefreshRefusedError, type SignInOrigin } from './sessions/issued-session.js';
export { API_SCOPES, type ApiScope } from './principal/scopes.js';
export { type ApiTokenRecord, ApiTokens } from './sessions/api-tokens.js';
export { RefreshService } from './sessions/refresh.service.js';
export { SessionService, type SessionSummary } from './sessions/session.service.js';
export { SocketTickets, TICKET_SECONDS } from './sessions/socket-tickets.js';
export { OwnedPasskeys } from './passkeys/owned-passkeys.js';
export { Ceremonies, CEREMONY_SECONDS } from './passkeys/ceremonies.js';
export { type ScimClient, ScimTokens } from './scim/scim-tokens.js';
export { SsoLinks } from './sso/sso-links.js';
export { SsoAccounts } from './sso/sso-accounts.js';
export { NO_ISSUER, type SsoClient, SsoClients } from './sso/sso-clients.js';
export { domainOf, parseDomain } from './sso/domains.js';
export { FLOW_SECONDS, SsoFlows } from './sso/sso-flows.js';
export type { ProvenIdentity } from './sso/oidc/claims.js';
export { OidcClient } from './sso/oidc/oidc-client.js';
export { SSO_PROVIDERS, type SsoProvider, SsoSettings } from './sso/sso-settings.js';
export { SsoSetup } from './sso/sso-setup.js';
export { SsoCredentials } from './sso/sso-credentials.js';
export { SsoIdentities } from './sso/sso-identities.js';
export { DomainProof, newResolver } from './sso/domain-proof.js';
export { ProviderConfigurations } from './sso/oidc/provider-configurations.js';
export { SsoMembership } from './sso/sso-membership.js';
export { SsoSetupTokens } from './sso/sso-setup-tokens.js';
export { OwnedIdentities } from './sso/owned-identities.js';
export { SsoMaintenance } from './sso/sso-maintenance.js';
export { PasswordSignIn } from './sign-in/password-sign-in.js';
export { type MethodsOfAccount, SignInMethods } from './sign-in/sign-in-methods.js';
export { AccountAccess } from './administration/account-access.js';
export { OwnedMemberships } from './scim/owned-memberships.js';
export { ScimTransactions, taken } from './scim/scim-transactions.js';
export { Adoption } from './scim/adoption.js';
export { AccountFactory } from './accounts/account-factory.js';
export { countMembers, findPlanBuyer, type PlanBuyer } from './accounts/plan-buyer.js';
export { MemberList, type MemberFilter, type OrganizationMember } from './organizations/member-list.js';
export { ORGANIZATION_ROLES, type OrganizationRole, rolesUnder } from './organizations/organization-roles.js';
export { holdOrganization, requireManager } from './organizations/hold-organization.js';
export { type CurrentOrganization, Organizations } from './organizations/organizations.js';
export { OrganizationMembers } from './organizations/organization-members.js';
export {
  OrganizationInvitations,
  type OrganizationInvitationRecord,
} from './organizations/organization-invitations.js';
export { type ReceivedInvitation, ReceivedInvitations } from './organizations/received-invitations.js';
export { OwnedOrganizationInvitations } from './organizations/owned-organization-invitations.js';
export { OrganizationSuccession } from './organizations/organization-succession.js';
export { PlanOwners } from './organizations/plan-owners.js';
export { narrowPlanSeats, Seats, setPlanSeats } from './accounts/seats.js';
export { flagForDedicatedAgent, lockDedicatedAgentFlag } from './accounts/dedicated-agent-flag.js';
export { findOrganizationOf, listMembers, lockOrganization, membersOf } from './accounts/organization-members.js';
export { Passwords } from './passwords/passwords.js';
export { RecoveryCodeMail } from './passwords/recovery-code-mail.js';
export { RecoveryKeys } from './passwords/recovery-keys.js';
export { readAssertion, readRegistration } from './passkeys/credential-json.js';
export { PasskeySignIn } from './passkeys/passkey-sign-in.js';
export { PasskeyRegistration } from './passkeys/passkey-registration.js';
export { Passkeys, type PasskeySummary, type Remaining } from './passkeys/passkeys.js';
export { relyingPartyOf } from './passkeys/relying-party.js';
export { SuspectedClones } from './passkeys/suspected-clones.js';
export { Webauthn } from './passkeys/webauthn.js';
export { type MetadataObject, MetadataStore } from './metadata/metadata.store.js';
export { OwnedMetadata } from './metadata/owned-metadata.js';
export { AuthorizationRequests } from './oauth/authorization-requests.js';
export { OAuthClients } from './oauth/oauth-clients.js';
export { OAuthTokens } from './oauth/oauth-tokens.js';
export { OAuthMaintenance } from './oauth/oauth-maintenance.js';
export { hostShown, schemeShown } from './oauth/redirect-uri.js';
export { MCP_SCOPES, type McpScope } from './oauth/oauth-scopes.js';
export { OAuthError } from './oauth/oauth-error.js';
export { seedDemoAccount } from './accounts/demo-account.js';
export { AccountAdministration } from './administration/account-administration.js';
export { OrganizationAdministration } from './administration/organization-administration.js';
export { PromoCodeAdministration } from './administration/promo-code-administration.js';
export { RegistrationService } from './accounts/registration.service.js';
export { AddressConfirmation } from './accounts/address-confirmation.js';
export { OneTimeCodes } from './accounts/one-time-codes.js';
export { OwnedCodes } from './accounts/owned-codes.js';
export { PhoneConfirmation } from './accounts/phone-confirmation.js';
export { PromoCodes } from './accounts/promo-codes.js';
export { findShutOut, type SignedInCaller } from './sessions/shut-out.js';
export { findContact, findMailedPerson, type MailedPerson } from './accounts/contact.js';
export {
  findMembership,
  type Membership,
  type NamedMember,
  listMemberNames,
  listPoolOwners,
  type PoolOwner,
} from './accounts/pool-people.js';
export { exportWork, type ClaimedExport } from './exports/export-work.js';
export { ExportWriter } from './exports/export-writer.js';
export { type ExportRow, Exports } from './exports/exports.js';
export { freeName, lazily } from './exports/archive-names.js';
export { type Claimed, IdempotencyStore, LEASE_SECONDS } from './calls/idempotency.store.js';
export { rateKey } from './calls/rate-key.js';
export { Admission } from './sign-in/admission.js';
export { Directory, type DirectoryEntry } from './profile/directory.js';
export { type LinkedProvider, LinkedProviders } from './profile/linked-providers.js';
export {
  type AccountProfile,
  AccountProfiles,
  type EditedProfile,
  type ProfileChange,
} from './profile/account-profiles.js';
export { ReadyExports } from './exports/ready-exports.js';
export { SlowCounters } from './calls/slow-counters.js';
export { OwnedExports } from './exports/owned-exports.js';
export { OwnedAccount } from './accounts/owned-account.js';
export { BORROWED_NAME, findUserId, isBorrowedName } from './accounts/named-account.js';
export { ScimGroups } from './scim/scim-groups.js';
export { ScimUserWrites } from './scim/scim-user-writes.js';
export { ScimUsers } from './scim/scim-users.js';
export {
  GROUP_SCHEMA,
  type ScimGroupFields,
  type ScimGroupRow,
  type ScimUserFields,
  type ScimUserRow,
  type Slice,
  unknownMember,
  USER_SCHEMA,
} from './scim/scim-rows.js';
export { parseFilter } from './scim/filter-sql.js';
