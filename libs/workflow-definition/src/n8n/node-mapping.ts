import { cutText } from '@app/common';
import type { ToolCatalogue } from '../tools/tool-catalogue.js';
import { isObject } from './json-object.js';
import {
  isExpression,
  missingIn,
  nodesReadBy,
  pairsReadBy,
  parsePathExpression,
  parseSegments,
  type PathExpression,
} from './expression.js';
import type { N8nNode, N8nWorkflow } from './n8n-workflow.js';
import { serve, type ServedNode } from './served-nodes.js';
import { mapScript, objectOf, readsTime, valuesScript } from './script.js';
import { fieldOf, isReferable, listValue, refTo, type Shape } from './shape.js';

export interface SpecNode {
  id: string;
  kind: string;
  name: string;
  params: Record<string, unknown>;
  next: string[];
  [key: string]: unknown;
}

/** What a mapper says of the nodes that it made. */
export interface MappedOutputs {
  /** What each output hands on. */
  shapes: Shape[];
  /** Leads an output to further nodes; when absent, the only output is that of the last node. */
  connect?(output: number, targetIds: readonly string[]): void;
}

/** Null: this node cannot be mapped. */
export type Mapper = (node: NodeMapping) => MappedOutputs | null;

export interface MappingScope {
  workflow: N8nWorkflow;
  catalogue: ToolCatalogue;
  /** The first output of a node that was mapped before; undefined for any other. */
  shapeOf(name: string): Shape | undefined;
  /** The name of a node in between that changes which items there are, or their order; null for none. */
  reordererBetween(name: string): string | null;
}

const MAX_NAME = 100;
/** Computed values of one node. */
const MAX_VALUES = 500;
const FIRST_ONLY = 'It runs once, for the first item; n8n runs it for each.';

/** Collections that hold only what an author added. */
const OPTIONS = ['options', 'additionalOptions'];
/** They change nothing of what a node does, or stand beside the setting that does. */
const WITHOUT_EFFECT = new Set([
  'appendAttribution',
  'includeLinkToWorkflow',
  'ignoreCase',
  'looseTypeValidation',
  'reset',
]);

/** The parameters, whose options leave `unread` as they are read. */
function watched(parameters: Record<string, unknown>, unread: Set<string>): Record<string, unknown> {
  const collections = OPTIONS.flatMap((name): [string, unknown][] => {
    const options = parameters[name];
    if (!isObject(options)) return [];
    for (const [key, value] of Object.entries(options)) if (!WITHOUT_EFFECT.has(key) && isSet(value)) unread.add(key);
    return [[name, new Proxy(options, readerOf(unread))]];
  });
  return { ...parameters, ...Object.fromEntries(collections) };
}

function readerOf(unread: Set<string>): ProxyHandler<Record<string, unknown>> {
  return {
    get(options, key, receiver): unknown {
      unread.delete(String(key));
      return Reflect.get(options, key, receiver);
    },
    // Of those who ask whether it is there, and who list or copy all of them.
    getOwnPropertyDescriptor(options, key) {
      unread.delete(String(key));
      return Reflect.getOwnPropertyDescriptor(options, key);
    },
  };
}

function isSet(value: unknown): boolean {
  if (value === null || value === undefined || value === false || value === '') return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}

/** The mapping of one n8n node to one or more nodes, the first of which is where its predecessors lead. */
export class NodeMapping {
  readonly nodes: SpecNode[] = [];
  /** In which way the new nodes do not do exactly what the old one did. */
  readonly notes = new Set<string>();
  /** Options that its author added, and that nobody has asked for yet. */
  private readonly unread = new Set<string>();
  private readable: Record<string, unknown> | null = null;
  private readonly values: Record<string, string> = {};
  /** Whether values are being made for each item of a batch, and by what `_item` stands for the item itself. */
  private each: { item: string } | null = null;
  private readonly readByValues = new Set<string>();
  private isValuePerItem = false;
  private valueCount = 0;

  constructor(
    readonly source: N8nNode,
    /** The id of its main node. Those of helpers have two underscores, which no name of n8n ends up with. */
    readonly id: string,
    /** What reaches it, and what reaches each of its inputs. */
    readonly input: Shape,
    readonly inputs: readonly Shape[],
    private readonly scope: MappingScope,
  ) {}

  get parameters(): Record<string, unknown> {
    return (this.readable ??= watched(this.source.parameters, this.unread));
  }

  /** Sample items that were pinned to it. */
  get pinned(): unknown[] {
    return this.scope.workflow.pinned.get(this.source.name) ?? [];
  }

