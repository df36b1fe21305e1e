import type { AppInfo, ServiceStatus } from '../../../contract/index.ts';
import { createDirectClient } from '../../console/client.ts';
import type { ConsoleContext } from '../../console/context.ts';
import type { HostOptions, Infrastructure } from '../infrastructure.ts';
import { DiagnosticReports } from './diagnostics.ts';
import { doctor } from './doctor.ts';

interface HostFacts {
  info: () => AppInfo;
  services: () => ServiceStatus[];
  /** Whether public services answer what the node cannot. */
  isHelped: () => boolean;
  /** The handlers' own context: the doctor calls the procedures that a view calls. */
  context: () => ConsoleContext;
}

/** Builds the tools for support: the checks of the doctor, the log, and the report. */
export function createSupport(
  { dataDir, scope }: HostOptions,
  { settings, logging, clock, notices }: Infrastructure,
  { info, services, isHelped, context }: HostFacts,
): Pick<ConsoleContext, 'doctor' | 'logs' | 'diagnostics'> {
  const runDoctor = (): ReturnType<typeof doctor> =>
    doctor({
      dataDir,
      client: createDirectClient(context()),
      isHelped: isHelped(),
      portsToTry: scope === 'core' ? settings.current() : undefined,
    });
  const diagnostics = new DiagnosticReports({
    clock,
    info,
    services,
    notices: () => notices.list(),
    settings: () => settings.entries(),
    doctor: runDoctor,
    log: (limit) => logging.tail.newest(limit),
    redact: (text) => logging.redactor.clean(text),
  });
  return { doctor: { run: runDoctor }, logs: logging.tail, diagnostics };
}
