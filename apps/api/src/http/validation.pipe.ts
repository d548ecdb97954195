import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { fieldsOf } from './fields/field.js';
import { readDto } from './fields/validate.js';
import { formBodies } from './request-body.guard.js';

/** Reads `@Body()` and `@Query()` parameters that are DTO classes; see `readDto`. */
@Injectable()
export class ValidationPipe implements PipeTransform {
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if ((type !== 'body' && type !== 'query') || !metatype || fieldsOf(metatype).size === 0) return value;
    if (type === 'query') return readDto(metatype, value, 'query');
    const isForm = typeof value === 'object' && value !== null && formBodies.has(value);
    return readDto(metatype, value, isForm ? 'form' : 'json');
  }
}
