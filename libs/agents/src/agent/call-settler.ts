import type { Clock } from '@app/common';
import type { AgentWait } from './agent-end.js';
import type { AgentHost } from './agent-host.js';
import type { AgentState, CallState } from './agent-state.js';
import { APPROVAL_OPTIONS, choiceIn, shownArguments, type ApprovalPolicy, type Approvals } from './approvals.js';
import { cutLine, cutMiddle, toReadableText } from './bounded-text.js';
import { Citations } from './citations.js';
import { fence } from './fence.js';
import { missingArguments, ToolCallError, type AgentTool, type ToolAnswer } from './tool.js';
import { addLoaded, ASK_USER, type ToolBelt } from './tool-belt.js';
import type { UserWords } from './user-words.js';

/** Calls that only read, at the same time. */
const AT_ONCE = 6;
const MAX_CALLS = 24;
const SHOWN_ERROR = 300;

export interface CallRules {
  policy: ApprovalPolicy;
  approvals: Approvals;
  /** How long an open question waits. */
  questionSeconds: number;
  /** Of one result. */
  resultCharacters: number;
  turnId: string;
}

/** Carries out the calls of the newest step, each once, and asks where a person has a say. */
export class CallSettler {
  private saving: Promise<void> = Promise.resolve();

  constructor(
    private readonly state: AgentState,
    private readonly host: AgentHost,
    private readonly belt: ToolBelt,
    private readonly rules: CallRules,
    private readonly clock: Clock,
    private readonly wordsOf: (replies: readonly string[]) => UserWords,
  ) {}

  /**
   * @param toolSignal aborts when tools have to be done.
   * @returns a question, after which it is called again; null when every call has its outcome.
   */
  async settle(toolSignal: AbortSignal): Promise<AgentWait | null> {
    const { calls } = this.state;
    if (calls.length === 0) return null;
    this.recover();
    for (;;) {
      const open = calls.filter(({ status }) => status !== 'done');
      if (open.length === 0) break;
      const readers = await this.leadingReaders(open);
      if (readers.length > 0) await inParallel(readers, AT_ONCE, (call) => this.carryOut(call, toolSignal));
      else {
        const wait = await this.settleOne(open[0]!, toolSignal);
        if (wait) return wait;
      }
    }
    this.close();
    await this.save();
    return null;
  }

  /** What a reply says about the call that waits for it; `null`: nobody replied in time. */
  async take(requestId: string, reply: Record<string, unknown> | null): Promise<void> {
    const call = this.state.calls.find(
      ({ status, asking }) => status === 'asking' && asking?.question.request_id === requestId,
    );
    if (!call) return;
    const { question, approvalKey } = call.asking!;
    const text = textIn(reply);
    if (text !== '') this.state.replies.push(text);
    if (question.kind === 'approval') await this.takeChoice(call, reply, approvalKey!);
    else if (reply === null)
      finish(call, 'The user did not reply in time. Go on with what you know, and say what you assumed.', true);
    else if (question.kind === 'clarification') finish(call, `The user replied: ${text}`, false);
    else this.takeArguments(call, reply, text);
    delete call.asking;
    await this.save();
  }

  private async takeChoice(call: CallState, reply: Record<string, unknown> | null, key: string): Promise<void> {
    const choice = choiceIn(reply);
    if (choice === 'deny') {
      const said = textIn(reply);
      const reason =
        reply === null
          ? 'The user did not answer in time, so it was not carried out.'
          : 'The user does not allow this call. It was not carried out.';
      finish(call, said === '' ? reason : `${reason} The user says: ${said}`, true);
      return;
    }
    if (choice !== 'once') await this.rules.approvals.remember(key, call.asking!.question.message, choice);
    call.status = 'approved';
  }

  private takeArguments(call: CallState, reply: Record<string, unknown>, text: string): void {
    const values = reply.values ?? reply.fields;
    if (typeof values === 'object' && values !== null) {
      const wanted = call.asking!.question.fields.map(({ name }) => name);
      const given = Object.entries(values).filter(([name, value]) => wanted.includes(name) && value !== '');
      call.call = { ...call.call, input: { ...call.call.input, ...Object.fromEntries(given) } };
      call.status = 'pending';
      return;
    }
    finish(
      call,
      `The call was not carried out yet: the user was asked for what was missing and replied: ${text}\nCall the tool again with it.`,
      true,
    );
  }

  /** Of calls that another worker was lost with. */
  private recover(): void {
    for (const call of this.state.calls) {
      if (call.status !== 'started') continue;
      finish(
        call,
        'The worker was lost while this call was at work: nobody knows whether it took effect. It was not repeated. Find out with a tool that reads, or tell the user; do not simply call it again.',
        true,
      );
      this.host.stage('stage:tool_finished', finishedEvent(call, 0, 'outcome_unknown'));
    }
  }

