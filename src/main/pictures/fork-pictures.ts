import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { pictureEnvironment, type StartPictureProcess } from './picture-process.ts';

/**
 * Starts picture processes as child processes of Node. They end when their channel closes.
 * @param entry left out, the one of Planchet
 */
export function forkPictures(entry = fileURLToPath(entryUrl())): StartPictureProcess {
  return ({ onMessage, onEnd }) => {
    const child = fork(entry, [], {
      // pictures are bytes
      serialization: 'advanced',
      env: pictureEnvironment(process.env),
      // Switches of this process such as --watch or --inspect must not apply to the child.
      execArgv: [],
      // Libraries print warnings about broken pictures, with text from the picture.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    child.on('message', onMessage);
    child.once('exit', (code, signal) => onEnd(String(signal ?? code)));
    // It could not be started, or a message could not be sent. If it runs, `exit` follows.
    child.on('error', (error) => {
      if (child.pid === undefined) onEnd(error.message);
    });
    return {
      post: (request) => {
        if (child.connected) child.send(request);
      },
      kill: () => void child.kill('SIGKILL'),
    };
  };
}

/** The entry is beside the built program, and one folder up in the sources. */
function entryUrl(): URL {
  return import.meta.url.endsWith('.ts')
    ? new URL('../picture-process.ts', import.meta.url)
    : new URL('./picture-process.js', import.meta.url);
}
