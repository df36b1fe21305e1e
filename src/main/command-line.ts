import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import {
  type DoctorFinding,
  errorClasses,
  exitCodeOf,
  networks,
  PlanchetError,
  type Trait,
} from '../contract/index.ts';
import { addApprovalsCommands } from './commands/approvals.ts';
import { addCallbacksCommand } from './commands/callbacks.ts';
import { addDiagnosticsCommand } from './commands/diagnostics.ts';
import { addGatewayCommands, basisTexts } from './commands/gateway.ts';
import { addHeadersCommands } from './commands/headers.ts';
import { addMerchantCommands } from './commands/merchant.ts';
import { addMinersCommands } from './commands/miners.ts';
import { parseRpcParams, runRpc } from './commands/rpc.ts';
import { addSandboxCommands } from './commands/sandbox.ts';
import { openLink, type ServeOptions, serve } from './commands/serve/serve.ts';
import { addSettingsCommands } from './commands/settings.ts';
import { createOutput, failureOf, type GlobalOptions, printFailure } from './commands/shared/run.ts';
import { usageFailure, withCommandLineNames } from './commands/shared/usage.ts';
import { withTimeout } from './commands/shared/waiting.ts';
import { withClient } from './commands/shared/with-client.ts';
import { addBundleCommand, addCertificateCommand } from './commands/studio/bundle.ts';
import { addImportCommand } from './commands/studio/import.ts';
import { addLedgerCommand } from './commands/studio/ledger.ts';
import { type MintOptions, mint, waitStates } from './commands/studio/mint.ts';
import { mintProject } from './commands/studio/mint-project.ts';
import { addProjectCommands } from './commands/studio/project.ts';
import { addPublishCommand } from './commands/studio/publish.ts';
import { addTokenCommands } from './commands/token.ts';
import { addTransactionCommands } from './commands/transactions.ts';
import { addVerifyCommand } from './commands/verify/verify.ts';
import { addSendCommand } from './commands/wallet/send.ts';
import { addSendManyCommand } from './commands/wallet/send-many.ts';
import { addWalletCommands } from './commands/wallet/wallet-commands.ts';
import { addWebhookCommands } from './commands/webhook.ts';
import { registerKey, type WriteOptions, writeDocument } from './commands/write.ts';
import { resolveDataDir } from './infrastructure/data-folder.ts';
import { version } from './version.ts';

/**
 * The commands of the terminal with their arguments and options.
 * @param wantsJson nothing but JSON is written
 */
