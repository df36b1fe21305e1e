/** Entry of the process that decodes pictures: of a utility process of Electron, and as well of a child process of Node. It has no keys. */
import { draw } from './pictures/drawing/draw.ts';
import type { PictureReply, PictureRequest } from './pictures/picture-process.ts';
import { openParentChannel } from './process/parent-channel.ts';

// An ordinary exit would wait until the picture in work is made.
const channel = openParentChannel<PictureReply>(() => process.kill(process.pid, 'SIGKILL'));
channel.onMessage((message) => {
  // It comes from the host, which is trusted.
  const request = message as PictureRequest;
  if (request.type === 'end') process.exit(0);
  draw(request).then(
    (bytes) => channel.post({ bytes }),
    (error: unknown) => channel.post({ failed: String(error) }),
  );
});
