import type { Clock } from '@app/common';
import { NO_NAME, NO_SUCH_TOOL } from '@app/integrations';
import type { AgentWait } from './agent-end.js';
import type { AgentHost } from './agent-host.js';
import type { AgentState, CallState } from './agent-state.js';
import type { ApprovalPolicy } from './approvals.js';
import { CallExecution, type ExecutionRules } from './call-execution.js';
import { finish, finishedEvent } from './call-outcome.js';
import { CallQuestions, consentDigest, type QuestionRules, sentBy } from './call-questions.js';
import { CUT_ARGUMENTS } from './cut-short.js';
import { LONG_ARGUMENTS } from './written-bounds.js';
import { flowNeeds, type HeardParties, newlyHeard } from './heard.js';
import { type AgentTool, type ApprovalNeed, type MissingArgument, missingArguments } from './tool.js';
import { takeNote } from './repeats.js';
import { unknownArguments } from './unknown-arguments.js';
import { addLoaded, ASK_USER, type AgentTools } from './agent-tools.js';
import type { UserWords } from './user-words.js';

/** Calls that only read, at the same time. */
const AT_ONCE = 6;
const MAX_CALLS = 24;
const LOST =
  'The worker was lost while this call was at work: nobody knows whether it took effect. It was not repeated. Find out with a tool that reads, or tell the user; do not simply call it again.';

export interface CallRules extends QuestionRules, ExecutionRules {
  policy: ApprovalPolicy;
  /** Where it is kept whose words the conversation holds; nowhere when absent. */
  heard?: HeardParties;
}

/** Sees to the calls of the newest step, each once, and asks where a person has a say. */
export class CallSettler {
  private readonly questions: CallQuestions;
  private readonly execution: CallExecution;
  private saving: Promise<void> = Promise.resolve();

  constructor(
    private readonly state: AgentState,
    private readonly host: AgentHost,
    private readonly tools: AgentTools,
    private readonly rules: CallRules,
    clock: Clock,
    private readonly wordsOf: (replies: readonly string[]) => UserWords,
  ) {
    const save = (): Promise<void> => this.save();
    this.questions = new CallQuestions(state, rules, clock, save);
    this.execution = new CallExecution(state, host, rules, save);
  }

