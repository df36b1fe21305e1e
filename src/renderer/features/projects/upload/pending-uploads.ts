/** A file on its way into a project, as the browser remembers it over a reload. */
export interface PendingUpload {
  /** The key under which its item is created, so that nothing is added twice. */
  readonly key: string;
  readonly projectUid: string;
  /** Files that were dropped together. */
  readonly drop: string;
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  readonly addedAt: number;
  readonly position: number;
  /** Missing where the browser has no room for it: then only its name is known. */
  readonly file?: File;
  /** Its item is made. Remembered until the whole drop is, in case the drop has to be repeated. */
  readonly isDone?: true;
}

const STORE = 'uploads';
const FORGOTTEN_AFTER_MS = 7 * 24 * 3_600_000;
/** The browser copies what it remembers, so larger files have to be dropped again. */
const MAX_KEPT_BYTES = 268_435_456;

let opened: Promise<IDBDatabase> | undefined;

function database(): Promise<IDBDatabase> {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open('planchet-uploads', 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: 'key' });
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  return opened;
}

/** Resolves once what `work` did is stored. Rejects where the browser keeps nothing, as in some private windows. */
async function change(work: (store: IDBObjectStore) => void): Promise<void> {
  const transaction = (await database()).transaction(STORE, 'readwrite');
  await new Promise<void>((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error);
    work(transaction.objectStore(STORE));
  });
}

async function all(): Promise<PendingUpload[]> {
  const request = (await database()).transaction(STORE).objectStore(STORE).getAll();
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result as PendingUpload[]);
    request.onerror = () => reject(request.error);
  });
}

let last: Promise<unknown> = Promise.resolve();

/** Runs one change after the other. Errors are ignored: without storage, uploads only cannot be resumed after a reload. */
function inTurn(work: () => Promise<void>): void {
  last = last.then(work).catch(() => {});
}

/** Remembers the names first and then the contents: these take time, and may find no room. */
export function remember(uploads: readonly (PendingUpload & { readonly file: File })[]): void {
  inTurn(() =>
    change((store) => {
      for (const { file: _, ...named } of uploads) store.put(named);
    }),
  );
  for (const upload of uploads) {
    if (upload.size > MAX_KEPT_BYTES) continue;
    inTurn(async () => {
      const known = (await all()).some(({ key, isDone }) => key === upload.key && isDone !== true);
      if (known) await change((store) => store.put(upload));
    });
  }
}

/** Forgets the content of a file whose item is made, and its whole drop if it was the last of it. */
export function finish(key: string): void {
  inTurn(async () => {
    const uploads = await all();
    const done = uploads.find((one) => one.key === key);
    if (done === undefined) return;
    const { file: _, ...named } = done;
    const together = uploads.filter(({ drop }) => drop === done.drop);
    const isLast = together.every((one) => one.key === key || one.isDone === true);
    await change((store) => {
      if (isLast) for (const one of together) store.delete(one.key);
      else store.put({ ...named, isDone: true });
    });
  });
}

/** Forgets files that shall not be added any more. */
export function forget(keys: readonly string[]): void {
  for (const key of keys) {
    finish(key);
    inTurn(() => change((store) => store.delete(key)));
  }
}

const held = new Set<string>();

/** Locks a drop for this page until it is closed. Waits while another page of this browser holds the lock. */
export function claim(drop: string): Promise<void> {
  held.add(drop);
  // Pages loaded over plain HTTP from another machine have no lock manager.
  const { locks } = navigator as { locks?: LockManager | null };
  if (!locks) return Promise.resolve();
  return new Promise((resolve) => {
    void locks.request(`planchet-upload ${drop}`, () => {
      resolve();
      return new Promise(() => {});
    });
  });
}

/** Unfinished uploads of earlier pages in a project, one drop after the other as its lock is released. Leaves out drops of this page. */
export async function* leftBehind(projectUid: string): AsyncGenerator<readonly PendingUpload[]> {
  const uploads = await all().catch(() => []);
  forget(uploads.filter(({ addedAt }) => addedAt < Date.now() - FORGOTTEN_AFTER_MS).map(({ key }) => key));
  const drops = new Set(uploads.filter((one) => one.projectUid === projectUid).map(({ drop }) => drop));
  for (const drop of drops) {
    if (held.has(drop)) continue;
    await claim(drop);
    const left = (await all()).filter((one) => one.drop === drop);
    yield left.sort((a, b) => a.position - b.position);
  }
}
