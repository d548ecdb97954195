export type ApprovalChoice = 'once' | 'session' | 'always' | 'deny';

/** `ask`: a person agrees to outside effects first. `allow`: nobody is asked. `deny`: there are none. */
export type ApprovalPolicy = 'ask' | 'allow' | 'deny';

/** What the user has agreed to before. */
export interface Approvals {
  /** Whether `key` needs no question in this conversation. */
  isGranted(key: string): Promise<boolean>;
  remember(key: string, summary: string, scope: 'session' | 'always'): Promise<void>;
}

export const APPROVAL_OPTIONS: { value: ApprovalChoice; label: string }[] = [
  { value: 'once', label: 'Allow once' },
  { value: 'session', label: 'Allow in this conversation' },
  { value: 'always', label: 'Always allow' },
  { value: 'deny', label: 'Do not allow' },
];

/** What is no clear consent is none. */
export function choiceIn(reply: Record<string, unknown> | null): ApprovalChoice {
  const said = reply?.choice;
  return APPROVAL_OPTIONS.find(({ value }) => value === said)?.value ?? 'deny';
}
