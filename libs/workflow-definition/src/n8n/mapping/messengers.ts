import type { Mapper } from '../node-mapping.js';
import { askPerson, callApi, chosenIn, part, record } from './api-call.js';

const MEDIA = new Map(
  Object.entries({
    sendPhoto: 'photo',
    sendVideo: 'video',
    sendDocument: 'document',
    sendAudio: 'audio',
    sendAnimation: 'animation',
    sendSticker: 'sticker',
  }),
);

const telegramAddress = (method: string) => `https://api.telegram.org/bot{{_secret.telegram_bot_token}}/${method}`;

const telegram: Mapper = (node) => {
  const { resource = 'message', operation, binaryData, additionalFields, fileId } = node.parameters;
  const what = String(operation ?? (resource === 'file' ? 'get' : 'sendMessage'));
  if (what === 'sendAndWait') return askPerson(node);
  const post = (method: string, body: () => Record<string, unknown>) => {
    node.note('Add the token of the bot as the secret “telegram_bot_token”.');
    return callApi(node, 'Telegram', () => ({
      method: 'POST',
      url: telegramAddress(method),
      secret: '',
      body: body(),
      items: 'result',
    }));
  };
  const { chatId, text, messageId, caption, latitude, longitude, action } = node.parameters;
  const more = record(additionalFields);
  const chat = () => ({ chat_id: part(node, chatId, 'chat id') });
  const media = MEDIA.get(what);
  if (resource === 'file' && what === 'get') {
    node.note('It tells where the file is and does not fetch it.');
    return post('getFile', () => ({ file_id: part(node, fileId, 'file id') }));
  }
  if (media !== undefined && binaryData !== true)
    return post(what, () => ({
      ...chat(),
      [media]: node.text(node.parameters.file),
      caption: node.text(caption ?? more.caption),
    }));
  switch (what) {
    case 'sendMessage':
      return post(what, () => ({
        ...chat(),
        text: node.text(text),
        ...(typeof more.parse_mode === 'string' && { parse_mode: more.parse_mode }),
      }));
    case 'editMessageText':
      return post(what, () => ({ ...chat(), message_id: node.value(messageId), text: node.text(text) }));
    case 'deleteMessage':
      return post(what, () => ({ ...chat(), message_id: node.value(messageId) }));
    case 'sendChatAction':
      return post(what, () => ({ ...chat(), action: String(action ?? 'typing') }));
    case 'sendLocation':
      return post(what, () => ({ ...chat(), latitude: node.value(latitude), longitude: node.value(longitude) }));
    default:
      return null;
  }
};

const slack: Mapper = (node) => {
  const {
    resource = 'message',
    operation = 'post',
    channelId,
    user,
    text,
    select,
    messageType,
    blocksUi,
    ts,
    timestamp,
  } = node.parameters;
  if (operation === 'sendAndWait') return askPerson(node);
  const call = (method: string, body: () => Record<string, unknown>) =>
    callApi(node, 'Slack', () => ({
      method: 'POST',
      url: `https://slack.com/api/${method}`,
      secret: 'slack_token',
      body: body(),
    }));
  const channel = () => part(node, select === 'user' ? user : (channelId ?? node.parameters.channel), 'channel');
  const said = () => ({ text: node.text(text), ...(messageType === 'block' && { blocks: node.value(blocksUi) }) });
  switch (`${String(resource)}.${String(operation)}`) {
    case 'message.post':
      return call('chat.postMessage', () => ({ channel: channel(), ...said() }));
    case 'message.update':
      return call('chat.update', () => ({ channel: channel(), ts: node.value(ts), ...said() }));
    case 'message.delete':
      return call('chat.delete', () => ({ channel: channel(), ts: node.value(timestamp ?? ts) }));
    case 'channel.history':
      return call('conversations.history', () => ({ channel: channel() }));
    case 'channel.getAll':
      return call('conversations.list', () => ({}));
    case 'user.info':
      return call('users.info', () => ({ user: part(node, user, 'user') }));
    case 'reaction.add':
      return call('reactions.add', () => ({
        channel: channel(),
        timestamp: node.value(timestamp),
        name: node.text(node.parameters.name),
      }));
    default:
      return null;
  }
};

const discord: Mapper = (node) => {
  const {
    resource,
    operation = 'send',
    authentication = 'botToken',
    content,
    text,
    channelId,
    messageId,
    limit,
  } = node.parameters;
  const isOld = resource === undefined && node.parameters.webhookUri !== undefined;
  if (operation === 'sendAndWait') return askPerson(node);
  if (authentication === 'webhook' || isOld) {
    node.note('Add what follows /webhooks/ in its address as the secret “discord_webhook”.');
    const url = 'https://discord.com/api/webhooks/{{_secret.discord_webhook}}';
    return callApi(node, 'Discord', () => ({
      method: 'POST',
      url,
      secret: '',
      body: { content: node.text(content ?? text) },
    }));
  }
  if (resource !== 'message' && resource !== undefined) return null;
  const address = (more: string) =>
    `https://discord.com/api/v10/channels/${part(node, channelId, 'channel id')}/messages${more}`;
  const auth = { secret: 'discord_bot_token', prefix: 'Bot' };
  if (operation === 'send')
    return callApi(node, 'Discord', () => ({
      ...auth,
      method: 'POST',
      url: address(''),
      body: { content: node.text(content) },
    }));
  if (operation === 'getAll')
    return callApi(node, 'Discord', () => ({ ...auth, url: address(''), query: { limit: node.value(limit ?? 100) } }));
  if (operation !== 'get' && operation !== 'deleteMessage') return null;
  const method = operation === 'get' ? 'GET' : 'DELETE';
  return callApi(node, 'Discord', () => ({ ...auth, method, url: address(`/${part(node, messageId, 'message id')}`) }));
};

const whatsApp: Mapper = (node) => {
  const {
    resource = 'message',
    operation = 'send',
    phoneNumberId,
    recipientPhoneNumber,
    textBody,
    messageType = 'text',
  } = node.parameters;
  if (operation === 'sendAndWait') return askPerson(node);
  const auth = { secret: 'whatsapp_token' };
  const root = 'https://graph.facebook.com/v22.0';
  if (resource === 'media' && operation === 'mediaUrlGet')
    return callApi(node, 'WhatsApp', () => ({
      ...auth,
      url: `${root}/${part(node, node.parameters.mediaGetId, 'media id')}`,
    }));
  if (resource !== 'message' || operation !== 'send' || messageType !== 'text') return null;
  return callApi(node, 'WhatsApp', () => ({
    ...auth,
    method: 'POST',
    url: `${root}/${part(node, phoneNumberId, 'phone number id')}/messages`,
    body: {
      messaging_product: 'whatsapp',
      to: node.text(chosenIn(recipientPhoneNumber)),
      type: 'text',
      text: { body: node.text(textBody) },
    },
  }));
};

export const messengers: Record<string, Mapper> = { telegram, slack, discord, whatsApp };
