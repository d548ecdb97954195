import { MemoryEdits, MemoryRows } from '@app/agents';
import { Module } from '@nestjs/common';
import { MemoriesController } from './memories.controller.js';

@Module({ controllers: [MemoriesController], providers: [MemoryRows, MemoryEdits] })
export class MemoriesModule {}
