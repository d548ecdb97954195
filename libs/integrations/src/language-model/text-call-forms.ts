/** A call as it stands in a text. */
export type TextCall = {
  /** What of it must not stand in what the model was given: each is a quotation there, and so is the call. */
  marks: readonly string[];
} & (
  | /** `{"name": …, "arguments": …}`, or what was meant to be. */ { object: string }
  | /** The arguments as JSON. */ { name: string; json: string }
  | /** Arguments by their names, each as a text. */ { name: string; values: readonly (readonly [string, string])[] }
  | { name: string; problem: string }
);

/** How calls begin, and how they go on. */
export interface CallForm {
  opening: string;
  /** Whether what stands behind the opening is a call, rather than a sentence that speaks of one; whether it may become one. */
  tells(behind: string): 'call' | 'perhaps' | null;
  /** Null: nothing stands behind such calls, they are read at the end of the answer. */
  closing: string | null;
  /** A mark of which no prose is made: it may stand straight behind a sentence. */
  isToken: boolean;
  /** What was read, and what stands behind it. @param isWhole whether it had its end: values that are texts have none of their own */
  read(body: string, isWhole: boolean): { calls: TextCall[]; rest: string };
}

/** Blanks that may stand within a mark. */
const MAX_BLANKS = 60;
/** More values than a call has. */
const MAX_VALUES = 100;
const NAME = /^[a-zA-Z0-9_.-]{1,64}/;
const TOKEN = /<[|｜][\w▁]{1,40}[|｜]>/g;
const NO_END = 'The arguments broke off before their end.';
const UNCLEAR = 'The arguments cannot be told apart: one is named twice, or there are too many.';

