import type { CertificatePage } from '../ports/pictures.ts';

/** What is asked of the process. It answers each before it is asked for the next; `end` ends it. */
export type PictureRequest =
  | { readonly type: 'thumbnail'; readonly path: string }
  | { readonly type: 'resized'; readonly content: Uint8Array; readonly side: number }
  | { readonly type: 'certificate'; readonly page: CertificatePage }
  | { readonly type: 'end' };

/** A picture; `too-large` where its source has more pixels than are decoded; null where no decoder opens its source. */
export type Drawn = Uint8Array | 'too-large' | null;

export type PictureReply =
  | { readonly bytes: Drawn }
  /** With the text of an error that is no fault of the picture. */
  | { readonly failed: string };

/** A process that was started, as the host sees it. */
export interface PictureProcess {
  post(request: PictureRequest): void;
  /** Ends it at once, whatever it does. */
  kill(): void;
}

export interface PictureProcessEvents {
  /** It comes from where foreign bytes are decoded, so it may be anything. */
  onMessage(message: unknown): void;
  /** Once. @param reason its exit code or signal */
  onEnd(reason: string): void;
}

/** Starts a process. Events come after it has returned. */
export type StartPictureProcess = (events: PictureProcessEvents) => PictureProcess;

/** What a process needs of the environment on some system: its libraries, the folders of its user and of temporary files. */
const NEEDED = ['HOME', 'LD_LIBRARY_PATH', 'PATH', 'SystemDrive', 'SystemRoot', 'TEMP', 'TMP', 'TMPDIR', 'USERPROFILE'];

/** The environment of a picture process: no passphrase, no setting, nothing that whoever started Planchet keeps there. */
export function pictureEnvironment(environment: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    NEEDED.flatMap((name) => {
      const value = environment[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
