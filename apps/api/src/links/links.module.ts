import { PagesModule } from '@app/artifacts';
import { Module } from '@nestjs/common';
import { LinksController } from './links.controller.js';

@Module({ imports: [PagesModule], controllers: [LinksController] })
export class LinksModule {}
