import { isUuid, NotFoundError } from '@app/common';
import { Param, type PipeTransform } from '@nestjs/common';

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

/** A UUID in the path. Anything else names nothing, so it is a 404 and never reaches SQL. */
export const UuidParam = (name: string): ParameterDecorator => Param(name, new UuidOr404());

/** An integer id in the path, within Postgres' `integer`. */
export const IntegerParam = (name: string): ParameterDecorator => Param(name, new IntegerOr404());
