import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { UserError } from './log.mjs';
import { isOpenToOthers } from './unprivileged-user.mjs';

/**
 * The layout below DATA_DIR. `state/` holds what must survive and stay private: passwords, the master key of
 * sealed secrets, the ports of the last run.
 */
export class DataFolder {
  constructor(root) {
    this.root = root;
    this.state = path.join(root, 'state');
    this.logs = path.join(root, 'logs');
    this.files = path.join(root, 'files');
    /** Mails and text messages that no provider sends. */
    this.outbox = path.join(root, 'outbox');
    this.redis = path.join(root, 'redis');
    this.lockFile = path.join(this.state, 'supervisor.lock');
  }

  /** @throws UserError when nothing can be written there */
  create() {
    try {
      fs.mkdirSync(this.root, { recursive: true });
      for (const folder of [this.state, this.logs, this.files, this.redis]) {
        fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
        fs.accessSync(folder, fs.constants.W_OK);
      }
      // The user that Postgres runs as has to pass through to its own folder.
      if (process.getuid?.() === 0) fs.chmodSync(this.root, 0o711);
    } catch (error) {
      throw new UserError(
        `The data folder ${this.root} cannot be used: ${error.message}. Choose another one: DATA_DIR=<folder> npm start`,
      );
    }
    return this;
  }

  /** A private value that is made once and kept. */
  secret(name, make = () => crypto.randomBytes(24).toString('base64url')) {
    const file = path.join(this.state, name);
    if (fs.existsSync(file)) {
      const kept = fs.readFileSync(file, 'utf8').trim();
      if (kept) return kept;
    }
    const value = make();
    this.writeSecret(name, value);
    return value;
  }

  /** Written aside and renamed: a crash must not leave half a key. */
  writeSecret(name, value) {
    const file = path.join(this.state, name);
    fs.writeFileSync(`${file}.new`, `${value}\n`, { mode: 0o600 });
    fs.renameSync(`${file}.new`, file);
  }

  /** Master keys of before, which can still be read. */
  previousKeys() {
    const file = path.join(this.state, 'secrets-previous-keys');
    return fs.existsSync(file) ? fs.readFileSync(file, 'utf8').trim().split(',').filter(Boolean) : [];
  }

  /** @returns {Record<string, any>} */
  read(name) {
    try {
      return JSON.parse(fs.readFileSync(path.join(this.state, `${name}.json`), 'utf8'));
    } catch {
      return {};
    }
  }

  /** Adds to what is kept under the name. */
  remember(name, values) {
    const file = path.join(this.state, `${name}.json`);
    fs.writeFileSync(`${file}.new`, `${JSON.stringify({ ...this.read(name), ...values }, null, 2)}\n`, { mode: 0o600 });
    fs.renameSync(`${file}.new`, file);
  }

  /**
   * Where the Postgres cluster lies: here, or, when Postgres has to run as a user who cannot get here, in a folder of
   * ours below /var/lib. Its name comes from a kept random id, so that it is not found again once `.data` was removed.
   * @param {{ uid: number } | null} user
   */
  postgres(user) {
    if (!user || isOpenToOthers(this.root)) return path.join(this.root, 'postgres');
    const home = '/var/lib/atrium/clusters';
    const id = this.secret('cluster-id', () => crypto.randomBytes(8).toString('hex'));
    this.#removeForgottenClusters(home, id);
    const folder = path.join(home, id);
    fs.mkdirSync(folder, { recursive: true, mode: 0o711 });
    fs.writeFileSync(path.join(folder, 'owner'), this.root, { mode: 0o600 });
    return path.join(folder, 'postgres');
  }

  /** Clusters of this same data folder from before it was removed. */
  #removeForgottenClusters(home, keptId) {
    if (!fs.existsSync(home)) return;
    for (const id of fs.readdirSync(home)) {
      const owner = path.join(home, id, 'owner');
      if (id === keptId || !fs.existsSync(owner)) continue;
      if (fs.readFileSync(owner, 'utf8') === this.root)
        fs.rmSync(path.join(home, id), { recursive: true, force: true });
    }
  }
}
