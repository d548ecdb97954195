import { promisify } from 'node:util';
import { deflateRaw, inflateRawSync } from 'node:zlib';
import { type AgentState, newAgentState, packState, unpackState } from './agent-state.js';

/** Texts that were written beside a state, once: a JSON list, packed. */
export interface KeptTexts {
  seq: number;
  texts: Buffer;
}

export interface PackedState {
  row: Record<string, unknown>;
  /** What the row names that was not written before. */
  added: (KeptTexts & { list: readonly string[] }) | null;
}

/** Shorter ones stand in the row itself. */
const LEAST_CHARACTERS = 200;
const MAX_BYTES = 64 * 1024 * 1024;
const VERSION = 2;
/** A text that begins with it stands elsewhere: `t` a text, `j` JSON. Doubled: the text itself begins so. */
const MARK = '\u0001';
/** Grow by an element at a time. */
const LISTS: readonly (keyof AgentState)[] = ['messages', 'sources'];

const pack = promisify(deflateRaw);

/**
 * The state of one turn as it is kept: long texts and the elements of growing lists are written once, and the row, which
 * is written at each step, names them. What is not named any more goes with the turn's end.
 */
export class KeptState {
  private readonly places = new Map<string, string>();
  private readonly texts = new Map<string, string>();
  private nextSeq = 1;

  /** @param kept what was written of this turn so far */
  constructor(kept: readonly KeptTexts[]) {
    for (const { seq, texts } of kept) {
      const list = JSON.parse(inflateRawSync(texts, { maxOutputLength: MAX_BYTES }).toString()) as string[];
      this.note(seq, list);
      this.nextSeq = Math.max(this.nextSeq, seq + 1);
    }
  }

  /** Null for none, and for one that cannot be read: such a turn begins anew after what was told. */
  read(row: Record<string, unknown> | null): AgentState | null {
    if (row?.v !== VERSION) return unpackState(row);
    try {
      return { ...newAgentState(), ...(this.revive(row.state) as Partial<AgentState>) };
    } catch {
      return null;
    }
  }

  /**
   * The state as it is at the time of the call; nothing of it counts as written before `written` is told. States are
   * kept one after the other.
   */
  async pack(state: AgentState): Promise<PackedState> {
    const added: string[] = [];
    const known = new Map<string, string>();
    const refer = (kind: 't' | 'j', text: string): string => {
      const place = this.places.get(text) ?? known.get(text) ?? `${this.nextSeq}.${added.push(text) - 1}`;
      known.set(text, place);
      return `${MARK}${kind}${place}`;
    };
    const shorten = (value: unknown): unknown => {
      if (typeof value === 'string') {
        if (value.length >= LEAST_CHARACTERS) return refer('t', value);
        return value.startsWith(MARK) ? MARK + value : value;
      }
      if (Array.isArray(value)) return value.map(shorten);
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shorten(one)]));
    };
    const row = shorten(state) as Record<string, unknown>;
    for (const name of LISTS)
      row[name] = (row[name] as unknown[]).map((element) => {
        const text = JSON.stringify(element);
        return text.length >= LEAST_CHARACTERS ? refer('j', text) : element;
      });
    // As the release before wrote it, and can go on from.
    if (known.size === 0) return { row: await packState(state), added: null };
    const packed = { v: VERSION, state: row };
    if (added.length === 0) return { row: packed, added: null };
    const seq = this.nextSeq;
    return { row: packed, added: { seq, list: added, texts: await pack(JSON.stringify(added), { level: 3 }) } };
  }

  /** What was packed last stands in the database. */
  written({ added }: PackedState): void {
    if (!added) return;
    this.note(added.seq, added.list);
    this.nextSeq = added.seq + 1;
  }

  private note(seq: number, texts: readonly string[]): void {
    for (const [index, text] of texts.entries()) {
      this.places.set(text, `${seq}.${index}`);
      this.texts.set(`${seq}.${index}`, text);
    }
  }

  private revive(value: unknown): unknown {
    if (typeof value === 'string') {
      if (!value.startsWith(MARK)) return value;
      if (value.startsWith(MARK + MARK)) return value.slice(1);
      const text = this.texts.get(value.slice(2));
      if (text === undefined) throw new Error('A part of the state is gone.');
      return value[1] === 'j' ? this.revive(JSON.parse(text)) : text;
    }
    if (Array.isArray(value)) return value.map((one) => this.revive(one));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, this.revive(one)]));
  }
}
