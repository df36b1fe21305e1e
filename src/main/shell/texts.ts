/** Every text the shell itself shows; what the page shows stands in the page's catalogues. */
export const texts = {
  appName: 'Planchet',
  openLink: 'Open this address in your browser?',
  open: 'Open',
  cancel: 'Cancel',
  reload: 'Reload',
  quit: 'Quit',
  crashed: 'The window of Planchet has stopped working.',
  crashedDetail: 'Nothing was approved or signed meanwhile, and mints that run go on. Reload the window to see them.',
  startFailed: 'Planchet could not start',
  debugRefused: 'Planchet does not start with a debugging switch, because whoever uses it could read your keys.',
  fileMenu: 'File',
  editMenu: 'Edit',
  viewMenu: 'View',
  windowMenu: 'Window',
} as const;
