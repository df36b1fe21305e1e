import { ipcRenderer } from 'electron';

/** The one channel between this script and the shell. */
const PORT_CHANNEL = 'planchet:port';

// The page gets a port and nothing else: no object is exposed to it, and no other message is passed on.
ipcRenderer.on(PORT_CHANNEL, (event) => {
  const [port] = event.ports;
  if (port !== undefined) window.postMessage(PORT_CHANNEL, location.origin, [port]);
});

// Asked for once the page's own scripts have run, so that somebody listens when the port arrives.
window.addEventListener('load', () => ipcRenderer.send(PORT_CHANNEL), { once: true });
