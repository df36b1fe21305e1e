import { randomUUID } from 'node:crypto';
import { MAX_TRANSACTION_UPLOAD_BYTES, PlanchetError } from '../../../contract/index.ts';
import type { Clock } from '../../ports/clock.ts';
import { readSource, type SourceContent } from './read-source.ts';

const KEPT_MS = 30 * 60_000;
/** The oldest goes when another begins. */
const MAX_UPLOADS = 4;

interface Upload {
  readonly pieces: Uint8Array[];
  bytes: number;
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
  readonly #uploads = new Map<string, Upload>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @throws PlanchetError `not-found` for an upload that was dropped, `invalid-input` for one that is too large */
  async append({
    uploadId,
    piece,
  }: {
    uploadId?: string | undefined;
    piece: Blob;
  }): Promise<{ uploadId: string; bytes: number }> {
    const bytes = new Uint8Array(await piece.arrayBuffer());
    const id = uploadId ?? this.#begin();
    const upload = this.#find(id);
    if (upload.bytes + bytes.length > MAX_TRANSACTION_UPLOAD_BYTES) {
      this.#drop(id);
      throw new PlanchetError('merchant.upload-too-large', { limit: MAX_TRANSACTION_UPLOAD_BYTES });
    }
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

  #begin(): string {
    const [oldest] = this.#uploads.keys();
    if (oldest !== undefined && this.#uploads.size >= MAX_UPLOADS) this.#drop(oldest);
    const id = randomUUID();
    this.#uploads.set(id, { pieces: [], bytes: 0, expire: () => undefined });
    return id;
  }

  #find(id: string): Upload {
    const upload = this.#uploads.get(id);
    if (upload !== undefined) return upload;
    throw new PlanchetError('merchant.upload-unknown');
  }

  #keep(id: string, upload: Upload): void {
    upload.expire();
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