  /** The nodes that served it: its model, its tools and the like. */
  get attachments(): ServedNode[] {
    const { workflow, catalogue } = this.scope;
    const names = new Set(workflow.attachments.get(this.source.name));
    return workflow.all.filter(({ name }) => names.has(name)).map((source) => serve(source, catalogue));
  }

  has(kind: string): boolean {
    return this.scope.catalogue.find(kind) !== undefined;
  }

  note(text: string): void {
    this.notes.add(text);
  }

  /** After the mapping: of an option that no part of it has looked at nothing can have come. */
  noteUnread(): void {
    for (const name of this.unread) this.note(`Its option “${name}” does nothing here.`);
  }

  /** Appends a node after those there are. @param suffix for helpers; none: the main node. */
  add(kind: string, params: Record<string, unknown>, suffix = ''): SpecNode {
    const id = suffix === '' ? this.id : `${this.id}__${suffix}`;
    const name = suffix === '' ? this.source.name : `${this.source.name} (${suffix})`;
    const node: SpecNode = { id, kind, name: cutText(name, MAX_NAME), params, next: [] };
    this.nodes.at(-1)?.next.push(id);
    this.nodes.push(node);
    return node;
  }

  /** A node that runs a script over the input. @param reads other nodes that it reads by name. */
  addScript(code: string, reads: readonly string[], suffix = ''): SpecNode {
    this.noteMissing(code);
    return this.add('code', this.scriptParams(code, reads), suffix);
  }

  /**
   * A node of the kind for each item of the input, as n8n does it; for the first alone where there are no batches.
   * @param makeParams called at the right time for `value` and `text`, once or, where values are computed, twice.
   * @returns where the output of the kind is: of the node, or as the fields of a list of outputs.
   */
  addForEach(kind: string, makeParams: () => Record<string, unknown>): { outputs: string; isList: boolean } {
    if (this.input.type === 'single' || !this.has('batch') || !this.has('code')) {
      const { id } = this.add(kind, makeParams());
      return { outputs: `_output.${id}`, isList: false };
    }
    const makeFor = (item: string): Record<string, unknown> => {
      this.each = { item };
      const params = makeParams();
      this.each = null;
      return params;
    };
    const before = this.valueCount;
    let params = makeFor('_item');
    const isComputed = this.valueCount > before;
    if (isComputed) {
      // With values that are computed for each item, the item itself is a field beside them.
      this.valueCount = before;
      params = makeFor('_item.item');
    }
    const items = isComputed ? refTo(`_output.${this.id}__values.result`) : this.listInput();
    this.isValuePerItem = isComputed;
    const { id } = this.add('batch', { items, kind, params });
    return { outputs: `_output.${id}.results`, isList: true };
  }

  /** The input as the value of a list parameter; what only the run can tell is made a list by a node of its own. */
  listInput(): unknown {
    const value = listValue(this.input);
    if (value !== null || this.input.type !== 'either') return value;
    const { id } = this.add('merge', { values: [refTo(this.input.ref)], mode: 'append' }, 'items');
    return refTo(`_output.${id}.value`);
  }

  /** A parameter with its expressions made references; what has to be computed is, by a script that runs before. */
  value(parameter: unknown): unknown {
    if (isExpression(parameter)) return this.expression(parameter);
    if (Array.isArray(parameter)) return parameter.map((item) => this.value(item));
    if (typeof parameter !== 'object' || parameter === null) return parameter;
    return Object.fromEntries(Object.entries(parameter).map(([key, item]) => [key, this.value(item)]));
  }

  /** `value` of an expression without anything around it, made another type by `convert`, where there are scripts. */
  converted(parameter: string, convert: (js: string) => string): unknown {
    const [only] = parseSegments(parameter);
    return only && 'js' in only ? this.computed(only.js, parameter, convert) : this.value(parameter);
  }

  /** `value` for what must be a text; a reference stays one. */
  text(parameter: unknown): unknown {
    const value = this.value(parameter);
    if (typeof value === 'object' && value !== null && !('$ref' in value)) return JSON.stringify(value);
    return value === null || value === undefined ? '' : typeof value === 'object' ? value : String(value);
  }

  /** Puts the script for computed values before the other nodes, and applies what n8n says of failures. */
  finish(): void {
    if (this.valueCount > 0 || this.isValuePerItem) {
      const code = this.isValuePerItem
        ? mapScript(objectOf({ item: '$json', ...this.values }))
        : valuesScript(this.values);
      const id = `${this.id}__values`;
      const name = cutText(`${this.source.name} (values)`, MAX_NAME);
      const params = this.scriptParams(code, [...this.readByValues]);
      this.nodes.unshift({ id, kind: 'code', name, params, next: [this.nodes[0]!.id] });
    }
    const main = this.nodes.find(({ id }) => id === this.id);
    if (!main) return;
    const { onError, continueOnFail, retryOnFail, maxTries, waitBetweenTries } = this.source;
    if (onError === 'continueRegularOutput' || (continueOnFail && !onError)) main.on_error = 'continue';
    if (retryOnFail) {
      const seconds = Math.min(Math.max(waitBetweenTries / 1_000, 0), 3_600);
      const attempts = Math.min(Math.max(Math.round(maxTries), 1), 10);
      main.retry = { max_attempts: attempts, backoff_seconds: seconds, multiplier: 1, max_seconds: seconds };
    }
  }

