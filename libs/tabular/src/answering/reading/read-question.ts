import type { AskedTable, Choice } from '../asked-table.js';
import type { PastTurn } from '../prompts.js';
import { asksWhichWay } from './clarification.js';
import { isShort, NOT_READ, QuestionReader, type QuestionRead } from './read-alone.js';
import type { UnclearQuestion } from './reading.js';
import { choiceIn, choiceSaid, chosenBy } from './replies.js';

/** Turns of a conversation that a question goes on with. */
const MOST_TURNS = 8;
/** Of these, those that may be replies. */
const MOST_REPLIES = 4;

/**
 * Understands simple questions in some languages without a model: counts, sums, averages, lowest, highest and middle
 * values, by columns, over rows that equal or exceed something, the first of an order. Every word must be understood:
 * a question with any other word is not read at all, rather than half; one that can be read in several ways is asked back.
 * @param today ISO date, from which "last month" is told; without it nothing is
 */
export function readQuestion(
  question: string,
  tables: readonly AskedTable[],
  history: readonly PastTurn[],
  today: string | null = null,
): QuestionRead {
  if (!isShort(question)) return NOT_READ;
  const conversation = new Conversation(tables, today);
  const past = history.slice(-MOST_TURNS);
  const open = Math.max(1, past.length + 1 - MOST_REPLIES);
  for (const [at, turn] of past.entries()) conversation.add(turn.question, at < open ? undefined : past[at - 1]);
  conversation.add(question, past.at(-1));
  return conversation.read();
}

/**
 * What was asked, turn by turn. A reply to what was asked back is no question of its own: the question is read again with
 * what was chosen, and so are those that go on with it.
 */
class Conversation {
  private readonly questions: string[] = [];
  private readonly chosen: Choice[] = [];
  /** Whether any of these is for the last question. */
  private isChosen = false;
  /** What the last of them was chosen of. */
  private asked: UnclearQuestion | null = null;
  /** As the last question is read. */
  private known: QuestionRead | null = null;
  private readonly reader: QuestionReader;

  constructor(
    private readonly tables: readonly AskedTable[],
    private readonly today: string | null,
  ) {
    this.reader = new QuestionReader(tables, today);
  }

  /** @param before what was asked and answered before it */
  add(text: string, before: PastTurn | undefined): void {
    const isOpen = before && isShort(text) && (before.sql === null || asksWhichWay(before.answer));
    const asked = isOpen ? this.askedBack(before.answer) : null;
    const place = asked && choiceIn(text, asked, this.read().language);
    if (asked && place !== null) return this.choose(asked, place);
    // "Total Salary" behind the answer to "average Salary": the other choice.
    const again = this.asked && choiceSaid(text, this.asked);
    if (this.asked && again !== null) {
      if (this.isChosen) this.chosen.pop();
      return this.choose(this.asked, again);
    }
    this.asked = null;
    this.questions.push(text);
    this.isChosen = false;
    this.known = null;
  }

  /** The last question, as it is meant. */
  read(): QuestionRead {
    return (this.known ??= this.readLast());
  }

  private choose(asked: UnclearQuestion, place: number): void {
    this.asked = asked;
    const before = this.read();
    const choice = chosenBy(asked, place);
    this.known = { ...before, reading: asked.readings?.[place] ?? null, unknown: [] };
    if (!choice) return;
    this.chosen.push(choice);
    this.isChosen = true;
    const read = this.readLast();
    const { reading } = read;
    // What was chosen is of no use here: to ask the same again would be of none either.
    const isSame = reading?.kind === 'unclear' && reading.what === asked.what && reading.about === asked.about;
    if (!isSame) this.known = read;
  }

  private askedBack(answer: string): UnclearQuestion | null {
    const { reading } = this.read();
    if (reading?.kind !== 'query') return reading;
    // That the ways to reckon lead to different answers was found in the data.
    const { measure, rivals } = reading;
    if (!measure || rivals.length === 0 || !asksWhichWay(answer)) return null;
    const ways = [measure.aggregate, ...rivals];
    const readings = ways.map((aggregate) => ({ ...reading, measure: { ...measure, aggregate }, rivals: [] }));
    return { kind: 'unclear', what: 'readings', about: '', choices: [], readings };
  }

  private readLast(): QuestionRead {
    const question = this.questions.at(-1) ?? '';
    const past = this.questions.slice(0, -1);
    const fresh = this.isChosen ? null : this.reader.read(question, past);
    // What needs no choice is not read by one.
    if (fresh && (fresh.reading?.kind === 'query' || this.chosen.length === 0)) return fresh;
    const names = this.chosen.filter(({ what }) => what === 'table').map(({ choice }) => choice);
    const tables = this.tables.filter(({ alias }) => names.length === 0 || names.includes(alias));
    const told = tables.map((table) => ({ ...table, chosen: this.chosen }));
    const read = new QuestionReader(told, this.today).read(question, past);
    return read.reading === null && fresh ? fresh : read;
  }
}
