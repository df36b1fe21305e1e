import type { ErrorEntries } from '../../entry.ts';

export const serverErrors = {
  'server.bind-refused': {
    code: 'bind-refused',
    message:
      '{key} asks to listen on {hosts}, which other machines can reach, with the credentials this installation came with.',
    hint: '{fix} Or listen on this machine alone: planchet settings set {key} :{port}',
  },
  'server.listen-failed': {
    code: 'bind-refused',
    message: 'The system does not let Planchet listen on {where}: {reason}',
    hint: 'Choose an address of this machine and a port from 1024 to 65535: planchet settings set {key} {example}',
  },
  'server.metrics-without-key': {
    code: 'bind-refused',
    message: 'The figures are to be served on {hosts}, which other machines can reach, and metricsKey is empty.',
    hint: 'Set metricsKey to a random text of 16 characters or more. Or listen on this machine alone: planchet settings set metricsBind :{port}',
  },
  'server.port-in-use': {
    code: 'port-in-use',
    message: 'Another program already listens on {where}.',
    hint: 'Stop that program, or choose another port: planchet settings set {key} {example}',
  },
} as const satisfies ErrorEntries;