/** In which forms servers without a parser leave the calls of their models: those of the chat templates. */
export const CALL_FORMS: readonly CallForm[] = [
  // Hermes and Qwen: JSON. Qwen3-Coder: functions. GLM: a name, keys and values.
  {
    opening: '<tool_call>',
    closing: '</tool_call>',
    isToken: false,
    tells: tellsBy(/^(?:\s{0,60}[{[<]|\w)/, new RegExp(`^\\s{0,${MAX_BLANKS}}$`)),
    read: (body, isWhole) => ({ calls: readTagged(body, isWhole), rest: '' }),
  },
  // Qwen3-Coder, which often leaves the outer mark out; Llama with JSON in it.
  {
    opening: '<function=',
    closing: '</function>',
    isToken: false,
    tells: tellsBy(
      /^[a-zA-Z0-9_.-]{1,64}>\s{0,60}(?:<parameter=|<\/function>|\{)/,
      /^[a-zA-Z0-9_.-]{0,64}(?:>\s{0,60}(?:<[a-z/]{0,10})?)?$/,
    ),
    read: (body, isWhole) => ({
      calls: readFunctions(`<function=${body}${isWhole ? '</function>' : ''}`, false),
      rest: '',
    }),
  },
  {
    opening: '[TOOL_CALLS]',
    closing: null,
    isToken: true,
    tells: tellsBy(
      /^\s{0,60}(?:\[\s{0,60}\{|\{|[a-zA-Z0-9_.-]{1,64}(?:\[(?:ARGS|CALL_ID)\]|\s{0,9}\{))/,
      /^\s{0,60}(?:\[\s{0,60}|[a-zA-Z0-9_.-]{0,64}(?:\[[A-Z_]{0,8}|\s{0,9}))$/,
    ),
    read: readMistral,
  },
  {
    opening: '<|python_tag|>',
    closing: null,
    isToken: true,
    tells: tellsBy(/^\s{0,60}\{/, new RegExp(`^\\s{0,${MAX_BLANKS}}$`)),
    read: (body) => readObjects(body),
  },
  // DeepSeek, within the mark of all calls or without it.
  sectionOf('<｜tool▁calls▁begin｜>', '<｜tool▁call▁begin｜>', readDeepSeek),
  {
    opening: '<｜tool▁call▁begin｜>',
    closing: null,
    isToken: true,
    tells: tellsBy(/^[a-zA-Z0-9_. -]{1,80}<｜tool▁sep｜>/, /^[a-zA-Z0-9_. -]{0,80}(?:<[｜tool▁sep]{0,11})?$/),
    read: (body) => readDeepSeek(`<｜tool▁call▁begin｜>${body}`),
  },
  sectionOf('<|tool_calls_section_begin|>', '<|tool_call_begin|>', readKimi),
];

function tellsBy(call: RegExp, perhaps: RegExp): CallForm['tells'] {
  return (behind) => {
    if (call.test(behind)) return 'call';
    return perhaps.test(behind) ? 'perhaps' : null;
  };
}

function sectionOf(opening: string, first: string, read: CallForm['read']): CallForm {
  const tells = (behind: string) => {
    const begun = behind.slice(0, MAX_BLANKS + first.length).trimStart();
    if (begun.startsWith(first)) return 'call';
    return behind.length <= MAX_BLANKS && first.startsWith(begun) ? 'perhaps' : null;
  };
  return { opening, closing: null, isToken: true, tells, read };
}

/** What an answer is that is nothing but objects. */
export function readObjects(text: string): { calls: TextCall[]; rest: string } {
  const calls: TextCall[] = [];
  let at = 0;
  for (;;) {
    const from = skip(text, at, calls.length === 0 ? /\s*/y : /\s*(?:;\s*)?(?:<\|python_tag\|>\s*)?/y);
    if (text[from] !== '{') break;
    const end = endOfValue(text, from);
    const object = text.slice(from, end);
    calls.push({ object, marks: [object] });
    at = end;
  }
  return { calls, rest: restOf(text, at) };
}

function readTagged(body: string, isWhole: boolean): TextCall[] {
  const text = body.trim();
  if (text.startsWith('<function=')) return readFunctions(text, isWhole);
  if (text.startsWith('[')) {
    const { calls } = readList(text);
    if (calls.length > 0) return calls;
  }
  const name = NAME.exec(text)?.[0] ?? '';
  const behind = text.slice(name.length).trimStart();
  if (name === '' || (behind !== '' && !behind.startsWith('<arg_key>'))) return [{ object: body, marks: [body] }];
  // A name alone may stand anywhere.
  const whole = `<tool_call>${body}`;
  if (!isWhole) return [{ name, problem: NO_END, marks: [whole] }];
  return [withValues(name, whole, readPairs(behind))];
}

/** `<function=name><parameter=key>value</parameter></function>`, one or several. */
function readFunctions(text: string, isWhole: boolean): TextCall[] {
  const [, ...parts] = text.split('<function=');
  return parts.map((part, index) => {
    const name = /^[a-zA-Z0-9_.-]{1,64}(?=>)/.exec(part)?.[0] ?? '';
    const end = part.indexOf('</function>');
    const inner = end < 0 ? part : part.slice(0, end);
    const whole = `<function=${inner}`;
    const body = inner.slice(name.length + 1);
    if (body.trimStart().startsWith('{')) return { name, json: body, marks: [whole] };
    // One that is missing is where another begins.
    if (end < 0 && !isWhole && index === parts.length - 1) return { name, problem: NO_END, marks: [whole] };
    return withValues(name, whole, readParameters(body));
  });
}

type Values = { values: [string, string][]; marks: string[] };

function withValues(name: string, whole: string, { values, marks }: Values): TextCall {
  // What is told twice may come from a text that stands within a value.
  const isClear = values.length <= MAX_VALUES && new Set(values.map(([key]) => key)).size === values.length;
  return isClear ? { name, values, marks: [whole, ...marks] } : { name, problem: UNCLEAR, marks: [whole] };
}

/** Values whose marks stand in what the model was given were not its own. */
function readParameters(body: string): Values {
  const read: Values = { values: [], marks: [] };
  const tags = [...body.matchAll(/<parameter=([^<>\n]{1,200})>|<\/parameter>/g)];
  for (const [index, tag] of tags.entries()) {
    const [whole, key] = tag;
    if (key === undefined) continue;
    const value = body.slice(tag.index + whole.length, tags[index + 1]?.index);
    read.values.push([key.trim(), value.replace(/^\r?\n/, '').replace(/\r?\n$/, '')]);
    read.marks.push(whole + value);
  }
  return read;
}

function readPairs(text: string): Values {
  const read: Values = { values: [], marks: [] };
  const tags = [...text.matchAll(/<(\/?)arg_(key|value)>/g)];
  let key: string | null = null;
  for (const [index, tag] of tags.entries()) {
    if (tag[1] === '/') continue;
    const said = text.slice(tag.index + tag[0].length, tags[index + 1]?.index).trim();
    if (tag[2] === 'key') key = said;
    else if (key !== null) {
      read.values.push([key, said]);
      read.marks.push(`<arg_key>${key}</arg_key><arg_value>${said}`);
      key = null;
    }
  }
  return read;
}

/** `[{…}, {…}]`, `name{…}`, `name[ARGS]{…}`, `name[CALL_ID]id[ARGS]{…}`; each may have its own mark. */
function readMistral(body: string): { calls: TextCall[]; rest: string } {
  const calls: TextCall[] = [];
  let at = 0;
  for (;;) {
    const from = skip(body, at, /\s*(?:\[TOOL_CALLS\]\s*)?/y);
    if (body[from] === '[') {
      const list = readList(body.slice(from));
      if (list.calls.length === 0) break;
      calls.push(...list.calls);
      at = from + list.end;
      continue;
    }
    if (body[from] === '{') {
      const end = endOfValue(body, from);
      const object = body.slice(from, end);
      calls.push({ object, marks: [object] });
      at = end;
      continue;
    }
    const head = /([a-zA-Z0-9_.-]{1,64})(?:\[CALL_ID\][a-zA-Z0-9_-]{0,128})?(?:\[ARGS\])?\s{0,9}(?=\{)/y;
    head.lastIndex = from;
    const [begun, name = ''] = head.exec(body) ?? [];
    if (begun === undefined) break;
    const begin = from + begun.length;
    const end = endOfValue(body, begin);
    const json = body.slice(begin, end);
    calls.push({ name, json, marks: [name + json] });
    at = end;
  }
  return { calls, rest: restOf(body, at) };
}

/** Of objects, each a call. */
function readList(text: string): { calls: TextCall[]; end: number } {
  const calls: TextCall[] = [];
  let at = 1;
  for (;;) {
    const from = skip(text, at, /[\s,]*/y);
    if (text[from] !== '{') return { calls, end: text[from] === ']' ? from + 1 : from };
    at = endOfValue(text, from);
    const object = text.slice(from, at);
    calls.push({ object, marks: [object] });
  }
}

/** V3: `function<｜tool▁sep｜>name` and JSON in a fence; V3.1: `name<｜tool▁sep｜>{…}`. */
function readDeepSeek(body: string): { calls: TextCall[]; rest: string } {
  return readSection(body, ['<｜tool▁call▁begin｜>', '<｜tool▁sep｜>', '<｜tool▁call▁end｜>'], (head, behind) => {
    const fenced = /^\s{0,9}([a-zA-Z0-9_.-]{1,64})\s{0,9}```(?:json)?/.exec(behind);
    if (head.trim() !== 'function' || !fenced) return { name: head.trim(), json: behind };
    return { name: fenced[1]!, json: behind.slice(fenced[0].length).replace(/```$/, '') };
  });
}

/** `functions.name:0<|tool_call_argument_begin|>{…}` */
function readKimi(body: string): { calls: TextCall[]; rest: string } {
  const marks = ['<|tool_call_begin|>', '<|tool_call_argument_begin|>', '<|tool_call_end|>'] as const;
  return readSection(body, marks, (head, json) => ({
    name: head
      .trim()
      .replace(/^functions\./, '')
      .replace(/:\d{1,9}$/, ''),
    json,
  }));
}

function readSection(
  body: string,
  [begin, parts, end]: readonly [string, string, string],
  read: (head: string, behind: string) => { name: string; json: string },
): { calls: TextCall[]; rest: string } {
  const [, ...pieces] = body.split(begin);
  let rest = '';
  const calls = pieces.map((piece): TextCall => {
    const closed = piece.indexOf(end);
    const inner = closed < 0 ? piece : piece.slice(0, closed);
    rest = closed < 0 ? '' : piece.slice(closed + end.length);
    const at = inner.indexOf(parts);
    const { name, json } = read(
      at < 0 ? inner : inner.slice(0, at),
      at < 0 ? '' : inner.slice(at + parts.length).trim(),
    );
    const known = NAME.exec(name)?.[0] === name ? name : '';
    // One without arguments has an end, at least.
    if (at < 0 || (closed < 0 && json === '')) return { name: known, problem: NO_END, marks: [inner] };
    return { name: known, json, marks: [inner] };
  });
  return { calls, rest: restOf(rest, 0) };
}

function skip(text: string, at: number, blanks: RegExp): number {
  blanks.lastIndex = at;
  return at + (blanks.exec(text)?.[0].length ?? 0);
}

/** Marks that end an answer are no text. */
function restOf(text: string, at: number): string {
  const rest = text.slice(at).replace(/^\s*(?:<｜tool▁calls▁end｜>|<\|tool_calls_section_end\|>)/, '');
  return rest.replaceAll(TOKEN, '').trim() === '' ? '' : rest;
}

/** Behind the object at `from`; of one that has no end, the end of the text. */
function endOfValue(text: string, from: number): number {
  let depth = 0;
  let isText = false;
  for (let at = from; at < text.length; at += 1) {
    const sign = text[at];
    if (isText) {
      if (sign === '\\') at += 1;
      else if (sign === '"') isText = false;
    } else if (sign === '"') isText = true;
    else if (sign === '{' || sign === '[') depth += 1;
    else if (sign === '}' || sign === ']') {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return text.length;
}
