import { OAuthMaintenance } from '@app/mcp';
import { Module } from '@nestjs/common';
import { McpOAuthController } from './oauth.controller.js';

/** Sign-in to tool servers over HTTP. Stands on the app's McpModule. */
@Module({ controllers: [McpOAuthController], providers: [OAuthMaintenance] })
export class McpOAuthRoutesModule {}