  /** The first open calls, as long as they only read and need nobody. */
  private async leadingReaders(open: readonly CallState[]): Promise<CallState[]> {
    const readers: CallState[] = [];
    for (const call of open) {
      const tool = this.belt.find(call.call.name);
      if (call.status !== 'pending' || call.call.problem !== undefined || !tool) break;
      if (missingArguments(tool, call.call.input).length > 0 || tool.effectsOf(call.call.input) !== 'none') break;
      if ((await this.approvalNeeded(tool, call)) !== null) break;
      readers.push(call);
    }
    return readers;
  }

  private async settleOne(call: CallState, toolSignal: AbortSignal): Promise<AgentWait | null> {
    if (call.status === 'asking') return this.waitFor(call);
    const { name, input, problem } = call.call;
    if (this.state.calls.indexOf(call) >= MAX_CALLS)
      return this.refuse(call, 'Too many calls in one step; make fewer at a time.');
    if (problem !== undefined)
      return this.refuse(call, `${problem} Write them as one JSON object that fits the schema of the tool.`);
    if (name === ASK_USER) return this.askUser(call);
    const tool = this.belt.find(name);
    if (!tool) {
      const similar = this.belt.similarTo(name);
      return this.refuse(
        call,
        `There is no tool "${cutLine(name, 100)}".${similar.length > 0 ? ` Tools like it: ${similar.join(', ')}.` : ''}`,
      );
    }
    if (this.belt.isDeferred(name)) this.state.loadedTools = addLoaded(this.state.loadedTools, [name]);
    const missing = missingArguments(tool, input);
    if (missing.length > 0) return this.askForArguments(call, tool, missing);
    if (call.status !== 'approved') {
      const need = await this.approvalNeeded(tool, call);
      if (need && this.rules.policy === 'deny')
        return this.refuse(call, 'This deployment allows agents no calls with effects outside.', false);
      if (need) return this.askForApproval(call, tool, need);
    }
    await this.carryOut(call, toolSignal);
    return null;
  }

  private async approvalNeeded(tool: AgentTool, { call, status }: CallState) {
    if (this.rules.policy === 'allow' || status === 'approved') return null;
    const need = await tool.approvalFor(call.input, this.wordsOf(this.state.replies));
    return need && !(await this.rules.approvals.isGranted(need.key)) ? need : null;
  }

  private async refuse(call: CallState, why: string, isMistake = true): Promise<null> {
    call.isMistake = isMistake;
    finish(call, why, true);
    await this.save();
    return null;
  }

  private async askUser(call: CallState): Promise<AgentWait | null> {
    const { question, options } = call.call.input;
    if (typeof question !== 'string' || question.trim() === '')
      return this.refuse(call, 'The argument question is required.');
    const choices = Array.isArray(options)
      ? options.filter((one): one is string => typeof one === 'string').slice(0, 10)
      : [];
    return this.ask(call, {
      kind: 'clarification',
      message: cutMiddle(question.trim(), 4_000),
      options: choices.map((one) => ({ value: one, label: cutLine(one, 200) })),
      fields: [],
    });
  }

  private async askForArguments(
    call: CallState,
    tool: AgentTool,
    missing: ReturnType<typeof missingArguments>,
  ): Promise<AgentWait | null> {
    const names = missing.map(({ name }) => name).join(', ');
    const { lacked } = this.state;
    if (!lacked.includes(tool.name)) {
      lacked.push(tool.name);
      return this.refuse(
        call,
        `The call lacks ${names}. Call it again with everything it needs. If only the user can know that, call it again without, and the user is asked.`,
      );
    }
    return this.ask(call, {
      kind: 'missing_param',
      message: `${tool.title} needs: ${missing.map(({ label }) => label).join(', ')}.`,
      options: [],
      fields: missing.map((one) => ({ ...one, required: true })),
    });
  }

  private askForApproval(call: CallState, tool: AgentTool, need: { key: string; summary: string }): Promise<AgentWait> {
    const { name, title } = tool;
    return this.ask(
      call,
      {
        kind: 'approval',
        message: need.summary,
        options: APPROVAL_OPTIONS,
        fields: [],
        tool: { name, title, arguments: shownArguments(call.call.input) },
      },
      need.key,
    );
  }

  private async ask(
    call: CallState,
    question: Omit<AgentWait['wait'], 'request_id'>,
    approvalKey?: string,
  ): Promise<AgentWait> {
    const { questionSeconds, turnId } = this.rules;
    call.status = 'asking';
    call.asking = {
      question: { request_id: `${turnId}:${call.place}:${this.state.replies.length}`, ...question },
      expiresAt: new Date(this.clock.now() + questionSeconds * 1_000).toISOString(),
      ...(approvalKey !== undefined && { approvalKey }),
    };
    await this.save();
    return this.waitFor(call);
  }

