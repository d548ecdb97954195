import { MemoryRows } from '@app/agents';
import { Module } from '@nestjs/common';
import { MemoriesController } from './memories.controller.js';
import { OwnedMemories } from './owned-memories.js';

@Module({ controllers: [MemoriesController], providers: [MemoryRows, OwnedMemories] })
export class MemoriesModule {}
