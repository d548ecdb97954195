/**
 * Puts a refusal in the place of functions, for good: it can neither be removed nor replaced. Names that the object does
 * not have are passed over, since Node's versions differ.
 */
export function close(target: object, names: readonly string[], message: string): void {
  const refuse = (): never => {
    throw new Error(message);
  };
  for (const name of names) if (name in target) fix(target, name, refuse);
}

export function fix(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, writable: false, configurable: false });
}
