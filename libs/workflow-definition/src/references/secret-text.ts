/**
 * A text whose secrets are not filled in yet. It stands in params between the engine, which knows no secret, and the
 * hand-over to the tool. Only a definition makes one: what an output or a payload spells stays mere text, so that
 * nobody outside can ask for a secret. Wherever it is written by mistake, the names appear and not the values.
 */
export class SecretText {
  constructor(private readonly parts: readonly (string | { secret: string })[]) {}

  /** @throws Error for a name without a value. */
  reveal(secrets: ReadonlyMap<string, string>): string {
    return this.write((name) => {
      const value = secrets.get(name);
      if (value === undefined) throw new Error(`There is no value for the secret ${name}.`);
      return value;
    });
  }

  toString(): string {
    return this.write((name) => `{{_secret.${name}}}`);
  }

  toJSON(): string {
    return this.toString();
  }

  private write(secretOf: (name: string) => string): string {
    return this.parts.map((part) => (typeof part === 'string' ? part : secretOf(part.secret))).join('');
  }
}

/** The params with every `SecretText` filled in; what holds none is shared, not copied. @throws Error as `reveal` does. */
export function revealSecrets(
  params: Record<string, unknown>,
  secrets: ReadonlyMap<string, string>,
): Record<string, unknown> {
  return reveal(params, secrets) as Record<string, unknown>;
}

function reveal(value: unknown, secrets: ReadonlyMap<string, string>): unknown {
  if (value instanceof SecretText) return value.reveal(secrets);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => reveal(item, secrets));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  const entries = Object.entries(value).map(([key, item]) => [key, item as unknown, reveal(item, secrets)] as const);
  if (entries.every(([, before, after]) => before === after)) return value;
  // fromEntries defines own properties, so that a key `__proto__` stays a key.
  return Object.fromEntries(entries.map(([key, , after]) => [key, after]));
}
