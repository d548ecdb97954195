/** Capabilities that plans sell. `features` of entitlements and of plans has each of them. */
export const FEATURES = [
  'flowapps',
  'dashboards',
  'chat_ai',
  'aes256',
  'byo_llm',
  'rbac',
  'global_secrets',
  'sso_scim',
  'audit_logs',
  'on_prem',
  'data_integration',
  'dedicated_agent',
] as const;

export type Feature = (typeof FEATURES)[number];
export type FeatureFlags = Readonly<Record<Feature, boolean>>;
