import type { Catalogued } from './catalogued.js';
import { checkDraft, type CheckedDraft } from './checks/check-draft.js';
import type { KnownThings } from './checks/known-things.js';
import { type Json, nodesIn } from './json.js';
import { placeNodes } from './layout/place-nodes.js';
import { applyOperations } from './operations/apply-operations.js';
import { definitionAsOperations } from './operations/definition-as-operations.js';
import type { EditOperation } from './operations/edit-operation.js';
import { namesOf } from './operations/known-ids.js';
import { leadToAdded } from './operations/lead-to-added.js';
import { fitNodes } from './reading/fit-nodes.js';
import { newDefinition } from './reading/new-definition.js';
import { type AnswerTexts, readAnswer, type WrittenAnswer } from './reading/read-answer.js';
import { withTrigger } from './reading/with-trigger.js';

export interface AuthoredTask {
  request: string;
  /** What is changed; null: a new one is made. */
  base: Json | null;
  workflowId: string | null;
  things: KnownThings;
  /** Ids of nodes that are meant to be changed, for models that write all of them again. */
  meant: ReadonlySet<string>;
}

/**
 * A definition as it is being written, over one answer of a model and the repairs that follow. Every operation that was
 * applied is kept, so that all of them can be applied to a newer base.
 */
export class AuthoredDraft {
  texts: AnswerTexts = { name: null, summary: null, message: null, questions: [], suggestions: [] };
  private spec: Json | null;
  private operations: EditOperation[] = [];
  private touched = new Set<string>();
  private checked: CheckedDraft | null = null;

  constructor(
    private readonly task: AuthoredTask,
    private readonly catalogued: Catalogued,
    private readonly plannedName: string,
  ) {
    this.spec = task.base;
  }

  /** What came of the last answer. */
  get result(): CheckedDraft {
    return this.checked ?? { spec: this.spec ?? {}, problems: [], warnings: [], told: '' };
  }

  /** Whether something can be changed by operations. */
  get hasNodes(): boolean {
    return nodesIn(this.spec).length > 0;
  }

  /** Takes an answer in; null where it is none at all. */
  async take(answer: unknown): Promise<CheckedDraft | null> {
    const written = readAnswer(answer, this.catalogued.tools);
    if (!written) return null;
    const { name, summary, message, questions, suggestions } = written.texts;
    this.texts = {
      name: name ?? this.texts.name,
      summary: summary ?? this.texts.summary,
      message: message ?? this.texts.message,
      questions: questions.length > 0 ? questions : this.texts.questions,
      suggestions: suggestions.length > 0 ? suggestions : this.texts.suggestions,
    };
    const problems = [...written.problems, ...this.write(written)];
    this.checked = await this.check(problems);
    this.spec = this.checked.spec;
    return this.checked;
  }

  /**
   * All that was changed, upon a definition that somebody saved meanwhile; null where both changed the same, or where
   * what comes of it does not pass the checks.
   */
  async rebase(newer: Json): Promise<CheckedDraft | null> {
    const { base } = this.task;
    if (!base || this.operations.length === 0) return null;
    const [before, after] = [byId(base), byId(newer)];
    const changed = new Set([...before.keys(), ...after.keys()].filter((id) => before.get(id) !== after.get(id)));
    if ([...this.touched, ...this.operations.flatMap(namesOf)].some((id) => changed.has(id))) return null;
    const { catalogue } = this.catalogued;
    const { spec, touched, problems } = applyOperations(newer, this.operations, catalogue);
    // What could not be applied before was mended by the operations behind it.
    const former = new Set(applyOperations(base, this.operations, catalogue).problems);
    if (problems.some((problem) => !former.has(problem))) return null;
    const linked = leadToAdded(fitNodes(spec, touched, newer, this.catalogued), newer, this.catalogued);
    const all = new Set([...touched, ...linked.touched]);
    const checked = await checkDraft(
      { spec: placeNodes(linked.spec, newer), touched: all, ...this.where() },
      this.catalogued,
    );
    return checked.problems.some(({ isHard }) => isHard) ? null : checked;
  }

  /** @returns what could not be applied */
  private write({ operations, definition }: WrittenAnswer): string[] {
    const { base, meant } = this.task;
    if (definition && !base) {
      this.spec = newDefinition(definition, this.texts.name ?? this.plannedName, this.catalogued.catalogue);
      this.touched = new Set(nodesIn(this.spec).map(({ id }) => String(id)));
      return [];
    }
    if (!this.spec) return ['There is no definition yet: write one, with "nodes".'];
    const asked = definition
      ? definitionAsOperations(this.spec, definition, new Set([...meant, ...this.touched]))
      : null;
    const list = asked?.operations ?? operations ?? [];
    const { spec, touched, problems } = applyOperations(this.spec, list, this.catalogued.catalogue);
    this.spec = spec;
    this.operations.push(...list);
    for (const id of touched) this.touched.add(id);
    return [...(asked?.problems ?? []), ...problems];
  }

  private async check(problems: readonly string[]): Promise<CheckedDraft> {
    const { base, request } = this.task;
    const written = this.spec ?? {};
    const fitted = fitNodes(written, this.touched, base, this.catalogued);
    const started = base ? this.withLinks(fitted, base) : withTrigger(fitted, request, this.catalogued);
    for (const { id } of base ? [] : nodesIn(started)) this.touched.add(String(id));
    const placed = placeNodes(started, base);
    const checked = await checkDraft({ spec: placed, touched: this.touched, ...this.where() }, this.catalogued);
    const own = problems.map((message) => ({ code: 'not_applied', nodeId: null, message, isHard: true }));
    const isEmpty = nodesIn(placed).length === 0;
    const empty = { code: 'no_nodes', nodeId: null, message: 'The workflow has no nodes.', isHard: true };
    return { ...checked, problems: [...own, ...checked.problems, ...(isEmpty && !base ? [empty] : [])] };
  }

  private withLinks(fitted: Json, base: Json): Json {
    const { spec, touched } = leadToAdded(fitted, base, this.catalogued);
    for (const id of touched) this.touched.add(id);
    return spec;
  }

  private where() {
    const { things, workflowId } = this.task;
    return { things, workflowId };
  }
}

function byId(spec: Json): Map<string, string> {
  return new Map(nodesIn(spec).map((node) => [String(node.id), JSON.stringify(node)]));
}