  private waitFor({ asking }: CallState): AgentWait {
    const { question, expiresAt } = asking!;
    return { wait: question, expiresAt: expiresAt === null ? null : new Date(expiresAt) };
  }

  private async carryOut(call: CallState, toolSignal: AbortSignal): Promise<void> {
    const { turnId } = this.rules;
    const tool = this.belt.find(call.call.name)!;
    const begun = performance.now();
    this.host.stage('stage:tool_started', {
      tool: tool.name,
      step_id: call.place,
      step_description: describe(tool, call.call.input),
    });
    const effects = tool.effectsOf(call.call.input);
    if (effects === 'external') {
      call.status = 'started';
      await this.save();
    }
    let failure: string | null = null;
    try {
      this.host.signal.throwIfAborted();
      const cited = new Citations(this.state.sources);
      const answer = await abortable(
        tool.run(call.call.input, {
          idempotencyKey: `${turnId}:${call.place}`,
          signal: toolSignal,
          cite: (source) => cited.cite(source),
        }),
        toolSignal,
      );
      this.keep(answer);
      if (answer.isError) failure = cutLine(toReadableText(answer.output), SHOWN_ERROR);
      this.finishWith(call, tool, toReadableText(answer.output), answer.isError ?? false);
    } catch (error) {
      this.host.signal.throwIfAborted();
      const isLate = toolSignal.aborted;
      if (!isLate && !(error instanceof ToolCallError)) throw error;
      const said = isLate
        ? 'The time of this turn is nearly up; the call was given up.'
        : (error as ToolCallError).message;
      const unknown = isLate && effects === 'external' ? ' Nobody knows whether it took effect.' : '';
      failure = cutLine(said + unknown, SHOWN_ERROR);
      call.isMistake = !isLate && (error as ToolCallError).isMistake;
      this.finishWith(call, tool, said + unknown, true);
    }
    this.host.stage('stage:tool_finished', finishedEvent(call, Math.round(performance.now() - begun), failure));
    await this.save();
  }

  private finishWith(call: CallState, tool: AgentTool, text: string, isError: boolean): void {
    const label = `${isError ? 'error' : 'result'} of ${tool.name}`;
    finish(call, fence(cutMiddle(text, this.rules.resultCharacters), label), isError);
  }

  private keep({ files = [], mgid, dashboardId, loads = [], usage }: ToolAnswer): void {
    const { state } = this;
    state.usage.promptTokens += usage?.tokens ?? 0;
    state.usage.cost += usage?.cost ?? 0;
    state.files.push(...files.filter((file) => !state.files.includes(file)));
    state.mgid = mgid ?? state.mgid;
    state.dashboardId = dashboardId ?? state.dashboardId;
    if (loads.length > 0) state.loadedTools = addLoaded(state.loadedTools, loads);
  }

  /** The outcomes become a message, which the next step reads. */
  private close(): void {
    const { state } = this;
    const outcomes = state.calls.map(({ call, outcome }) => ({ callId: call.id, name: call.name, ...outcome! }));
    state.messages = [...state.messages, { role: 'tool', outcomes }];
    state.mistakes = state.calls.every(({ isMistake }) => isMistake) ? state.mistakes + 1 : 0;
    state.calls = [];
  }

  /** One write after the other, so that a newer state is never overtaken by an older one. */
  private save(): Promise<void> {
    const next = this.saving.then(() => this.host.save(this.state));
    this.saving = next.catch(() => undefined);
    return next;
  }
}

function finish(call: CallState, output: string, isError: boolean): void {
  call.outcome = { output, isError };
  call.status = 'done';
}

function finishedEvent({ call, place, outcome }: CallState, durationMs: number, error: string | null) {
  return { tool: call.name, step_id: place, success: !(outcome?.isError ?? false), duration_ms: durationMs, error };
}

/** What a person reads of a call: its most telling argument. */
function describe(tool: AgentTool, input: Record<string, unknown>): string {
  const shown = shownArguments(input);
  const first = ['query', 'question', 'url', 'path', 'name', 'sql', 'to', 'file']
    .map((name) => shown[name])
    .find((value) => typeof value === 'string' && value !== '');
  return first === undefined ? tool.title : `${tool.title}: ${cutLine(first as string, 160)}`;
}

function textIn(reply: Record<string, unknown> | null): string {
  const text = reply?.message ?? reply?.text ?? reply?.value;
  return typeof text === 'string' ? text.trim() : '';
}

/** Ends the wait for a tool that does not listen to its signal. */
function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

async function inParallel<T>(items: readonly T[], width: number, work: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items];
  const lane = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, lane));
}