  /** What was replied to the question of that name; `null`: nobody replied in time. */
  take(requestId: string, reply: Record<string, unknown> | null): Promise<void> {
    return this.questions.take(requestId, reply);
  }

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
      if (readers.length > 0)
        await inParallel(readers, AT_ONCE, (call) =>
          this.execution.carryOut(call, this.tools.find(call.call.name)!, toolSignal),
        );
      else {
        const wait = await this.settleOne(open[0]!, toolSignal);
        if (wait) {
          this.host.traceCalls?.(calls);
          return wait;
        }
      }
    }
    const heard = newlyHeard(this.state.heard, calls);
    // Kept before the model reads it: whatever becomes of this turn, the next one knows.
    if (Object.keys(heard).length > 0) await this.rules.heard?.add(heard);
    Object.assign(this.state.heard, heard);
    // Before the state forgets them: a worker that is lost in between tells of them again.
    this.host.traceCalls?.(calls);
    this.close();
    await this.save();
    return null;
  }

  /** Of calls that another worker was lost with. */
  private recover(): void {
    for (const call of this.state.calls) {
      if (call.status !== 'started') continue;
      finish(call, LOST, true);
      this.host.stage('stage:tool_finished', finishedEvent(call, 0, 'outcome_unknown'));
    }
  }

  /** The first open calls, as long as they only read and need nobody. */
  private async leadingReaders(open: readonly CallState[]): Promise<CallState[]> {
    const readers: CallState[] = [];
    for (const call of open) {
      const tool = this.tools.find(call.call.name);
      if (call.status !== 'pending' || call.call.problem !== undefined || !tool) break;
      if (unknownArguments(tool, call.call.input) !== null) break;
      if (missingArguments(tool, call.call.input).length > 0 || tool.effectsOf(call.call.input) !== 'none') break;
      if ((await this.approvalsNeeded(tool, call)).length > 0) break;
      readers.push(call);
    }
    return readers;
  }

  private async settleOne(call: CallState, toolSignal: AbortSignal): Promise<AgentWait | null> {
    if (call.status === 'asking') return this.questions.waitFor(call);
    const { name, input, problem } = call.call;
    if (this.state.calls.indexOf(call) >= MAX_CALLS)
      return this.refuse(call, 'Too many calls in one step; make fewer at a time.');
    if (problem === NO_NAME) return this.refuse(call, `${NO_NAME} Nothing was done: call a tool by its name.`);
    const tool = this.tools.find(name);
    if (!tool && !(name === ASK_USER && this.tools.asksUser)) return this.refuse(call, await this.tools.missing(name));
    // A tool that was not shown in this step can be called all the same.
    if (problem !== undefined && problem !== NO_SUCH_TOOL)
      return this.refuse(
        call,
        problem === CUT_ARGUMENTS || problem === LONG_ARGUMENTS
          ? problem
          : `${problem} Write them as one JSON object that fits the schema of the tool.`,
      );
    if (!tool) return (await this.questions.clarify(call)) ?? this.refuse(call, 'The argument question is required.');
    if (this.tools.isDeferred(name)) this.state.loadedTools = addLoaded(this.state.loadedTools, [name]);
    // Left out silently, they would have the call do something else than was meant.
    const unknown = unknownArguments(tool, input);
    if (unknown !== null) return this.refuse(call, unknown);
    const missing = missingArguments(tool, input);
    if (missing.length > 0) return this.lack(call, tool, missing);
    const needs = await this.approvalsNeeded(tool, call);
    if (needs.length > 0 && this.rules.policy === 'deny')
      return this.refuse(call, 'This deployment allows agents no calls with effects outside.', false);
    if (needs.length > 0) return this.questions.askForApproval(call, tool, needs);
    await this.execution.carryOut(call, tool, toolSignal);
    return null;
  }

  /** The model is told first: it may have forgotten what it knows. It is all there is where nobody could reply. */
  private lack(call: CallState, tool: AgentTool, missing: readonly MissingArgument[]): Promise<AgentWait | null> {
    const { lacked } = this.state;
    if (lacked.includes(tool.name) && this.tools.asksUser) return this.questions.askForArguments(call, tool, missing);
    if (!lacked.includes(tool.name)) lacked.push(tool.name);
    const names = missing.map(({ name }) => name).join(', ');
    const last = this.tools.asksUser
      ? ' If only the user can know that, call it again without, and the user is asked.'
      : '';
    return this.refuse(call, `The call lacks ${names}. Call it again with everything it needs.${last}`);
  }

  /** Empty where nobody has to be asked, or where a person agreed to just this call. */
  private async approvalsNeeded(tool: AgentTool, { call, status, agreed }: CallState): Promise<ApprovalNeed[]> {
    if (this.rules.policy === 'allow') return [];
    const words = this.wordsOf(this.state.replies);
    const sent = sentBy(tool, call.input);
    const needs: ApprovalNeed[] = [];
    for (const need of [await tool.approvalFor(call.input, words), ...flowNeeds(tool, sent, this.state.heard, words)])
      if (need && !(await this.rules.approvals.isGranted(need.key))) needs.push(need);
    if (needs.length === 0 || status !== 'approved' || agreed?.digest !== consentDigest(tool, call.input)) return needs;
    return needs.every(({ key }) => agreed.keys.includes(key)) ? [] : needs;
  }

  private async refuse(call: CallState, why: string, isMistake = true): Promise<null> {
    call.isMistake = isMistake;
    finish(call, why, true);
    await this.save();
    return null;
  }

  /** The outcomes become a message, which the next step reads. */
  private close(): void {
    const { state } = this;
    state.progress = takeNote(state.progress, state.calls, (name) => this.tools.find(name));
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

async function inParallel<T>(items: readonly T[], width: number, work: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items];
  const lane = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, lane));
}
