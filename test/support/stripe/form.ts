/** What a form of Stripe says: text, or objects and lists of it. */
export type Form = { [name: string]: FormValue };
export type FormValue = string | Form | FormValue[];

/** Brackets as Stripe reads them: `items[0][price_data][currency]=eur`, `expand[]=data.payments`. */
export function readForm(encoded: string): Form {
  const root: Form = {};
  for (const [name, value] of new URLSearchParams(encoded)) {
    const path = [...name.matchAll(/([^[\]]+)|\[\]/g)].map(([part]) => part);
    let at = root;
    for (const part of path.slice(0, -1)) at = (at[part] ??= {}) as Form;
    const last = path.at(-1)!;
    at[last === '[]' ? String(Object.keys(at).length) : last] = value;
  }
  return listed(root) as Form;
}

/** Objects whose names are 0, 1, 2 … are lists. */
function listed(value: FormValue): FormValue {
  if (typeof value === 'string' || Array.isArray(value)) return value;
  const entries = Object.entries(value).map(([name, part]) => [name, listed(part)] as const);
  const isList = entries.length > 0 && entries.every(([name], at) => name === String(at));
  return isList ? entries.map(([, part]) => part) : Object.fromEntries(entries);
}

export const textAt = (form: Form, ...path: string[]): string | undefined => {
  let at: FormValue | undefined = form;
  for (const part of path) at = typeof at === 'object' ? (at as Form)[part] : undefined;
  return typeof at === 'string' ? at : undefined;
};

export const formAt = (form: Form, name: string): Form | undefined => {
  const value = form[name];
  return typeof value === 'object' && !Array.isArray(value) ? value : undefined;
};

export const listAt = (form: Form, name: string): FormValue[] => {
  const value = form[name];
  return Array.isArray(value) ? value : [];
};

export const metadataAt = (form: Form | undefined): Record<string, string> =>
  Object.fromEntries(Object.entries(form?.metadata ?? {}).filter(([, value]) => typeof value === 'string')) as Record<
    string,
    string
  >;
