import type { CertificatePage } from '../ports/pictures.ts';

/** A message to the process. The next one is sent after the reply to the last; `end` ends the process. */
export type PictureRequest =
  | { readonly type: 'thumbnail'; readonly path: string }
  | { readonly type: 'resized'; readonly content: Uint8Array; readonly side: number }
  | { readonly type: 'certificate'; readonly page: CertificatePage }
  | { readonly type: 'end' };

/**
 * A picture; `too-large` where its source has more pixels than are decoded, `too-slow` where decoding it took too long; null where no decoder
 * opens its source.
 */
export type Drawn = Uint8Array | 'too-large' | 'too-slow' | null;

export type PictureReply =
  | { readonly bytes: Drawn }
  /** The text of an error that the picture did not cause. */
  | { readonly failed: string };

/** A process that was started, as the host sees it. */
export interface PictureProcess {
  post(request: PictureRequest): void;
  /** Ends it at once. */
  kill(): void;
}

export interface PictureProcessEvents {
  /** The process decodes foreign bytes, so a message may be anything. */
  onMessage(message: unknown): void;
  /** Once. @param reason its exit code or signal */
  onEnd(reason: string): void;
}

/** Starts a process. Events come after it has returned. */
export type StartPictureProcess = (events: PictureProcessEvents) => PictureProcess;

/** What a process needs of the environment on some system: its libraries, the folders of its user and of temporary files. */
const NEEDED = ['HOME', 'LD_LIBRARY_PATH', 'PATH', 'SystemDrive', 'SystemRoot', 'TEMP', 'TMP', 'TMPDIR', 'USERPROFILE'];

/** The environment of a picture process, without passphrases, settings or other variables of the user. */
export function pictureEnvironment(environment: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    NEEDED.flatMap((name) => {
      const value = environment[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
