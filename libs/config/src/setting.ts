import { z } from 'zod';

/**
 * One setting: an environment variable with a sentence for the operator. A concern is a record of them; the
 * docs/settings.md and docker/env.example are printed from these declarations.
 */
export interface Setting<T = unknown> {
  readonly env: string;
  readonly schema: z.ZodType<T>;
  readonly description: string;
  /** As it would be written in the environment; absent when the setting has none. */
  readonly fallback?: string;
  readonly secret: boolean;
}

export type Concern = Record<string, Setting>;
export type ConcernValues<C extends Concern> = { readonly [K in keyof C]: C[K] extends Setting<infer T> ? T : never };

interface Options {
  secret?: boolean;
}

function setting<T>(
  env: string,
  schema: z.ZodType<T>,
  description: string,
  fallback?: string,
  options: Options = {},
): Setting<T> {
  return { env, schema, description, secret: options.secret ?? false, ...(fallback === undefined ? {} : { fallback }) };
}

const truthy = ['true', '1', 'yes', 'on'];
const falsy = ['false', '0', 'no', 'off'];

export const text = (env: string, description: string, fallback?: string, options?: Options) =>
  setting(env, z.string().min(1), description, fallback, options);

export const optionalText = (env: string, description: string, options?: Options) =>
  setting(env, z.string().min(1).optional(), description, undefined, options);

const isHttpAddress = (value: string) => /^https?:$/.test(URL.parse(value)?.protocol ?? '');

const httpAddress = z.string().refine(isHttpAddress, 'must be an http or https address, such as https://host.example');

const schemed = (schemes: readonly string[]) =>
  z
    .string()
    .refine((value) => schemes.some((scheme) => value.startsWith(scheme)), `must begin with ${schemes.join(' or ')}`);

/** An address that begins with one of the schemes, such as `redis://`. */
export const address = (env: string, description: string, schemes: readonly string[], options?: Options) =>
  setting(env, schemed(schemes), description, undefined, options);

export const optionalAddress = (env: string, description: string, schemes: readonly string[], options?: Options) =>
  setting(env, schemed(schemes).optional(), description, undefined, options);

export const webAddress = (env: string, description: string, fallback: string) =>
  setting(env, httpAddress, description, fallback);

export const optionalWebAddress = (env: string, description: string) =>
  setting(env, httpAddress.optional(), description);

export const integer = (env: string, description: string, fallback: number, range: { min: number; max: number }) =>
  setting(
    env,
    z
      .string()
      .regex(/^-?\d+$/, 'must be a whole number')
      .transform(Number)
      .refine((value) => value >= range.min && value <= range.max, 'is out of range'),
    `${description} (${range.min} to ${range.max})`,
    String(fallback),
  );

/** A whole number in a range; undefined when it is not set. */
export const optionalInteger = (env: string, description: string, range: { min: number; max: number }) =>
  setting(
    env,
    z
      .string()
      .regex(/^-?\d+$/, 'must be a whole number')
      .transform(Number)
      .refine((value) => value >= range.min && value <= range.max, 'is out of range')
      .optional(),
    `${description} (${range.min} to ${range.max})`,
  );

/** A number with decimals, such as `0.92`; undefined when it is not set. */
export const optionalDecimal = (env: string, description: string, range: { above: number; max: number }) =>
  setting(
    env,
    z
      .string()
      .regex(/^\d{1,12}(\.\d{1,12})?$/, 'must be a number such as 0.92')
      .transform(Number)
      .refine((value) => value > range.above && value <= range.max, 'is out of range')
      .optional(),
    `${description} (above ${range.above}, up to ${range.max})`,
  );

const yesOrNo = z
  .string()
  .toLowerCase()
  .refine(
    (value) => truthy.includes(value) || falsy.includes(value),
    `must be one of ${[...truthy, ...falsy].join(', ')}`,
  )
  .transform((value) => truthy.includes(value));

export const flag = (env: string, description: string, fallback: boolean) =>
  setting(env, yesOrNo, description, String(fallback));

/** A switch whose default depends on other settings; undefined when it is not set. */
export const optionalFlag = (env: string, description: string) => setting(env, yesOrNo.optional(), description);

export const choice = <const T extends string>(
  env: string,
  description: string,
  values: readonly [T, ...T[]],
  fallback: T,
) =>
  setting<T>(
    env,
    z.enum(values, 'is none of the values that it can have') as unknown as z.ZodType<T>,
    `${description} (${values.join(', ')})`,
    fallback,
  );

/** A comma-separated list; empty when the variable is empty. */
export const list = (env: string, description: string, fallback = '', options?: Options) =>
  setting(
    env,
    z.string().transform((value) =>
      value
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== ''),
    ),
    description,
    fallback,
    options,
  );

/** A JSON text of the shape that `schema` describes. */
export const json = <T>(env: string, description: string, schema: z.ZodType<T>, fallback: string, options?: Options) =>
  setting<T>(
    env,
    z
      .string()
      .transform((value, context): unknown => {
        try {
          return JSON.parse(value);
        } catch {
          context.addIssue({ code: 'custom', message: 'must be JSON' });
          return z.NEVER;
        }
      })
      .pipe(schema),
    description,
    fallback,
    options,
  );
