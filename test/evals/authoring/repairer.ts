import { asJson, type AuthoringEval, type Json, operations, set } from './authoring-task.js';

/**
 * A model that mends a definition by what an error tells it and nothing else: it takes the names that are suggested, takes
 * away what is refused, and where a value is needed says what it knows from the request (`knowledge`).
 */
export function repair(request: string, { knowledge = {} }: AuthoringEval): string {
  const told = request
    .slice(request.indexOf('was refused:') + 12)
    .split('\n\n')[0]!
    .split('\n')
    .filter(Boolean);
  const shown = /These nodes, as they stand:\n(.*)/.exec(request)?.[1];
  const nodes = shown ? ((JSON.parse(shown) as { nodes: Json[] }).nodes ?? []) : [];
  const list = told.flatMap((line) => mend(line, nodes, knowledge));
  return asJson(operations(...list));
}

function mend(line: string, nodes: readonly Json[], knowledge: Record<string, unknown>): Json[] {
  const id = /^Node "((?:[^"\\]|\\.)*)": /.exec(line)?.[1];
  const text = id === undefined ? line : line.slice(line.indexOf(': ') + 2);
  const path = /^(params[^:\s]*): /.exec(text)?.[1];
  const suggested = suggestionIn(text);
  const known = Object.entries(knowledge).filter(([key]) => key.includes('.params.'));
  const say = (node: string) => {
    const values = known
      .filter(([key]) => key.startsWith(`${node}.`))
      .map(([key, value]) => [key.slice(node.length + 1), value] as const);
    return values.length > 0 ? [set(node, Object.fromEntries(values))] : [];
  };
  if (text.includes('already: choose another id') && knowledge.again) return [knowledge.again as Json];
  if (text.includes('use remove_node for') && knowledge.remove)
    return (knowledge.remove as string[]).map((gone) => ({ op: 'remove_node', id: gone, reconnect: false }));
  if (text.startsWith('update_node: There is no node') && suggested) return say(suggested);
  if (/chooses: say which way out/.test(text)) return outletOf(text, knowledge);
  if (id === undefined) return [];
  if (text.includes('run in a circle') && knowledge.disconnect) {
    const [from, to] = knowledge.disconnect as string[];
    return [{ op: 'disconnect', from, to }];
  }
  if (text.includes('There is no node kind') && suggested) return [set(id, { kind: suggested })];
  if (/would show the value of the secret/.test(text))
    return [replaced(nodes, id, path, /\{\{\s*_secret\.\w+\s*\}\}/, '(not shown)')];
  if (/has no secret (\w+)/.test(text)) {
    const [, secret] = /has no secret (\w+)/.exec(text)!;
    return suggested
      ? [replaced(nodes, id, path, new RegExp(`\\b${secret}\\b`), suggested)]
      : [{ op: 'update_node', id, set: [], unset: [path] }];
  }
  if (/There is no (?:table|column) "([^"]+)"/.test(text) && suggested) {
    const [, name] = /There is no (?:table|column) "([^"]+)"/.exec(text)!;
    return [replaced(nodes, id, path, new RegExp(`\\b${name}\\b`), suggested)];
  }
  if (/^params[^:]*: (_\S+) does not exist/.test(text)) {
    const [, reference] = /^params[^:]*: (_\S+) does not exist/.exec(text)!;
    const [, missing] = /has no "([^"]+)" there/.exec(text)!;
    return suggested ? [replaced(nodes, id, path, reference!, reference!.replace(missing!, suggested))] : [];
  }
  if (/expected \w+, received/.test(text)) {
    const [, reference] = /for \{"\$ref":"([^"]+)"\}/.exec(text) ?? [];
    if (reference && suggested) return [set(id, { [path!]: { $ref: reference.replace(/\.[^.]+$/, `.${suggested}`) } })];
  }
  if (/^params[^:]*: No /.test(text) && suggested) return [set(id, { [path!]: suggested })];
  if (/has no parameter "([^"]+)"/.test(text)) {
    const [, name] = /has no parameter "([^"]+)"/.exec(text)!;
    return [{ op: 'update_node', id, set: [], unset: [`params.${name}`] }, ...say(id)];
  }
  const [, source, target] = /Connect "([^"]+)" to "([^"]+)"/.exec(text) ?? [];
  if (source && target) return [{ op: 'connect', from: source, to: target, outlet: null }];
  if (/Nothing leads to it|No entry node leads here|may not be there yet|No run gets here/.test(text)) {
    const after = knowledge[`${id}.after`] ?? /"([^"]+)"(?= \()/.exec(text)?.[1];
    return after ? [{ op: 'connect', from: after, to: id, outlet: null }] : [];
  }
  return say(id);
}

/** The first name that the error offers; of things that have one, their id. */
function suggestionIn(text: string): string | undefined {
  const thing = /There (?:is|are): (?:"[^"]*" \(([^)]+)\)|"([^"]+)")/.exec(text);
  if (thing) return thing[1] ?? thing[2];
  return /Did you mean "([^"]+)"/.exec(text)?.[1] ?? /(?:There (?:is|are)|It has|has): ([^\s,.]+)/.exec(text)?.[1];
}

function replaced(
  nodes: readonly Json[],
  id: string,
  path: string | undefined,
  what: RegExp | string,
  by: string,
): Json {
  let value: unknown = nodes.find((node) => node.id === id);
  for (const key of (path ?? '').split(/[.[\]]+/).filter(Boolean)) value = (value as Json | undefined)?.[key];
  return set(id, { [path!]: JSON.parse(JSON.stringify(value ?? '').replace(what, by)) as unknown });
}

function outletOf(text: string, knowledge: Record<string, unknown>): Json[] {
  const [, added] = /add_node "([^"]+)"/.exec(text) ?? [];
  const [, from] = /"([^"]+)" \(\w+\) chooses/.exec(text)!;
  const outlet = knowledge[`${added}.outlet`] ?? /it has ([^\s,]+)/.exec(text)?.[1];
  return added ? [{ op: 'connect', from, to: added, outlet }] : [];
}
