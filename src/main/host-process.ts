/** Entry of the host's process: of a utility process of Electron, and as well of a worker thread or a child process of Node. */
import { HostProcess } from './process/host-process.ts';
import { openParentChannel } from './process/parent-channel.ts';

new HostProcess({
  channel: openParentChannel(),
  loadHost: () => import('./host/host.ts'),
  environment: process.env,
  exit: () => process.exit(0),
});
