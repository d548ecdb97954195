// Between the shell and the page (docs/concepts/pages.md): it is served with the policy of pages, which the frame of the page
// takes over, and its own address, which the page's becomes, says nothing. It hands the page to its frame and ports to the shell.
(() => {
  'use strict';
  const shell = window.parent;
  if (shell === window) return;
  let frame = null;

  window.addEventListener('message', ({ source, data }) => {
    if (source === shell && !frame && typeof data?.page === 'string') {
      frame = document.createElement('iframe');
      // Without `allow-forms` a form tells its page nothing of being sent; the policy keeps it from being sent anywhere.
      frame.setAttribute('sandbox', 'allow-scripts allow-forms');
      frame.srcdoc = data.page;
      document.body.append(frame);
      return;
    }
    // Each time that the page was loaded.
    if (frame && source === frame.contentWindow && data === 'atrium:ready') {
      const { port1, port2 } = new MessageChannel();
      frame.contentWindow.postMessage('atrium:port', '*', [port1]);
      shell.postMessage('atrium:port', '*', [port2]);
    }
  });
  shell.postMessage('atrium:holder', '*');
})();
