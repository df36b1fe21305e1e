import { randomUUID } from 'node:crypto';
import { MAX_TRANSACTION_UPLOAD_BYTES, PlanchetError } from '../../../contract/index.ts';
import { isOver } from '../../async/left-until.ts';
import type { Clock } from '../../ports/clock.ts';
import { readSource, type SourceContent } from './read-source.ts';

const KEPT_MS = 30 * 60_000;
/** A file that was used so recently is being submitted: it makes no room for another. */
const IN_USE_MS = 60_000;
/** What is kept at once. The file that was not used for longest makes room for another. */
const LIMITS = { files: 4_096, bytes: 4 * MAX_TRANSACTION_UPLOAD_BYTES };

interface Upload {
  readonly pieces: Uint8Array[];
  bytes: number;
  usedAt: number;
  /**
   * What it holds, since each page of a list and each part of a submission asks for it. It is many times larger than the bytes, so that it
   * stays only as long as somebody uses it or there is memory to spare.
   */
  content?: WeakRef<Promise<SourceContent>> | undefined;
  expire: () => void;
}

/** Files with transactions that a page or a command sends in pieces. They are kept in memory alone. */
export class TransactionUploads {
  readonly #clock: Clock;
  readonly #limits: typeof LIMITS;
  /** The one that was not used for longest comes first. */
  readonly #uploads = new Map<string, Upload>();

  constructor(clock: Clock, limits = LIMITS) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /**
   * @throws PlanchetError `not-found` for an upload that was dropped, `invalid-input` for one that is too large, `conflict` where the
   * uploads that are in use leave no room
   */
  async append(input: { uploadId?: string | undefined; piece: Blob }): Promise<{ uploadId: string; bytes: number }> {
    const { uploadId, piece } = input;
    const bytes = new Uint8Array(await piece.arrayBuffer());
    const id = uploadId ?? randomUUID();
    const upload: Upload =
      uploadId === undefined ? { pieces: [], bytes: 0, usedAt: 0, expire: () => undefined } : this.#find(id);
    if (upload.bytes + bytes.length > MAX_TRANSACTION_UPLOAD_BYTES) {
      this.#drop(id);
      throw new PlanchetError('merchant.upload-too-large', { limit: MAX_TRANSACTION_UPLOAD_BYTES });
    }
    this.#makeRoom(id, bytes.length);
    upload.pieces.push(bytes);
    upload.content = undefined;
    upload.bytes += bytes.length;
    this.#keep(id, upload);
    return { uploadId: id, bytes: upload.bytes };
  }

  /** @throws PlanchetError `not-found` */
  read(id: string): Promise<SourceContent> {
    const upload = this.#find(id);
    this.#keep(id, upload);
    const known = upload.content?.deref();
    if (known !== undefined) return known;
    // joined once: the transactions are views of it
    if (upload.pieces.length > 1) upload.pieces.splice(0, Number.POSITIVE_INFINITY, joined(upload));
    const content = readSource(upload.pieces[0] ?? new Uint8Array(0));
    upload.content = new WeakRef(content);
    return content;
  }

  close(): void {
    for (const id of [...this.#uploads.keys()]) this.#drop(id);
  }

  /** Drops what is not in use until the piece fits. Without room its upload is dropped too, as nobody can finish it. */
  #makeRoom(id: string, bytes: number): void {
    const others = [...this.#uploads].filter(([other]) => other !== id);
    let files = others.length;
    let total = bytes + (this.#uploads.get(id)?.bytes ?? 0);
    for (const [, other] of others) total += other.bytes;
    for (const [other, { bytes: freed, usedAt }] of others) {
      if (files < this.#limits.files && total <= this.#limits.bytes) return;
      if (!isOver(IN_USE_MS, usedAt, this.#clock.now())) {
        this.#drop(id);
        throw new PlanchetError('merchant.uploads-full');
      }
      this.#drop(other);
      files -= 1;
      total -= freed;
    }
  }

  #find(id: string): Upload {
    const upload = this.#uploads.get(id);
    if (upload !== undefined) return upload;
    throw new PlanchetError('merchant.upload-unknown');
  }

  #keep(id: string, upload: Upload): void {
    upload.expire();
    upload.usedAt = this.#clock.now();
    this.#uploads.delete(id);
    this.#uploads.set(id, upload);
    upload.expire = this.#clock.after(KEPT_MS, () => this.#drop(id));
  }

  #drop(id: string): void {
    this.#uploads.get(id)?.expire();
    this.#uploads.delete(id);
  }
}

function joined({ pieces, bytes }: Upload): Uint8Array {
  const whole = new Uint8Array(bytes);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
