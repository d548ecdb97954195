import type { Tool } from '@app/workflow-definition/kit';

interface PureKind {
  /** With more JSON than this in its params it goes to another process; 0: always. */
  inlineBytes: number;
  load(): Promise<Tool>;
}

/** Their work grows with the input alone, and no faster than its square. */
const LINEAR = 8 * 1024;
/** Their work grows with one param times another. */
const PRODUCT = 2 * 1024;
/** A few signs can mean any amount of work. */
const ANY = 0;

const linear = (load: () => Promise<Tool>): PureKind => ({ inlineBytes: LINEAR, load });
const product = (load: () => Promise<Tool>): PureKind => ({ inlineBytes: PRODUCT, load });
const any = (load: () => Promise<Tool>): PureKind => ({ inlineBytes: ANY, load });

/** Kinds that reach nothing outside: wherever their work is done, it comes to the same. */
export const pureKinds = {
  manual_trigger: linear(async () => (await import('../triggers/manual-trigger.tool.js')).manualTriggerTool),
  webhook_trigger: linear(async () => (await import('../triggers/webhook-trigger.tool.js')).webhookTriggerTool),
  schedule_trigger: linear(async () => (await import('../triggers/schedule-trigger.tool.js')).scheduleTriggerTool),
  condition: linear(async () => (await import('../logic/condition.tool.js')).conditionTool),
  switch: linear(async () => (await import('../logic/switch.tool.js')).switchTool),
  merge: linear(async () => (await import('../logic/merge.tool.js')).mergeTool),
  no_op: linear(async () => (await import('../logic/no-op.tool.js')).noOpTool),
  set: linear(async () => (await import('../data/set.tool.js')).setTool),
  template: linear(async () => (await import('../data/template.tool.js')).templateTool),
  date: linear(async () => (await import('../data/date.tool.js')).dateTool),
  text: linear(async () => (await import('../data/text.tool.js')).textTool),
  number: linear(async () => (await import('../data/number.tool.js')).numberTool),
  crypto: linear(async () => (await import('../data/crypto.tool.js')).cryptoTool),
  parse_json: linear(async () => (await import('../data/parse-json.tool.js')).parseJsonTool),
  write_json: linear(async () => (await import('../data/write-json.tool.js')).writeJsonTool),
  parse_csv: linear(async () => (await import('../data/parse-csv.tool.js')).parseCsvTool),
  sort: linear(async () => (await import('../lists/sort.tool.js')).sortTool),
  limit: linear(async () => (await import('../lists/limit.tool.js')).limitTool),
  filter: linear(async () => (await import('../lists/filter.tool.js')).filterTool),
  deduplicate: product(async () => (await import('../lists/deduplicate.tool.js')).deduplicateTool),
  split: product(async () => (await import('../lists/split.tool.js')).splitTool),
  edit_fields: product(async () => (await import('../lists/edit-fields.tool.js')).editFieldsTool),
  aggregate: product(async () => (await import('../lists/aggregate.tool.js')).aggregateTool),
  summarise: product(async () => (await import('../lists/summarise.tool.js')).summariseTool),
  join_lists: product(async () => (await import('../lists/join-lists.tool.js')).joinListsTool),
  compare_lists: product(async () => (await import('../lists/compare-lists.tool.js')).compareListsTool),
  write_csv: product(async () => (await import('../data/write-csv.tool.js')).writeCsvTool),
  expression: any(async () => (await import('../data/expression.tool.js')).expressionTool),
  regex: any(async () => (await import('../data/regex.tool.js')).regexTool),
  code: any(async () => (await import('../code/code.tool.js')).codeTool),
  parse_xml: any(async () => (await import('../data/parse-xml.tool.js')).parseXmlTool),
  write_xml: any(async () => (await import('../data/write-xml.tool.js')).writeXmlTool),
  parse_html: any(async () => (await import('../data/parse-html.tool.js')).parseHtmlTool),
  markdown_to_html: any(async () => (await import('../data/markdown-to-html.tool.js')).markdownToHtmlTool),
} satisfies Record<string, PureKind>;

/** Undefined for kinds that reach something outside. */
export function pureKind(kind: string): PureKind | undefined {
  return Object.hasOwn(pureKinds, kind) ? pureKinds[kind as keyof typeof pureKinds] : undefined;
}
