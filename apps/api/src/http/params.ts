import { isUuid, NotFoundError } from '@app/common';
import { Param, type PipeTransform } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';

class UuidOr404 implements PipeTransform<string, string> {
  transform(value: string): string {
    if (!isUuid(value)) throw new NotFoundError();
    return value.toLowerCase();
  }
}

class IntegerOr404 implements PipeTransform<string, number> {
  transform(value: string): number {
    const number = /^\d{1,10}$/.test(value) ? Number(value) : Number.NaN;
    if (!(number <= 2_147_483_647)) throw new NotFoundError();
    return number;
  }
}

function described(
  name: string,
  pipe: PipeTransform,
  schema: { type: 'string' | 'integer'; format?: string; minimum?: number },
) {
  const read = Param(name, pipe);
  return (target: object, key: string | symbol | undefined, index: number): void => {
    read(target, key, index);
    const method = key === undefined ? undefined : Object.getOwnPropertyDescriptor(target, key);
    if (method) ApiParam({ name, schema })(target, key!, method);
  };
}

/** A UUID in the path. Anything else names nothing, so it is a 404 and never reaches SQL. */
export const UuidParam = (name: string): ParameterDecorator =>
  described(name, new UuidOr404(), { type: 'string', format: 'uuid' });

/** An integer id in the path, within Postgres' `integer`. */
export const IntegerParam = (name: string): ParameterDecorator =>
  described(name, new IntegerOr404(), { type: 'integer', minimum: 0 });