export function commandLine(wantsJson = false): Command {
  const program = new Command('planchet')
    .description('Bitcoin SV node gateway and minting studio for one-satoshi ordinal tokens.')
    .version(version)
    .option('--data-dir <folder>', 'folder that holds all data', folderName)
    .addOption(new Option('--network <name>', 'network of this run').choices([...networks]))
    .option('--set <key=value>', 'a setting for this run only; may be repeated', collectSetting, {})
    .option('--json', 'one JSON document on stdout', false)
    .option('--safe-mode', 'start on the default settings without touching the settings file', false)
    .option('--passphrase-file <file>', "file that holds the vault's passphrase")
    .exitOverride()
    .configureOutput({
      // The help that a missing command brings up; nothing but JSON is written with --json.
      writeErr: (text) => {
        if (!wantsJson) process.stderr.write(text);
      },
      // Errors are printed below, in our own words.
      outputError: () => {},
    });

  const globals = (): GlobalOptions => program.opts<GlobalOptions>();
  const output = (): ReturnType<typeof createOutput> => createOutput(globals().json);

  program
    .command('serve')
    .description('start everything without a window and stay until stopped')
    .option('--strict', 'end with exit code 1 where anything does not start', false)
    .option('--join <url>', "with --network private: follow another Planchet's sandbox at this address, and keep it")
    .action((options: ServeOptions) => serve(globals(), options));

  program
    .command('open')
    .description('print a new link to the running application')
    .action(() => openLink(globals(), output()));

  withTimeout(program.command('mint'))
    .description('turn files into mined tokens')
    .argument('[file...]', 'files to mint, one token each')
    .option('--project <name>', 'mint all drafts of this project in one run, in place of files; its name or id')
    .option(
      '--rehearse',
      'with --project: mint on a network of its own that is removed afterwards, with play money',
      false,
    )
    .option(
      '--direct',
      'with --project: build and submit the transactions here, without the token service; always so where it does not have the project',
      false,
    )
    .option(
      '--collection <name>',
      'mint into this collection, by its name or id; the first file of a new one becomes its token',
    )
    .option('--name <name>', "the token's name (default: the file's name)")
    .option('--description <text>', "the token's description", '')
    .option('--trait <key=value>', 'a trait of the token; may be repeated', collectTrait, [])
    .option('--to <address>', 'who receives the tokens (default: the own wallet)')
    .option('--content-type <type>', 'MIME type, where the file name does not tell')
    .addOption(
      new Option('--wait <state>', 'return once the tokens are in this state').choices([...waitStates]).default('seen'),
    )
    .option('--yes', 'do not ask before real money is spent', false)
    .action(
      async (files: string[], options: MintOptions & { project?: string; rehearse: boolean; direct: boolean }) => {
        const out = output();
        const { project } = options;
        if (project === undefined) {
          if (files.length === 0) throw new PlanchetError('usage.files-or-project');
          if (options.rehearse || options.direct) throw new PlanchetError('usage.project-only');
          return withClient(globals(), (client) => mint(client, files, options, out));
        }
        if (files.length > 0) throw new PlanchetError('usage.files-and-project');
        const result = await withClient(globals(), (client, surroundings) =>
          mintProject(client, { ...options, project }, out, surroundings),
        );
        out.result(
          result,
          `${result.minted} of ${result.items} tokens in ${result.transactions} transactions, ${result.fee} satoshis in fees`,
        );
        if (result.minted < result.items) process.exitCode = 1;
      },
    );

  program
    .command('rpc')
    .description('one call to the node through the gateway')
    .argument('<method>')
    .argument('[param...]', 'as JSON or text')
    .action(async (method: string, params: string[]) => {
      const { result, basis } = await withClient(globals(), (client) => runRpc(client, method, parseRpcParams(params)));
      if (basis !== undefined) output().note(`Without a node, ${basisTexts[basis]}`);
      output().result(result, typeof result === 'string' ? result : JSON.stringify(result, null, 2));
    });

  program
    .command('register')
    .description('let an API key write documents, with a signing key of its own in the vault')
    .argument('<api-key>', '"-" reads it from the terminal or what is piped in')
    .action(async (key: string) => {
      const registered = await withClient(globals(), (client) => registerKey(client, key));
      output().result(registered, 'Registration successful');
    });

  withTimeout(program.command('write'))
    .description('write one JSON document to the chain')
    .argument('<json>', 'the document; "-" reads it from what is piped in')
    .option('--tag <text>', 'free text in front of the document')
    .option('--idempotency-key <key>', 'the same key writes once')
    .addOption(new Option('--mode <mode>', 'what goes to the chain').choices(['raw', 'hash', 'encrypt']).default('raw'))
    .addOption(
      new Option('--wait <state>', 'return once it is in this state')
        .choices(['accepted', 'submitted', 'mined'])
        .default('submitted'),
    )
    .action(async (json: string, options: WriteOptions) => {
      const out = output();
      const document = await withClient(globals(), (client) => writeDocument(client, json, options, out));
      out.result(document, document.txid ?? `${document.id} (${document.state})`);
    });

  addSettingsCommands(program, { globals, output });
  addDiagnosticsCommand(program, { globals, output });

  addImportCommand(program, { globals, output });
  addProjectCommands(program, { globals, output });
  addBundleCommand(program, { globals, output });
  addCertificateCommand(program, { globals, output });
  addPublishCommand(program, { globals, output });
  addLedgerCommand(program, { globals, output });
  addSendCommand(program, { globals, output });
  addSendManyCommand(program, { globals, output });
  addVerifyCommand(program, { globals, output });
  addGatewayCommands(program, { output });
  addHeadersCommands(program, { globals, output });
  addMerchantCommands(program, { globals, output });
  addMinersCommands(program, { globals, output });
  addTransactionCommands(program, { globals, output });
  addApprovalsCommands(program, { globals, output });
  addCallbacksCommand(program, { globals });
  addWebhookCommands(program, { globals, output });
  addSandboxCommands(program, { globals, output });

  addWalletCommands(program, { globals, output });
  addTokenCommands(program, { globals, output });

  program
    .command('doctor')
    .description('check every part and name the fix for each failure')
    .action(async () => {
      const options = globals();
      const findings = await checkAll(options);
      const failed = findings.filter(({ ok }) => !ok).length;
      output().result(
        { ok: failed === 0, findings },
        findings
          .map(
            ({ ok, check, message, fix }) =>
              `${ok ? 'ok  ' : 'FAIL'} ${check}: ${message}${fix ? `\n     → ${fix}` : ''}`,
          )
          .join('\n'),
      );
      if (failed > 0) process.exitCode = 1;
    });
  return program;
}

/**
 * Runs one command line. It writes to the streams of this process, and its exit code is that of this process.
 * @param args what is typed after the program's name
 */
export async function runCommandLine(args: readonly string[]): Promise<void> {
  /** Read before the options are parsed, for the errors of parsing. */
  const wantsJson = args.includes('--json');
  let running: Command | undefined;

  const program = commandLine(wantsJson).hook('preAction', (_, action) => {
    running = action;
  });
  const globals = (): GlobalOptions => program.opts<GlobalOptions>();

  // The timers of a host keep no process alive, and at times it waits for nothing else.
  const alive = setInterval(() => undefined, 2 ** 31 - 1);
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) {
      const failure = failureOf(error);
      printFailure(withCommandLineNames(failure, running), globals().json);
      process.exitCode = exitCodeOf(failure);
    } else if (error.exitCode !== 0) {
      // Help and version that were asked for end with 0; everything else is wrong usage.
      printFailure(usageFailure(error, program, args), wantsJson);
      process.exitCode = errorClasses.usage.exitCode;
    }
  } finally {
    clearInterval(alive);
  }
}

async function checkAll(options: GlobalOptions): Promise<DoctorFinding[]> {
  try {
    return await withClient(options, (client) => client.doctor.run());
  } catch (error) {
    const failure = failureOf(error);
    if (failure.code !== 'settings-invalid') throw error;
    const dataDir = resolveDataDir(options.dataDir);
    const { doctorWithoutHost } = await import('./host/support/doctor.ts');
    return doctorWithoutHost(dataDir, failure);
  }
}

function collectSetting(text: string, previous: Record<string, string>): Record<string, string> {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('Write it as key=value.');
  return { ...previous, [text.slice(0, at)]: text.slice(at + 1) };
}

/** Refuses an option in place of the folder's name, which was forgotten then. */
function folderName(text: string): string {
  // an unset variable of a script must not lead to the folder where the real money is
  if (text.trim() === '' || text.startsWith('--')) throw new InvalidArgumentError('Write the name of a folder.');
  return text;
}

function collectTrait(text: string, previous: Trait[]): Trait[] {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('Write it as key=value.');
  return [...previous, { name: text.slice(0, at), value: text.slice(at + 1) }];
}
