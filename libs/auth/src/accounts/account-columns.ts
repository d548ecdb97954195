import type { ExportedColumns } from '@app/erasure';

export const ACCOUNT_COLUMNS: ExportedColumns = {
  table: 'users',
  exported: [
    'id',
    'username',
    'email',
    'first_name',
    'last_name',
    'phone',
    'language',
    'llm_model_id',
    'organization_id',
    'is_active',
    'is_staff',
    'verified',
    'email_verified',
    'number_verified',
    'use_cloud',
    'is_first_time',
    'dedicated_agent',
    'last_login',
    'date_joined',
    'scim_display_name',
    'detached_from_id',
    'modified_at',
  ],
  withheld: {
    password_hash: 'a secret',
    webauthn_handle: 'a secret of passkeys',
    scim_external_id: 'a name that the directory of the organisation gave',
  },
};
