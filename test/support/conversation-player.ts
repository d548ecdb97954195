import { newId } from '@app/common';
import type { ScriptedConversation, ScriptedTurn } from '../evals/conversations/scripted-conversations.js';
import type { HttpClient } from './http-client.js';
import type { Asked, ScriptedAnswer, ScriptedLlm } from './scripted-llm.js';

interface Reply {
  status: string;
  answer: string;
  turn_id: string;
  sources: { citation: number; filename: string }[];
  input: { request_id: string } | null;
}

/** What a model was sent for one step, in the order in which caches read it. */
export interface SentPrompt {
  turn: number;
  bytes: string;
}

export interface PlayedConversation {
  name: string;
  prompts: SentPrompt[];
  needed: { text: string; isThere: boolean }[];
  /** What is wrong with the sources of an answer. */
  wrongCitations: string[];
}

const CHAT = '/microservices/agent/chat/';

/** Plays conversations to the platform, with a model that keeps to the script. */
export class ConversationPlayer {
  constructor(
    private readonly llm: ScriptedLlm,
    private readonly user: HttpClient,
    /** Of files that can be attached, by name. */
    private readonly uids: ReadonlyMap<string, string>,
  ) {}

  async play({ name, turns }: ScriptedConversation): Promise<PlayedConversation> {
    const played: PlayedConversation = { name, prompts: [], needed: [], wrongCitations: [] };
    const conversation_id = newId();
    const numbers = new Map<string, number>();
    for (const [at, turn] of turns.entries()) {
      this.llm.answers((asked) => answerOf(turn, asked, numbers));
      const reply = await this.ask(conversation_id, turn);
      const asked = [...this.llm.asked];
      played.prompts.push(...asked.map(({ request }) => ({ turn: at, bytes: bytesOf(request) })));
      const first = JSON.stringify(asked[0]!.request.messages.slice(1)).replaceAll('\\"', '"').replaceAll('\\\\', '\\');
      for (const text of turn.needs ?? [])
        played.needed.push({ text, isThere: first.replaceAll('\\"', '"').includes(text) });
      this.judge(played, turn, reply, numbers);
    }
    return played;
  }

  private async ask(conversation_id: string, turn: ScriptedTurn): Promise<Reply> {
    const file_uids = (turn.attach ?? []).map((file) => this.uids.get(file)!);
    const reply = await this.user.post<Reply>(CHAT, { conversation_id, message: turn.say, file_uids });
    if (!turn.choose) return reply;
    const { turn_id, input } = reply;
    return this.user.post<Reply>(`${CHAT}reply/`, { turn_id, request_id: input!.request_id, choice: turn.choose });
  }

  private judge(played: PlayedConversation, turn: ScriptedTurn, reply: Reply, numbers: Map<string, number>): void {
    const wanted = turn.sources ?? [];
    const shown = reply.sources.map(({ filename }) => filename);
    if (shown.toSorted().join() !== wanted.toSorted().join())
      played.wrongCitations.push(`${turn.say} shows ${shown.join() || 'nothing'} for ${reply.answer}`);
    for (const { filename, citation } of reply.sources) {
      const known = numbers.get(filename) ?? citation;
      const isTaken = [...numbers].some(([other, number]) => other !== filename && number === citation);
      if (known !== citation || isTaken)
        played.wrongCitations.push(`${turn.say} numbers ${filename} anew: ${citation}`);
      numbers.set(filename, citation);
    }
  }
}

function answerOf(turn: ScriptedTurn, { results }: Asked, numbers: ReadonlyMap<string, number>): ScriptedAnswer {
  const calls = turn.steps?.[results.length];
  if (calls) return { calls };
  const text = turn.answer
    .replaceAll(/\{cite:([^}]+)\}/g, (_, file: string) => `[${citationIn(results.at(-1) ?? '', file)}]`)
    .replaceAll(/\{copy:([^}]+)\}/g, (_, file: string) => `[${numbers.get(file)}]`);
  return { text };
}

/** The number that a result of a search has for a file. */
function citationIn(result: string, file: string): number {
  const before = result.slice(0, result.indexOf(`"filename":"${file}"`));
  return Number([...before.matchAll(/"citation":(\d+)/g)].at(-1)?.[1]);
}

function bytesOf({ tools, messages }: Asked['request']): string {
  return JSON.stringify([tools, messages]);
}

/** How much of each prompt the next one begins with, of 1. */
export function sharedPrefixes(prompts: readonly SentPrompt[]): { within: number[]; between: number[] } {
  const shares = { within: [] as number[], between: [] as number[] };
  for (const [at, { turn, bytes }] of prompts.entries()) {
    const before = prompts[at - 1];
    if (before) shares[before.turn === turn ? 'within' : 'between'].push(sharedPrefix(before.bytes, bytes));
  }
  return shares;
}

/** The brackets that close the former one are not counted against it. */
export function sharedPrefix(before: string, after: string): number {
  const length = before.replace(/[\]}]+$/, '').length;
  let same = 0;
  while (same < length && before[same] === after[same]) same += 1;
  return same / length;
}
