import { createHash } from 'node:crypto';

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

/** What a person agreed to. */
export interface Agreement {
  /** Of the tool and every argument as it was shown: anything else is asked about anew. */
  digest: string;
  /** What was asked for. */
  keys: string[];
}

/** Names a call: the tool and every argument. */
export function digestOf(tool: string, shown: Record<string, unknown>): string {
  return createHash('sha256')
    .update(JSON.stringify([tool, inOrder(shown)]))
    .digest('hex');
}

/** A row of the database keeps the members of an object in another order. */
function inOrder(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(inOrder);
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, one]) => [name, inOrder(one)]);
}
