import type { Principal } from '@app/auth';
import {
  applyDecorators,
  type CallHandler,
  createParamDecorator,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  SetMetadata,
  type Type,
  UseInterceptors,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { defaultIfEmpty, lastValueFrom, type Observable, of } from 'rxjs';
import { UploadReceiver, type FormToReceive, type ReceivedForm } from './upload-receiver.js';

const UPLOAD = 'atrium:upload';

const forms = new WeakMap<object, ReceivedForm>();

/**
 * Reads the request's multipart form before the handler, and removes its files after it. Room for them in what the
 * caller may store is reserved first, and given back at the end: `form.room`. Stands below `@Route`, so
 * that an `Idempotency-Key` is compared with what was received: `request.body` becomes the fields and the hashes.
 */
export const ReceivesFiles = (
  field: string,
  maxFiles: number,
  maxBytes?: number,
  options: Pick<FormToReceive, 'perFile'> = {},
): MethodDecorator =>
  applyDecorators(
    SetMetadata(UPLOAD, { field, maxFiles, ...(maxBytes ? { maxBytes } : {}), ...options } satisfies FormToReceive),
    UseInterceptors(UploadInterceptor),
  );

/** What `@ReceivesFiles` says of a handler; undefined for those without it. */
export function filesOf(controller: Type, handler: string): FormToReceive | undefined {
  const target = (controller.prototype as Record<string, object>)[handler]!;
  return Reflect.getMetadata(UPLOAD, target) as FormToReceive | undefined;
}

/** The form that `@ReceivesFiles` has read. */
export const Form = createParamDecorator((_: unknown, context: ExecutionContext): ReceivedForm => {
  const form = forms.get(context.switchToHttp().getRequest<Request>());
  if (!form) throw new TypeError('This route lacks @ReceivesFiles.');
  return form;
});

@Injectable()
export class UploadInterceptor implements NestInterceptor {
  constructor(
    private readonly reflector: Reflector,
    private readonly receiver: UploadReceiver,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request & { user?: Principal | null }>();
    if (!request.user) throw new TypeError('Only people who are signed in can upload.');
    const wanted = this.reflector.get<FormToReceive>(UPLOAD, context.getHandler());
    const form = await this.receiver.receive(request, http.getResponse<Response>(), request.user.userId, wanted);
    try {
      forms.set(request, form);
      request.body = {
        ...form.fields,
        [wanted.field]: form.files.map(({ originalName, sha256 }) => [originalName, sha256]),
      };
      return of(await lastValueFrom(next.handle().pipe(defaultIfEmpty(undefined))));
    } finally {
      await form.discard();
    }
  }
}
