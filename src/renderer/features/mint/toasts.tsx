import { JobToasts } from './jobs/job-toasts.tsx';
import { RunToasts } from './run/run-toasts.tsx';

/** Notices of mints and of whole runs. */
export function MintToasts() {
  return (
    <>
      <JobToasts />
      <RunToasts />
    </>
  );
}
