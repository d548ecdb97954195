import { itemNamesOf, listOf, type NodeOutlet } from '../tools/outlet.js';

/** Which way out of its source an edge takes. */
export type WayOut = { to: 'next' } | { to: 'error' } | { to: 'outlet'; outlet: NodeOutlet } | { to: 'unknown' };

const NEXT: WayOut = { to: 'next' };
const ERRORS = new Set(
  'error on-error error-next errors failure on-failure failed on-fail fail catch exception onerror'.split(' '),
);
/** What canvases call the only way out, or the side of the box at which the line begins. */
const ORDINARY = new Set('next main always out output source right left top bottom'.split(' '));
/** Said of a choice, they could mean one of its ways as well. */
const ORDINARY_OF_ONE = new Set('success succeeded ok done then a b r l t'.split(' '));
const ANSWERS = new Set('answer answered submit submitted default response'.split(' '));
/** Words around the name itself, as in `output-true` or `handle_case-0`. */
const DECORATION =
  /(?:^|-)(?:source|handle|handler|outputs|output|out|main|port|branch|outlet|path|route|pin|exit|anchor|when|on|if)(?=-|\d|$)/g;

/** The names of the ways out of one node; handles are compared without case, spaces and punctuation. */
export class WaysOut {
  private readonly byName = new Map<string, NodeOutlet>();
  /** Those that an answer, a case or a class chooses, in order. */
  private readonly choices: NodeOutlet[];
  private readonly hasNames: boolean;

  /** @param handles all that the edges of this node name: numbers count places unless every one of them is a name. */
  constructor(
    private readonly nodeId: string,
    private readonly outlets: readonly NodeOutlet[],
    params: Readonly<Record<string, unknown>>,
    handles: readonly string[],
  ) {
    this.choices = outlets.filter(({ declaration }) => !declaration.isAside);
    const own = new Map<string, NodeOutlet>();
    for (const outlet of outlets) for (const name of itemNamesOf(outlet, params)) put(own, canonical(name), outlet);
    const numbers = handles.filter((handle) => /^\d+$/.test(handle));
    this.hasNames = numbers.every((handle) => own.has(handle));
    for (const [name, outlet] of own) if (this.hasNames || !/^\d+$/.test(name)) put(this.byName, name, outlet);
    for (const outlet of outlets) for (const name of namesOf(outlet)) put(this.byName, name, outlet);
  }

  /** What an edge with this handle, and this label beside it, leaves by. */
  find(handle: string | null, label: string | null): WayOut {
    const found = handle === null ? NEXT : this.read(handle);
    if (found.to !== 'next' || label === null || this.choices.length === 0) return found;
    const named = this.read(label);
    return named.to === 'outlet' || named.to === 'error' ? named : found;
  }

  private read(handle: string): WayOut {
    const whole = canonical(handle);
    const own = canonical(this.nodeId);
    const withoutId = own !== '' && whole.startsWith(`${own}-`) ? whole.slice(own.length + 1) : whole;
    const plain = withoutId.replaceAll(DECORATION, '').replaceAll(/^-+|-+$/g, '');
    const names = [...new Set([whole, withoutId, plain])];
    for (const name of names) {
      const outlet = this.byName.get(name);
      if (outlet) return { to: 'outlet', outlet };
    }
    if (names.some((name) => ERRORS.has(name))) return { to: 'error' };
    const place = /^\d{1,4}$/.test(plain) ? Number(plain) : null;
    if (this.choices.length > 0) {
      const outlet = place === null ? undefined : this.choices[place];
      if (outlet) return { to: 'outlet', outlet };
    } else if (place === 0 || ANSWERS.has(plain)) return NEXT;
    const isOrdinary =
      plain === '' ||
      names.some((name) => ORDINARY.has(name) || (this.choices.length === 0 && ORDINARY_OF_ONE.has(name)));
    return isOrdinary ? NEXT : { to: 'unknown' };
  }

  /** For messages. */
  describe(): string {
    const shown = this.outlets.slice(0, 20).map(({ name }) => name);
    return [...shown, ...(this.outlets.length > shown.length ? ['…'] : []), 'next', 'error'].join(', ');
  }
}

function namesOf({ declaration, index }: NodeOutlet): string[] {
  const { param, names = [] } = declaration;
  const list = listOf(param);
  if (list === null || index === null) return [canonical(param), ...names];
  const singular = list.endsWith('sses') ? list.slice(0, -2) : list.replace(/s$/, '');
  const place = String(index);
  return [
    `${list}-${place}`,
    `${singular}-${place}`,
    `${list}-${place}-next`,
    `${list}${place}`,
    `${singular}${place}`,
  ].map(canonical);
}

/** The first to claim a name keeps it. */
function put(names: Map<string, NodeOutlet>, name: string, outlet: NodeOutlet): void {
  if (name !== '' && !names.has(name)) names.set(name, outlet);
}

/** `ifTrue`, `if_true` and `If true` to `if-true`. */
function canonical(text: string): string {
  return text
    .replaceAll(/([\p{Ll}\d])(\p{Lu})/gu, '$1-$2')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-+|-+$/g, '');
}
