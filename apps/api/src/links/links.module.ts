import { Module } from '@nestjs/common';
import { LinksController } from './links.controller.js';
import { PermanentLinks } from './permanent-links.js';

@Module({ controllers: [LinksController], providers: [PermanentLinks] })
export class LinksModule {}
