// A bare Nest route that answers with the JSON given in BENCH_BODY: what the framework alone costs.
import 'reflect-metadata';
import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { reportCpu } from './report-cpu.mjs';

const body = JSON.parse(process.env.BENCH_BODY);

class MeController {
  me() {
    return body;
  }
}
Get('users/me')(MeController.prototype, 'me', Object.getOwnPropertyDescriptor(MeController.prototype, 'me'));
Controller()(MeController);
class BareModule {}
Module({ controllers: [MeController] })(BareModule);

const app = await NestFactory.create(BareModule, { logger: false });
await app.listen(0, '127.0.0.1');
reportCpu(app.getHttpServer().address().port);
