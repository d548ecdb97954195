import type { Clock } from '@app/common';
import type { AgentWait } from './agent-end.js';
import type { AgentState, CallState } from './agent-state.js';
import { APPROVAL_OPTIONS, choiceIn, digestOf, type Approvals } from './approvals.js';
import { cutLine, cutMiddle } from './bounded-text.js';
import { finish } from './call-outcome.js';
import type { AgentTool, ApprovalNeed, MissingArgument } from './tool.js';

const MAX_QUESTION = 4_000;
const MAX_OPTIONS = 10;

export interface QuestionRules {
  approvals: Approvals;
  /** How long an open question waits. */
  questionSeconds: number;
  turnId: string;
}

/** What a person is asked about a call, and what becomes of the call by the reply. */
export class CallQuestions {
  constructor(
    private readonly state: AgentState,
    private readonly rules: QuestionRules,
    private readonly clock: Clock,
    private readonly save: () => Promise<void>,
  ) {}

  /** The question that a call waits with. */
  waitFor({ asking }: CallState): AgentWait {
    const { question, expiresAt } = asking!;
    return { wait: question, expiresAt: expiresAt === null ? null : new Date(expiresAt) };
  }

  /** Null when there is no question in it. */
  async clarify(call: CallState): Promise<AgentWait | null> {
    const { question, options } = call.call.input;
    if (typeof question !== 'string' || question.trim() === '') return null;
    const choices = Array.isArray(options)
      ? options.filter((one): one is string => typeof one === 'string').slice(0, MAX_OPTIONS)
      : [];
    return this.ask(call, {
      kind: 'clarification',
      message: cutMiddle(question.trim(), MAX_QUESTION),
      options: choices.map((one) => ({ value: one, label: cutLine(one, 200) })),
      fields: [],
    });
  }

  askForArguments(call: CallState, tool: AgentTool, missing: readonly MissingArgument[]): Promise<AgentWait> {
    return this.ask(call, {
      kind: 'missing_param',
      message: `${tool.title} needs: ${missing.map(({ label }) => label).join(', ')}.`,
      options: [],
      fields: missing.map((one) => ({ ...one, required: true })),
    });
  }

  /** Shows everything that leaves: whole, and unmasked, because what is hidden nobody can agree to. */
  askForApproval(call: CallState, tool: AgentTool, needs: ApprovalNeed[]): Promise<AgentWait> {
    const { name, title } = tool;
    const question = {
      kind: 'approval' as const,
      message: needs.map(({ summary }) => summary).join(' '),
      options: APPROVAL_OPTIONS,
      fields: [],
      tool: { name, title, arguments: sentBy(tool, call.call.input) },
    };
    return this.ask(call, question, { needs, digest: consentDigest(tool, call.call.input) });
  }

  /** What a reply says about the call that waits for it; `null`: nobody replied in time. */
  async take(requestId: string, reply: Record<string, unknown> | null): Promise<void> {
    const call = this.state.calls.find(
      ({ status, asking }) => status === 'asking' && asking?.question.request_id === requestId,
    );
    if (!call) return;
    const { question, consent } = call.asking!;
    const isApproval = question.kind === 'approval';
    const text = wordsIn(reply, isApproval ? ['message'] : ['message', 'choice']);
    // An answer that the model proposed is its word, and may come from what it read.
    if (text !== '' && !question.options.some(({ value }) => value === text)) this.state.replies.push(text);
    if (isApproval) await this.takeChoice(call, reply, text, consent);
    else if (reply === null)
      finish(call, 'The user did not reply in time. Go on with what you know, and say what you assumed.', true);
    else if (question.kind === 'clarification') finish(call, `The user replied: ${text}`, false);
    else this.takeArguments(call, reply, text);
    delete call.asking;
    await this.save();
  }

  private async takeChoice(
    call: CallState,
    reply: Record<string, unknown> | null,
    text: string,
    consent: { needs: ApprovalNeed[]; digest: string } | undefined,
  ): Promise<void> {
    const choice = choiceIn(reply);
    if (choice === 'deny') {
      const reason =
        reply === null
          ? 'The user did not answer in time, so it was not carried out.'
          : 'The user does not allow this call. It was not carried out.';
      finish(call, text === '' ? reason : `${reason} The user says: ${text}`, true);
      return;
    }
    // A question of a release that hid some arguments is asked anew.
    const { needs = [], digest = '' } = consent ?? {};
    if (choice !== 'once')
      for (const { key, summary } of needs) await this.rules.approvals.remember(key, summary, choice);
    call.status = 'approved';
    call.agreed = { digest, keys: needs.map(({ key }) => key) };
  }

  private takeArguments(call: CallState, reply: Record<string, unknown>, text: string): void {
    const { values } = reply;
    if (typeof values === 'object' && values !== null) {
      const types = new Map(call.asking!.question.fields.map(({ name, type }) => [name, type]));
      const given = Object.entries(values).filter(([name, value]) => types.has(name) && value !== '');
      const typed = given.map(([name, value]) => [name, asTyped(value, types.get(name)!)] as const);
      call.call = { ...call.call, input: { ...call.call.input, ...Object.fromEntries(typed) } };
      call.status = 'pending';
      return;
    }
    finish(
      call,
      `The call was not carried out yet: the user was asked for what was missing and replied: ${text}\nCall the tool again with it.`,
      true,
    );
  }

  private async ask(
    call: CallState,
    question: Omit<AgentWait['wait'], 'request_id'>,
    consent?: { needs: ApprovalNeed[]; digest: string },
  ): Promise<AgentWait> {
    const { questionSeconds, turnId } = this.rules;
    call.status = 'asking';
    this.state.asked += 1;
    call.asking = {
      question: { request_id: `${turnId}:${call.place}:${this.state.asked}`, ...question },
      expiresAt: new Date(this.clock.now() + questionSeconds * 1_000).toISOString(),
      ...(consent && { consent }),
    };
    await this.save();
    return this.waitFor(call);
  }
}

/** The arguments that a call of the tool sends. */
export function sentBy(tool: AgentTool, input: Record<string, unknown>): Record<string, unknown> {
  return tool.sentArguments?.(input) ?? input;
}

/** Names a call by all that it sends. */
export function consentDigest(tool: AgentTool, input: Record<string, unknown>): string {
  return digestOf(tool.name, sentBy(tool, input));
}

/** What a form gives as text, as the tool takes it; what does not fit stays, and the tool says so. */
function asTyped(value: unknown, type: string): unknown {
  if (typeof value !== 'string') return value;
  const text = value.trim();
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  if ((type === 'number' || type === 'integer') && text !== '' && Number.isFinite(Number(text))) return Number(text);
  return value;
}

function wordsIn(reply: Record<string, unknown> | null, fields: readonly string[]): string {
  const text = fields.map((field) => reply?.[field]).find((value) => typeof value === 'string');
  return typeof text === 'string' ? text.trim() : '';
}
