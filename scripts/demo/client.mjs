/** A small HTTP client of the api: what any SPA would write. */
export class AtriumClient {
  #token = '';

  constructor(baseUrl) {
    this.baseUrl = baseUrl.replace(/\/$/, '');
  }

  async signIn(username, password) {
    const session = await this.post('/api/v1/token/login/', { username, password });
    this.#token = session.auth_token;
    return (await this.get('/users/me/')).info;
  }

  get(path) {
    return this.#json('GET', path);
  }

  post(path, body) {
    return this.#json('POST', path, body);
  }

  delete(path) {
    return this.#json('DELETE', path);
  }

  async upload(path, fields) {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) {
      if (value instanceof File) form.append(name, value, value.name);
      else form.append(name, String(value));
    }
    return this.#read(await fetch(this.baseUrl + path, { method: 'POST', headers: this.#headers(), body: form }));
  }

  /** The answer as it arrives, piece by piece. */
  async *stream(path, body) {
    const response = await fetch(this.baseUrl + path, {
      method: 'POST',
      headers: { ...this.#headers(), 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`POST ${path} answered ${response.status}: ${await response.text()}`);
    for await (const piece of response.body.pipeThrough(new TextDecoderStream())) yield piece;
  }

  /** Numbered events of a stream, behind the one with the number `after`, until nobody takes them any more. */
  async *events(path, after = null) {
    const leaving = new AbortController();
    const place = after === null ? {} : { 'last-event-id': String(after) };
    const response = await fetch(this.baseUrl + path, {
      headers: { ...this.#headers(), ...place },
      signal: leaving.signal,
    });
    if (!response.ok) throw new Error(`GET ${path} answered ${response.status}: ${await response.text()}`);
    try {
      let text = '';
      for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
        const frames = (text + piece).split('\n\n');
        text = frames.pop();
        for (const frame of frames) {
          const fields = Object.fromEntries(frame.split('\n').map((line) => line.split(/: (.*)/s)));
          if (fields.id) yield { id: Number(fields.id), event: fields.event, data: JSON.parse(fields.data) };
        }
      }
    } finally {
      leaving.abort();
    }
  }

  /** Frames of a live channel go to `onFrame`; resolves when the channel is open. */
  async openSocket(path, onFrame) {
    const url = `${this.baseUrl.replace(/^http/, 'ws')}${path}?token=${encodeURIComponent(this.#token)}`;
    const socket = new WebSocket(url);
    socket.addEventListener('message', (event) => onFrame(JSON.parse(event.data)));
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve, { once: true });
      socket.addEventListener('error', () => reject(new Error(`The channel ${path} does not open.`)), { once: true });
    });
    return socket;
  }

  async #json(method, path, body) {
    const request = { method, headers: this.#headers() };
    if (body !== undefined) {
      request.headers['content-type'] = 'application/json';
      request.body = JSON.stringify(body);
    }
    return this.#read(await fetch(this.baseUrl + path, request));
  }

  async #read(response) {
    const text = await response.text();
    if (!response.ok) throw new Error(`${new URL(response.url).pathname} answered ${response.status}: ${text}`);
    return text === '' ? null : JSON.parse(text);
  }

  #headers() {
    return this.#token === '' ? {} : { authorization: `Token ${this.#token}` };
  }
}

/**
 * Splits a streamed reply into its leading JSON array of sources and the answer text
 * (docs/contract/conventions.md#streams):
 * brackets inside strings do not count, and nothing can be shown before the array is complete.
 */
export class SourcesThenText {
  #buffer = '';
  #depth = 0;
  #inString = false;
  #escaped = false;
  #scanned = 0;
  sources = null;

  /** @returns the answer text in this piece, '' while the sources are still coming. */
  push(piece) {
    if (this.sources) return piece;
    this.#buffer += piece;
    for (; this.#scanned < this.#buffer.length; this.#scanned++) {
      const character = this.#buffer[this.#scanned];
      if (this.#escaped) this.#escaped = false;
      else if (this.#inString && character === '\\') this.#escaped = true;
      else if (character === '"') this.#inString = !this.#inString;
      else if (!this.#inString && character === '[') this.#depth += 1;
      else if (!this.#inString && character === ']' && --this.#depth === 0) {
        this.sources = JSON.parse(this.#buffer.slice(0, this.#scanned + 1));
        return this.#buffer.slice(this.#scanned + 1).replace(/^\|\|/, '');
      }
    }
    return '';
  }
}
