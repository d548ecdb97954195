import type { MappedOutputs, Mapper, NodeMapping } from '../node-mapping.js';
import { refTo } from '../shape.js';
import { record } from './api-call.js';
import { fileId, google, READ, REST, SECRET } from './google-call.js';

export const googleDrive: Mapper = (node) => {
  const {
    resource = 'file',
    operation = 'upload',
    fileId: file,
    folderId,
    name,
    queryString,
    searchMethod,
    newUpdatedFileName,
    folderNoRootId,
  } = node.parameters;
  const root = 'https://www.googleapis.com/drive/v3/files';
  const at = (more = '') => `${root}/${fileId(node, file ?? folderNoRootId, 'file id')}${more}`;
  const drive = (make: Parameters<typeof google>[2]) => google(node, 'Google Drive', make);
  switch (`${String(resource)}.${String(operation)}`) {
    case 'file.download': {
      if (!node.has('http_request')) return null;
      node.note(`It calls the HTTP interface of Google Drive. Add its access token as the secret “${SECRET}”. ${REST}`);
      const { outputs, isList } = node.addForEach('http_request', () => ({
        ...READ,
        url: at(),
        query: { alt: 'media' },
        response: 'file',
      }));
      if (!isList) return { shapes: [{ type: 'single', item: refTo(`${outputs}.file`) }] };
      const { id } = node.add(
        'code',
        { code: 'return items.map(({ file }) => file);', items: refTo(outputs) },
        'files',
      );
      return { shapes: [{ type: 'list', ref: `_output.${id}.result` }] };
    }
    case 'file.upload':
      node.note('It sends the file whose path the node before hands on as media_path; set name and folder afterwards.');
      return upload(node);
    case 'file.copy':
      return drive(() => ({ method: 'POST', url: at('/copy'), body: { name: node.text(name) } }));
    case 'file.move':
      node.note('The folder that it is in stays one of its folders.');
      return drive(() => ({
        method: 'PATCH',
        url: at(),
        query: { addParents: fileId(node, folderId, 'folder id') },
        body: {},
      }));
    case 'file.update':
      return drive(() => ({ method: 'PATCH', url: at(), body: { name: node.text(newUpdatedFileName) } }));
    case 'file.share':
    case 'folder.share': {
      const permission = record(record(node.parameters.permissionsUi).permissionsValues);
      const { role = 'reader', type = 'anyone', emailAddress } = permission;
      const email =
        typeof emailAddress === 'string' && emailAddress !== '' ? { emailAddress: node.text(emailAddress) } : {};
      return drive(() => ({ method: 'POST', url: at('/permissions'), body: { role, type, ...email } }));
    }
    case 'file.deleteFile':
    case 'folder.deleteFolder':
      return drive(() => ({ method: 'DELETE', url: at() }));
    case 'folder.upload':
    case 'folder.create': {
      const parents = () => [fileId(node, folderId, 'folder id')];
      const mimeType = 'application/vnd.google-apps.folder';
      return drive(() => ({
        method: 'POST',
        url: root,
        body: { name: node.text(name), mimeType, parents: parents() },
      }));
    }
    case 'fileFolder.search':
    case 'fileFolder.upload': {
      const text = () => node.text(queryString);
      return drive(() => {
        const folder = record(node.parameters.filter).folderId;
        const within = folder === undefined ? '' : `'${fileId(node, folder, 'folder id')}' in parents`;
        const named =
          searchMethod === 'query'
            ? text()
            : queryString === undefined || queryString === ''
              ? ''
              : `name contains '${asText(text())}'`;
        return { url: root, query: { q: [asText(named), within].filter(Boolean).join(' and ') }, items: 'files' };
      });
    }
    default:
      return null;
  }
};

function upload(node: NodeMapping): MappedOutputs | null {
  if (!node.has('http_request')) return null;
  node.note(`It calls the HTTP interface of Google Drive. Add its access token as the secret “${SECRET}”. ${REST}`);
  if (node.input.type !== 'single') node.note('It runs once, for the first item; n8n runs it for each.');
  const { id } = node.add('http_request', {
    ...READ,
    method: 'POST',
    url: 'https://www.googleapis.com/upload/drive/v3/files',
    query: { uploadType: 'media' },
    body_kind: 'raw',
    file: node.value("={{ $json.media_path ?? $json.path ?? '' }}"),
  });
  return { shapes: [{ type: 'either', ref: `_output.${id}.body` }] };
}

function asText(value: unknown): string {
  return typeof value === 'object' && value !== null && '$ref' in value ? `{{${String(value.$ref)}}}` : String(value);
}