  private expression(parameter: string): unknown {
    const segments = parseSegments(parameter);
    if (segments.length === 1 && 'js' in segments[0]!) return this.computed(segments[0].js, parameter);
    const parts = segments.map((segment) => {
      if ('text' in segment) return segment.text;
      const value = this.computed(segment.js, `{{ ${segment.js} }}`);
      if (typeof value !== 'object' || value === null) return value === null ? '' : String(value);
      return '$ref' in value ? `{{${String(value.$ref)}}}` : JSON.stringify(value);
    });
    return parts.join('');
  }

  /**
   * @param kept what stands there instead when nothing can compute it.
   * @param convert makes of its JavaScript one that gives another type; where nothing can compute it, it stays as it is.
   */
  private computed(js: string, kept: string, convert?: (js: string) => string): unknown {
    const canCompute = this.has('code') && this.valueCount < MAX_VALUES;
    const read = this.readPath(js);
    if (read) {
      const shape = read.node === null ? this.input : this.scope.shapeOf(read.node);
      if (!shape) {
        this.note(`It reads “${read.node}”, which does not run before it.`);
        return null;
      }
      if (this.each && read.node === null) return fieldOf({ type: 'single', item: refTo(this.each.item) }, read.path);
      const value = fieldOf(shape, read.path);
      if (value === undefined) this.note(`{{ ${cutText(js, 100)} }} is not available here and is empty.`);
      if (shape.type === 'list') this.note(FIRST_ONLY);
      if (value === undefined) return null;
      if (!convert || !canCompute) return value;
    }
    if (!canCompute) {
      this.note(`{{ ${cutText(js, 100)} }} is kept as a text.`);
      return kept;
    }
    if (this.input.type === 'list' && !this.each) this.note(FIRST_ONLY);
    this.noteMissing(js);
    const name = `v${this.valueCount}`;
    this.valueCount += 1;
    this.values[name] = `__try(() => (${convert ? convert(`(${js}\n)`) : js}\n))`;
    for (const node of nodesReadBy(js)) this.readByValues.add(node);
    return refTo(this.each ? `_item.${name}` : `_output.${this.id}__values.result.${name}`);
  }

  /** A path that a reference can say; a batch has no reference to the item of another list. */
  private readPath(js: string): PathExpression | null {
    const read = parsePathExpression(js);
    if (!read || !isReferable(read.path)) return null;
    const isPaired = this.each !== null && read.node !== null && this.scope.shapeOf(read.node)?.type !== 'single';
    return isPaired && this.scope.shapeOf(read.node!) ? null : read;
  }

  private scriptParams(code: string, reads: readonly string[]): Record<string, unknown> {
    const nodes = reads.flatMap((name): [string, unknown][] => {
      const shape = this.scope.shapeOf(name);
      if (!shape) this.note(`It reads “${name}”, which does not run before it.`);
      return shape ? [[name, shape.type === 'either' ? refTo(shape.ref) : listValue(shape)]] : [];
    });
    const { input } = this;
    const params = {
      ...(nodes.length > 0 && { nodes: Object.fromEntries(nodes) }),
      ...(input.type === 'either' && { input: refTo(input.ref) }),
      ...(code.includes('$workflow.name') && { workflow: this.scope.workflow.name }),
    };
    return { code, ...(input.type !== 'either' && { items: listValue(input) }), params };
  }

  private noteMissing(code: string): void {
    const own = code.slice(code.lastIndexOf('const __json = ') + 1);
    for (const name of missingIn(own)) this.note(`It uses ${name}, which scripts do not have here.`);
    if (readsTime(own)) this.note('Its times are in UTC, not in a time zone of the workflow.');
    for (const name of pairsReadBy(own)) this.notePairing(name);
  }

  /** n8n keeps from which item each one came; here they are found by their place. */
  private notePairing(name: string): void {
    const shape = this.scope.shapeOf(name);
    const between = shape && shape.type !== 'single' ? this.scope.reordererBetween(name) : null;
    if (between !== null)
      this.note(
        `It takes the item of “${name}” at the same place, not the one that its item came from: “${between}” changes which items there are, or their order.`,
      );
  }
}
