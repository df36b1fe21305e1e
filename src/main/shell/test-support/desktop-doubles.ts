import { type ChildProcess, fork } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { type MessagePort, type Transferable, Worker } from 'node:worker_threads';
import type { MenuItemConstructorOptions } from 'electron';

/** A menu is what it was made from. */
export class DoubleMenu {
  readonly template: MenuItemConstructorOptions[];

  constructor(template: MenuItemConstructorOptions[]) {
    this.template = template;
  }

  popup(): void {}
}

/** The icon in the tray, with what was drawn last. */
export class DoubleTray extends EventEmitter {
  image: string;
  toolTip = '';
  menu: MenuItemConstructorOptions[] = [];
  drawn = 0;
  destroyed = false;

  constructor(image: string) {
    super();
    this.image = String(image);
  }

  setImage(image: string): void {
    this.image = String(image);
  }

  setToolTip(text: string): void {
    this.toolTip = text;
  }

  setContextMenu({ template }: DoubleMenu): void {
    this.menu = template;
    this.drawn += 1;
  }

  destroy(): void {
    this.destroyed = true;
  }

  /** Presses the line with this label. */
  press(label: string): void {
    const item = this.menu.find((each) => each.label === label);
    if (item?.click === undefined || item.enabled === false) throw new Error(`no line ${label} to press`);
    (item.click as () => void)();
  }
}

export class DoubleNotification extends EventEmitter {
  readonly title: string;
  readonly body: string;
  shown = false;

  constructor({ title, body }: { title: string; body: string }) {
    super();
    this.title = title;
    this.body = body;
  }

  static isSupported(): boolean {
    return true;
  }

  show(): void {
    this.shown = true;
  }

  close(): void {
    this.emit('close');
  }
}

/** A thread is handed ports as a utility process is; a child process can be killed as one. */
export type ProcessKind = 'thread' | 'child';

/**
 * Runs a real entry where Electron would run it in a utility process.
 * @param env left out, the environment of this process
 */
export function forkAs(kind: ProcessKind, entry: string, env = process.env): ThreadProcess | ChildOfNode {
  return kind === 'thread' ? new ThreadProcess(entry, env) : new ChildOfNode(entry, env);
}

class ThreadProcess extends EventEmitter {
  readonly #worker: Worker;

  constructor(entry: string, env: NodeJS.ProcessEnv) {
    super();
    this.#worker = new Worker(entry, { env });
    this.#worker.on('message', (message) => this.emit('message', message));
    // As of a utility process: an error that nobody caught ends it, and only its code tells.
    this.#worker.on('error', () => {});
    this.#worker.on('exit', (code) => this.emit('exit', code));
  }

  postMessage(data: unknown, ports: { port: MessagePort }[] = []): void {
    const transferred = ports.map(({ port }) => port);
    this.#worker.postMessage({ data, ports: transferred }, transferred as unknown as Transferable[]);
  }

  kill(): boolean {
    void this.#worker.terminate();
    return true;
  }
}

class ChildOfNode extends EventEmitter {
  readonly child: ChildProcess;

  constructor(entry: string, env: NodeJS.ProcessEnv) {
    super();
    this.child = fork(entry, [], { serialization: 'advanced', execArgv: [], env });
    this.child.on('message', (message) => this.emit('message', message));
    this.child.on('exit', (code) => this.emit('exit', code));
  }

  postMessage(data: unknown): void {
    if (this.child.connected) this.child.send(data as object);
  }

  kill(): boolean {
    return this.child.kill('SIGKILL');
  }
}
