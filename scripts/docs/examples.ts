import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../paths.ts';

/** Pages whose examples are run. */
const pages = ['docs/integrate/*.md', 'docs/gateway.md', 'docs/data-writer.md'];
/** The languages of examples, as their blocks name them. */
const languages = ['sh', 'js', 'python', 'csharp'] as const;
type Language = (typeof languages)[number];

/** A block of code of one of {@link pages}. */
export interface Example {
  /** Path of the document. */
  readonly page: string;
  readonly line: number;
  readonly language: Language;
  readonly code: string;
  /** The comment above it: `run: …`, `run while mining: …` or `not run: …`; undefined if there is none. */
  readonly mark: string | undefined;
}

const BLOCK = /^(?:<!-- ((?:not )?run[^\n]*?) -->\n)?```(\w+)[^\n]*\n([\s\S]*?)^```$/gm;

/** Every block of {@link pages} in a language of {@link languages}. */
export function examples(): Example[] {
  return globSync(pages, { cwd: root })
    .map((page) => page.replaceAll('\\', '/'))
    .sort()
    .flatMap((page) => {
      const text = readFileSync(join(root, page), 'utf8');
      return [...text.matchAll(BLOCK)].flatMap(({ 1: mark, 2: name, 3: code = '', index }): Example[] => {
        const language = languages.find((one) => one === name);
        const line = text.slice(0, index).split('\n').length;
        return language === undefined ? [] : [{ page, line, language, code, mark }];
      });
    });
}

type Variables = Readonly<Record<string, string | undefined>>;

/** Runs examples in a folder inside the repository, so that they find its packages. */
export class ExampleRunner {
  readonly folder: string;
  #variables: Variables;

  /** @param variables those of the process, with `PLANCHET_DATA_DIR` of a running host */
  constructor(variables: Variables) {
    mkdirSync(join(root, 'out'), { recursive: true });
    this.folder = mkdtempSync(join(root, 'out', 'examples-'));
    this.#variables = variables;
  }

  /** Runs a shell block that sets variables, in the folder of the repository. */
  async prepare(code: string): Promise<void> {
    const script = `set -eu\n${code}\nexec "$NODE" -p 'JSON.stringify(process.env)'`;
    const { stdout } = await promisify(execFile)('bash', ['-c', script], {
      cwd: root,
      env: { ...this.#variables, NODE: process.execPath } as NodeJS.ProcessEnv,
    });
    // The last line, since commands of the block may print something too.
    this.#variables = JSON.parse(stdout.trim().split('\n').pop() as string) as Variables;
  }

  /** @returns the output of the block @throws with its error output if it fails */
  run({ language, code }: Pick<Example, 'language' | 'code'>, more: Variables = {}): Promise<string> {
    const [command, ...parameters] = this.#commandOf(language, code);
    const child = spawn(command as string, parameters, {
      cwd: this.folder,
      env: { ...this.#variables, ...more } as NodeJS.ProcessEnv,
    });
    return outputOf(child);
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  #commandOf(language: Language, code: string): string[] {
    if (language === 'sh') return ['bash', '-euc', code];
    const ending = { js: 'mjs', python: 'py', csharp: 'cs' }[language];
    const file = join(this.folder, `example.${ending}`);
    writeFileSync(file, code);
    if (language === 'js') return [process.execPath, file];
    if (language === 'python') return ['python3', file];
    execFileSync('mcs', ['-r:System.Net.Http.dll', `-out:${file}.exe`, file], { stdio: 'pipe' });
    return ['mono', `${file}.exe`];
  }
}

function outputOf(child: ChildProcess): Promise<string> {
  let output = '';
  let errors = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve(output);
      else reject(new Error(`The example ended with ${code}.\n${output}${errors}`));
    });
  });
}

/** The missing tool or package that an example needs on this machine, or undefined. */
export function lacking({ language, code }: Example): string | undefined {
  if (language === 'csharp')
    return works('mcs', ['--version']) && works('mono', ['--version']) ? undefined : 'no C# compiler: mono-mcs';
  if (language !== 'python') return undefined;
  if (!works('python3', ['--version'])) return 'no python3';
  return !/import .*\bzmq\b/.test(code) || works('python3', ['-c', 'import zmq']) ? undefined : 'no pyzmq';
}

const known = new Map<string, boolean>();

/** Checked once per command, since starting a compiler takes as long as a small example. */
function works(command: string, parameters: readonly string[]): boolean {
  const asked = [command, ...parameters].join(' ');
  const answer = known.get(asked) ?? starts(command, parameters);
  known.set(asked, answer);
  return answer;
}

function starts(command: string, parameters: readonly string[]): boolean {
  try {
    execFileSync(command, parameters, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
