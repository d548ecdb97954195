import { randomBytes } from 'node:crypto';
import { loadConfig } from '@app/config';
import { NestFactory } from '@nestjs/core';
import { AppModule } from '../app.module.js';
import { buildDocument } from '../openapi/document.js';

/** Settings that are well-formed and never used: in preview mode nothing connects to anything. */
const NOWHERE = {
  DATABASE_URL: 'postgres://nowhere.invalid/none',
  REDIS_URL: 'redis://nowhere.invalid',
  SECRETS_KEY: randomBytes(32).toString('base64'),
};

/** The OpenAPI document as JSON text, without servers and without settings. */
export async function describeApi(): Promise<string> {
  const app = await NestFactory.create(AppModule.forRoot(loadConfig(NOWHERE)), { preview: true, logger: false });
  return JSON.stringify(buildDocument(app), null, 2);
}
