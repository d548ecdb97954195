import { toJsonText } from '@app/common';

/** A value as JSON text and not as objects: it is written and handed on, and read only where that cannot cost much. */
export class JsonText {
  /** Of the text as UTF-8. */
  readonly bytes: number;

  constructor(readonly text: string) {
    this.bytes = Buffer.byteLength(text);
  }

  parse(): unknown {
    return JSON.parse(this.text) as unknown;
  }
}

/** The JSON text of a value in which a `JsonText` may stand, at most one level down. */
export function writeJson(value: unknown): string {
  if (value instanceof JsonText) return value.text;
  if (!holdsJsonText(value)) return toJsonText(value);
  if (Array.isArray(value)) return `[${value.map((item: unknown) => partOf(item)).join(',')}]`;
  const fields = Object.entries(value as object).filter(([, field]) => field !== undefined);
  return `{${fields.map(([name, field]) => `${toJsonText(name)}:${partOf(field)}`).join(',')}}`;
}

/** Whether `writeJson` has something to put in. */
export function holdsJsonText(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return value instanceof JsonText || Object.values(value).some((item) => item instanceof JsonText);
}

/** A list of values, some of which may be texts: then it is one text itself. */
export function jsonList(values: readonly unknown[]): unknown {
  return holdsJsonText(values) ? new JsonText(writeJson(values)) : values;
}

function partOf(value: unknown): string {
  return value instanceof JsonText ? value.text : toJsonText(value);
}
