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

const SECRET_NAME = /pass(word|phrase)?$|secret|token$|api.?key|authorization|cookie|key_value|credential/i;
const SHOWN_TEXT = 4_000;
const MAX_DEPTH = 12;

/** Arguments as they are shown to whoever has to agree: all of them, with secrets taken out. */
export function shownArguments(input: Record<string, unknown>): Record<string, unknown> {
  return shown(input, 0) as Record<string, unknown>;
}

function shown(value: unknown, depth: number): unknown {
  if (typeof value === 'string')
    return value.length > SHOWN_TEXT ? `${value.slice(0, SHOWN_TEXT)}… (${value.length} characters)` : value;
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) return '…';
  if (Array.isArray(value)) return value.slice(0, 200).map((one) => shown(one, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name,
      SECRET_NAME.test(name) && one !== '' ? '***' : shown(one, depth + 1),
    ]),
  );
}
