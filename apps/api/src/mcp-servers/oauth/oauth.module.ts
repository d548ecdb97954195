import { OAuthUpkeep } from '@app/mcp';
import { Module } from '@nestjs/common';
import { McpOAuthController } from './oauth.controller.js';

/** Sign-in to tool servers over HTTP. Stands on the app's McpModule. */
@Module({ controllers: [McpOAuthController], providers: [OAuthUpkeep] })
export class McpOAuthRoutesModule {}
