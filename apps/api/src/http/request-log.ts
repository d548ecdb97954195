import type { RequestContext } from '@app/common';
import type { AppConfig } from '@app/config';
import { instruments, redactPath } from '@app/observability';
import type { OnApplicationShutdown } from '@nestjs/common';
import type { Request, Response } from 'express';

const FLUSH_AFTER_MS = 100;
const FLUSH_AT_LINES = 200;
const KNOWN_METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/**
 * One line per request, in the form of the other log lines but without their machinery: it has no field that could hold
 * a secret, and redaction alone would cost more than the rest of a light request. Lines go out in small batches.
 */
export class RequestLog implements OnApplicationShutdown {
  private lines: string[] = [];
  private timer: NodeJS.Timeout | undefined;
  private readonly enabled: boolean;
  private isMeasured = false;

  constructor({ level, requests }: AppConfig['logging']) {
    this.enabled = requests && ['info', 'debug', 'trace'].includes(level);
  }

  /** From now on each request is counted and timed too. */
  measure(): void {
    this.isMeasured = true;
  }

  /** Logs the request when its answer is sent, or its connection lost. */
  follow(context: RequestContext, request: Request, response: Response): void {
    if (!this.enabled && !this.isMeasured) return;
    const started = performance.now();
    const { method, path } = request;
    response.on('close', () => {
      if (this.isMeasured) measureRequest(request, response.statusCode, (performance.now() - started) / 1000);
      if (!this.enabled) return;
      const ms = Math.round((performance.now() - started) * 10) / 10;
      const user = context.userId === undefined ? '' : `,"userId":${context.userId}`;
      const aborted = response.writableFinished ? '' : ',"aborted":true';
      const head = `{"level":"info","time":"${new Date().toISOString()}","app":"api","pid":${process.pid},"context":"Http"`;
      // Queries may hold tokens and signatures, so only the path is logged.
      const what = `"requestId":${JSON.stringify(context.requestId)}${user},"method":"${method}","path":${JSON.stringify(redactPath(path))}`;
      this.add(
        `${head},${what},"status":${response.statusCode},"ms":${ms}${aborted},"msg":"${method} ${response.statusCode}"}\n`,
      );
    });
  }

  onApplicationShutdown(): void {
    this.flush();
  }

  private add(line: string): void {
    this.lines.push(line);
    if (this.lines.length >= FLUSH_AT_LINES) this.flush();
    else this.timer ??= setTimeout(() => this.flush(), FLUSH_AFTER_MS);
  }

  private flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.lines.length === 0) return;
    const text = this.lines.join('');
    this.lines = [];
    process.stdout.write(text);
  }
}

/** By the template of the route, a class of statuses and a known method: few series, and none that a caller can invent. */
function measureRequest({ method, route }: Request, status: number, seconds: number): void {
  const { path } = (route ?? {}) as { path?: unknown };
  instruments.requestSeconds.observe(
    {
      method: KNOWN_METHODS.has(method) ? method : 'other',
      route: typeof path === 'string' ? path : 'none',
      status: `${Math.floor(status / 100)}xx`,
    },
    seconds,
  );
}
