/** How much of a limit of one's plan is used. */
export interface LimitParams {
  name: string;
  organization: string;
  measure: 'workflow_runs' | 'model_tokens' | 'storage';
  /** Of storage, bytes. */
  used: number;
  limit: number;
  percent: number;
  /** Whether uploads are refused beyond it. */
  refuses: boolean;
}

/** The values of each template. They are sealed until the message is sent, so they may hold codes. */
export interface MessageParams {
  /** The one-time code that confirms an address. */
  'email-code': { code: string; minutes: number; name: string };
  /** The one-time code that confirms a mobile number. */
  'phone-code': { code: string; minutes: number };
  /** The recovery code, which only the client knows. */
  'recovery-code': { recoveryCode: string; name: string };
  /** The password was changed, set or recovered. */
  'password-changed': { name: string; at: string; ip: string };
  /** A refresh token was used twice: the session was ended. */
  'token-reuse': { name: string; at: string; userAgent: string };
  /** The counter of a passkey went back. */
  'passkey-clone': { name: string; passkeyName: string; at: string };
  /** To a reviewer: an account with a confirmed address waits for approval. */
  'approval-needed': { username: string; email: string };
  /** The account was approved. */
  'account-approved': { name: string };
  /** The export of one's data can be fetched. */
  'export-ready': { name: string; hours: number };
  /** To an owner: somebody asks to be shown a document. */
  'access-requested': { name: string; requester: string; filename: string };
  /** To who asked. */
  'access-approved': { name: string; filename: string };
  /** To who asked; the reason is the owner's, '' for none. */
  'access-denied': { name: string; filename: string; reason: string };
  /** To who may read a document from now on. */
  'document-shared': { name: string; owner: string; filename: string };
  /** To who may look at a workflow, or edit and run it, from now on. */
  'workflow-viewable': { name: string; owner: string; workflow: string };
  'workflow-editable': { name: string; owner: string; workflow: string };
  /** To who got a workflow of their own, or an app. */
  'workflow-copy-received': { name: string; sharer: string; workflow: string };
  'workflow-app-received': { name: string; sharer: string; workflow: string };
  /** To who is to own a workflow from now on. */
  'workflow-offered': { name: string; owner: string; workflow: string; days: number };
  /** To the former owner, and to the one who stays it. */
  'workflow-accepted': { name: string; receiver: string; workflow: string };
  'workflow-declined': { name: string; receiver: string; workflow: string };
  /** Somebody is asked to join an organisation. */
  'organization-invited': { name: string; organization: string; inviter: string; token: string; days: number };
  /** A job of one's agent has come to an end; `result` is what it said, or what went wrong. */
  'agent-job-done': { name: string; job: string; result: string };
  'agent-job-failed': { name: string; job: string; result: string };
  /** A payment for the plan failed, and is tried again. */
  'payment-failed': { name: string; plan: string };
  /** No payment is tried any more. */
  'plan-unpaid': { name: string; plan: string };
  'plan-canceled': { name: string; plan: string };
  /** A second payment for what is paid for already went back. */
  'payment-given-back': { name: string; plan: string };
  /** The trial ends soon, and is paid for from then on; `date` as YYYY-MM-DD. */
  'trial-ends': { name: string; plan: string; date: string };
  /** To the owner of a pool: so much of a limit is used. `organization` is '' for what is one's own. */
  'limit-near': LimitParams;
  'limit-reached': LimitParams;
}

export type TemplateName = keyof MessageParams;
export type Language = 'en' | 'ar';

/** One message in one language, before it is made into text and HTML. */
export interface Content {
  subject: string;
  paragraphs: string[];
  /** Shown large, and alone on its line. */
  code?: string;
  /** After the code. */
  closing?: string[];
}

export type Wording = { readonly [T in TemplateName]: (params: MessageParams[T]) => Content };
