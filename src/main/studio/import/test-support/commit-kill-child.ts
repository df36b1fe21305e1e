/**
 * Commits an import in a process of its own and ends it with SIGKILL at one of the statements that write, as a power cut would.
 * Arguments: data folder, address of the test service, number of the statement (0: it is not killed).
 */
import Database from 'better-sqlite3';
import { openStudio } from '../../test-support/test-studio.ts';

const [dataDir, url, killAt] = process.argv.slice(2) as [string, string, string];
let written = 0;
let isCounting = false;
const prepare = Database.prototype.prepare;
Database.prototype.prepare = function (this: Database.Database, sql: string) {
  const statement = prepare.call(this, sql);
  // `begin` and `commit` are among them, so that a kill also falls between a statement and the end of its transaction.
  const run = statement.run as (...values: unknown[]) => Database.RunResult;
  statement.run = ((...values: unknown[]) => {
    if (isCounting) written += 1;
    if (isCounting && written === Number(killAt)) process.kill(process.pid, 'SIGKILL');
    return run.apply(statement, values);
  }) as typeof statement.run;
  return statement;
} as typeof prepare;

const { studio, close } = await openStudio({ dataDir, url });
isCounting = true;
const { imports } = studio;
const [head] = await imports.list();
let status = head;
if (head?.phase === 'ready') status = await imports.commit({ id: head.id });
while (status?.phase === 'committing') {
  await new Promise((resolve) => setTimeout(resolve, 10));
  status = await imports.status({ id: status.id });
}
process.stdout.write(JSON.stringify({ status, written }));
await close();
