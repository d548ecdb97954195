/** Sharing with those who have no account yet: libs/access. */
export const access: readonly string[] = [
  `CREATE TABLE share_invitations (
    id uuid CONSTRAINT share_invitations_pkey PRIMARY KEY,
    kind text NOT NULL,
    document_uid uuid CONSTRAINT share_invitations_document_uid_fkey REFERENCES documents (uid) ON DELETE CASCADE,
    workflow_id uuid CONSTRAINT share_invitations_workflow_id_fkey REFERENCES workflows (id) ON DELETE CASCADE,
    inviter_id integer NOT NULL CONSTRAINT share_invitations_inviter_id_fkey REFERENCES users (id) ON DELETE CASCADE,
    address text NOT NULL,
    role text,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    CONSTRAINT share_invitations_kind_check CHECK (kind IN ('document', 'collaborator', 'copy', 'app', 'transfer')),
    CONSTRAINT share_invitations_target_check CHECK ((document_uid IS NULL) <> (workflow_id IS NULL)),
    CONSTRAINT share_invitations_role_check CHECK ((kind = 'collaborator') = (role IS NOT NULL)
      AND role IN ('editor', 'viewer'))
  )`,
  'CREATE UNIQUE INDEX share_invitations_document_key ON share_invitations (document_uid, address)',
  'CREATE UNIQUE INDEX share_invitations_workflow_key ON share_invitations (workflow_id, kind, address)',
  'CREATE INDEX share_invitations_inviter_id ON share_invitations (inviter_id)',
  'CREATE INDEX share_invitations_address ON share_invitations (address)',
];
