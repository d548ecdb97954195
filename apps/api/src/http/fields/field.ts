import { type Parse, Refusal } from '@app/common';
import { applyDecorators, type Type } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { Expose, Transform } from 'class-transformer';
import { registerDecorator } from 'class-validator';

export interface FieldOptions {
  /** Whether the key may be missing; a missing field is `undefined`, or the default. */
  optional?: boolean;
  /** Whether null is a value. */
  nullable?: boolean;
  default?: unknown;
  description?: string;
  example?: unknown;
  deprecated?: boolean;
}

/** One kind of value: how it is read, and how OpenAPI describes it. */
export interface FieldKind {
  parse: Parse;
  schema: Record<string, unknown>;
  /** Set for kinds whose value is a JSON object or array, so that forms may send them as JSON text. */
  structured?: 'object' | 'list' | 'any';
  /** Whether a query or a form may send the items of a list as `a,b`. */
  commaSeparated?: boolean;
  /** Of a list. */
  maxItems?: number;
  /** Another DTO, or a list of them; its own fields are checked within this one. */
  nested?: () => Type;
}

export type DeclaredField = FieldKind & { options: FieldOptions };

const FIELDS = Symbol('atrium:fields');

/** The declared fields of a DTO class and of those that it extends, by property. */
export function fieldsOf(dto: object): ReadonlyMap<string, DeclaredField> {
  return (Reflect.getMetadata(FIELDS, dto) as Map<string, DeclaredField> | undefined) ?? new Map();
}

const EXACT = Symbol('atrium:exact');

/** For a body in which what is left out takes something away: a name that it does not have is refused, since it may be a misspelt one. */
export function Exact(): ClassDecorator {
  return (dto) => {
    Reflect.defineMetadata(EXACT, true, dto);
    EXACT_NAMES.add(dto.name);
  };
}

/** Names of such DTOs, for OpenAPI. */
export const EXACT_NAMES = new Set<string>();

export const isExact = (dto: object): boolean => Reflect.getMetadata(EXACT, dto) === true;

function remember(dto: object, property: string, field: DeclaredField): void {
  const known = new Map(fieldsOf(dto)).set(property, field);
  Reflect.defineMetadata(FIELDS, known, dto);
}

/** Reads one value under its options: the parsed value, or why it is refused. */
export function readField(field: DeclaredField, raw: unknown): unknown {
  const { optional, nullable, default: fallback } = field.options;
  if (raw === undefined) return optional || fallback !== undefined ? fallback : new Refusal('This field is required.');
  if (raw === null) return nullable ? null : new Refusal('This field may not be null.');
  return field.parse(raw);
}

/** Declares a property of a DTO once for conversion (class-transformer), validation (class-validator) and OpenAPI. */
export function declareField(kind: FieldKind, options: FieldOptions = {}): PropertyDecorator {
  const field: DeclaredField = { ...kind, options };
  const property = {
    ...kind.schema,
    required: !options.optional && options.default === undefined,
    ...(options.nullable ? { nullable: true } : {}),
    ...(options.default === undefined ? {} : { default: options.default }),
    ...(options.description ? { description: options.description } : {}),
    ...(options.example === undefined ? {} : { example: options.example }),
    ...(options.deprecated ? { deprecated: true } : {}),
  } as ApiPropertyOptions;

  const convert = Transform(
    ({ obj, key, value: made }) => {
      // class-transformer has already made the instances of a nested DTO.
      if (field.nested && made !== undefined) return made;
      const given = Object.hasOwn(obj as object, key) ? (obj as Record<string, unknown>)[key] : undefined;
      const raw: unknown = typeof given === 'function' ? given() : given;
      const value = readField(field, raw);
      return value instanceof Refusal ? raw : value;
    },
    { toClassOnly: true },
  );
  const validate: PropertyDecorator = (target, name) =>
    registerDecorator({
      name: 'field',
      target: target.constructor,
      propertyName: String(name),
      validator: {
        validate: (value) => !(readField(field, value) instanceof Refusal),
        defaultMessage: (args) => {
          const refusal = readField(field, args?.value);
          return refusal instanceof Refusal ? refusal.message : '';
        },
      },
    });
  const register: PropertyDecorator = (target, name) => remember(target.constructor, String(name), field);
  return applyDecorators(Expose(), convert, validate, register, ApiProperty(property));
}
